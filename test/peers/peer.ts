import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where peers are kept from run to run. */
export const PEERS = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "ticks-peers");

/** A folder with these packages of npm, each `name@version`; a `require` that finds them. */
export function npmPeer(...packages: readonly string[]): { folder: string; require: NodeJS.Require } {
  const folder = installed(packages.join("+"), (empty) => {
    writeFileSync(join(empty, "package.json"), '{ "private": true }\n');
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], empty);
  });
  return { folder, require: createRequire(join(folder, "package.json")) };
}

/** The folder of the programs that a crate has; built for some minutes on first use. */
export function cargoPeer(crate: string, version: string): string {
  const folder = installed(`${crate}@${version}`, (empty) => {
    run("cargo", ["install", "--locked", "--root", empty, "--version", version, crate], empty);
  });
  return join(folder, "bin");
}

/** The path of a program of a Debian package. */
export function debianPeer(program: string, name: string): string {
  if (onPath(program) === undefined) {
    run("apt-get", ["update", "--quiet"], "/"); // A bare machine has no lists of packages.
    run("apt-get", ["install", "-y", "--no-install-recommends", name], "/");
  }
  const path = onPath(program);
  if (path === undefined) throw new Error(`${program} of the Debian package ${name} is needed`);
  return path;
}

/** A Python with these packages of PyPI, each `name==version`. */
export function pythonPeer(...packages: readonly string[]): string {
  const folder = installed(packages.join("+"), (empty) => {
    run("python3", ["-m", "venv", empty], "/");
    run(join(empty, "bin", "python"), ["-m", "pip", "install", "--quiet", ...packages], empty);
  });
  return join(folder, "bin", "python");
}

/** A Node that is new enough for the newest peers: the one that runs, or one of npm where that has one for the system. */
export function newNodePeer(): string {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(npmPeer(`${name}@24.21.0`).folder, "node_modules", name, "bin", "node");
}

/** The `go` command, of the PATH or of where its own installer puts it. */
export function goPeer(): string {
  const usual = "/usr/local/go/bin/go";
  return onPath("go") ?? (existsSync(usual) ? usual : debianPeer("go", "golang-go"));
}

/** A folder that is filled once. One that a failure left half full is never seen. */
export function installed(name: string, fill: (empty: string) => void): string {
  const folder = join(PEERS, name.replace(/[^\w@.+-]/g, "_"));
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  fill(making);
  renameSync(making, folder);
  return folder;
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(":");
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
