import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";
import { writePrograms } from "../helpers/record-programs.ts";

/** A folder with `vX.Y.Z/bin/node` for each version. See test/record/README.md. */
const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");

interface Version {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
}

const versions = readdirSync(NODES)
  .flatMap((name): Version[] => {
    const [, major, minor] = /^v(\d+)\.(\d+)\.\d+$/.exec(name) ?? [];
    return major === undefined || Number(major) < 10
      ? []
      : [{ name, major: Number(major), minor: Number(minor) }];
  })
  .sort((a, b) => a.major - b.major || a.minor - b.minor);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with the programs, and how to run them with a Node of this version. */
function workplace({ name }: Version) {
  const folder = mkdtempSync(join(tmpdir(), "ticks-matrix-"));
  folders.push(folder);
  const node = join(NODES, name, "bin/node");
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, PATH: [writePrograms(folder, node), inherited.PATH].join(delimiter) };
  const run = (words: readonly string[]) =>
    spawnSync(words[0]!, words.slice(1), { cwd: folder, env, encoding: "utf8", input: "", timeout: 120_000 });
  const record = (to: string, words: readonly string[]) =>
    run([process.execPath, TICKS, "record", "-o", to, ...words]);
  const recorded = (to: string) => JSON.parse(readFileSync(join(folder, to, "record.json"), "utf8")).recorded;
  const logs = (to: string) => readdirSync(join(folder, to)).filter((file) => file.endsWith(".log"));
  const text = (to: string) => readFileSync(join(folder, to, logs(to)[0]!), "latin1");
  return { folder, node, run, record, recorded, logs, text };
}

const sorted = (text: string) => text.split("\n").sort();

it("there are versions to try", () => {
  expect(versions.length).toBeGreaterThan(0);
});

describe.each(versions)("Node $name", (version) => {
  const { folder, node, run, record, recorded, logs, text } = workplace(version);
  const hasWorkers = version.major >= 11;
  const hasModules = version.major >= 12;

  it("records a tree whole, which behaves as without a recording", () => {
    const plain = run(["sh", "tree.sh"]);
    const { stdout, status } = record("tree", ["--", "sh", "tree.sh"]);
    expect(sorted(stdout)).toEqual(sorted(plain.stdout));
    expect([plain.status, status]).toEqual([3, 3]);
    const { processes } = recorded("tree");
    expect(processes.filter(({ problem }: { problem: unknown }) => problem !== null)).toEqual([]);
    expect(processes).toHaveLength(hasModules ? 14 : 12);
    expect(logs("tree")).toHaveLength(processes.length + (hasWorkers ? 1 : 0));
    for (const process of processes) expect(process.node).toBe(version.name);
  });

  it("records CPU profiles of a tree, which behaves as without a recording", () => {
    const plain = run(["sh", "tree.sh"]);
    const { stdout, status } = record("profiles", ["--cpu-prof", "--", "sh", "tree.sh"]);
    expect(sorted(stdout)).toEqual(sorted(plain.stdout));
    expect(status).toBe(3);
    const { processes } = recorded("profiles");
    expect(processes.filter(({ problem }: { problem: unknown }) => problem !== null)).toEqual([]);
    expect(processes).toHaveLength(hasModules ? 14 : 12);
    const profiles = readdirSync(join(folder, "profiles")).filter((file) => file.endsWith(".cpuprofile"));
    // The workers of Node 11 write logs, but no CPU profile.
    expect(profiles).toHaveLength(processes.length + (version.major >= 12 ? 1 : 0));
  });

  it("records what npm runs", () => {
    // The npm of this machine needs this version.
    if (run(["npm", "--version"]).status !== 0) return;
    const { stdout, status } = record("npm", ["--", "npm", "run", "--silent", "tree"]);
    expect([stdout.includes("main ended with 0"), status]).toEqual([true, 3]);
    expect(recorded("npm").processes).toHaveLength(15);
  });

  it("records a program that a shell starts by its path, from Node 22.15 on; before it says so", () => {
    const command = ["sh", "-c", `"${node}" end.cjs 7; "${node}" -p 'process.execArgv.length' -- a; exit 5`];
    const plain = run(command);
    const { stdout, stderr, status } = record("path", ["--", ...command]);
    expect([stdout, status]).toEqual([plain.stdout, 5]);
    const canStartAnew = version.major > 22 || (version.major === 22 && version.minor >= 15);
    expect(logs("path")).toHaveLength(canStartAnew ? 2 : 0);
    expect(
      /^ticks: pid \d+ not recorded: .* can be recorded only if it is found on the PATH \(/m.test(stderr),
    ).toBe(!canStartAnew);
  });

  it("does not restart a program with an open file that it would lose", () => {
    const read = `require("fs").readFileSync(3, "utf8").length > 0`;
    const { stdout } = record("open", ["--", "sh", "-c", `"${node}" -p '${read}' 3<main.cjs`]);
    expect(stdout).toBe("true\n");
  });

  it("knows all flags", () => {
    const flags = ["--deopts", "--ics", "--startup", "--no-sparkplug", "--interval", "200"];
    for (const command of [["node"], [node]]) {
      const to = `flags-${command[0]!.length}`;
      const { stdout, status } = record(to, [...flags, "--", ...command, "end.cjs", "5"]);
      // Node 16 to 24 print a line for each deopt.
      expect([stdout.replace(/^\[.*\n/gm, ""), status]).toEqual(["", 5]);
      const rows = ["\nprofiler,begin,200", "\nfunction,", "\nLoadIC,"];
      expect(rows.filter((row) => !text(to).includes(row))).toEqual([]);
    }
  });

  it.each(["SIGTERM", "SIGKILL", "SIGABRT"])("reports after %s", (signal) => {
    const result = record(signal, ["--", "node", "end.cjs", signal]);
    expect([result.signal, result.stderr.includes("ticks: recorded 1 log")]).toEqual([signal, true]);
  });
});
