import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordFolder } from "../../helpers/record-folder.ts";
import { expectValid } from "../../helpers/schema.ts";

const { folder, run, ticks, record, recordedIn, logsOf } = recordFolder();
/** The lines of a program whose processes do not wait for each other. */
const sorted = (text: string) => text.split("\n").sort();

describe("a tree of processes", () => {
  const plain = run(["sh", "tree.sh"]);

  it("is recorded whole, and behaves as without a recording", async () => {
    const { stdout: expected, status: own } = await plain;
    const { stdout, stderr, status } = await record("tree", ["--", "sh", "tree.sh"]);
    expect(sorted(stdout)).toEqual(sorted(expected));
    expect(stdout).toMatch(/child \[ 'spawned' \] \[\]\n[\s\S]*cluster done[\s\S]*piped: through a pipe/);
    expect([own, status]).toEqual([3, 3]);
    expect(stderr).toContain("\n [Next]:\n");
    expect(stderr).toMatch(/^ticks: recorded 15 logs \(.* MB\) in tree$/m);
    // Main and its worker; fork, spawn, path, sync, esm and the child of esm; five of the cluster; the pipe; the script.
    expect(logsOf("tree")).toHaveLength(15);
    const { command, outcome, processes } = recordedIn("tree");
    expect(command).toEqual(["sh", "tree.sh"]);
    expect(outcome).toMatchObject({ status: 3, signal: null, stoppedBy: null });
    expect(processes).toHaveLength(14);
    expect(processes.filter(({ problem }: { problem: unknown }) => problem !== null)).toEqual([]);
    expect(existsSync(join(folder, "tree/.recording"))).toBe(false);
    for (const log of logsOf("tree")) expect(existsSync(join(folder, "tree", `${log}.symbols`))).toBe(true);

    const threads = await ticks(["threads", "tree"]);
    expect(threads.stdout).toMatch(/15 threads/);
    expect(threads.stdout).toMatch(
      /^tree is a recording of sh tree\.sh: 14 Node processes, exit status 3 after/m,
    );
    expect(threads.stdout).toMatch(/^ +\d+ +\d+ {2}node .*main\.cjs 'two words' '\*'$/m);
    const json = JSON.parse((await ticks(["threads", "--json", "tree"])).stdout);
    expectValid("threads", json);
    expect(json.recordings).toMatchObject([{ folder: "tree", command: ["sh", "tree.sh"] }]);
    const markdown = await ticks(["threads", "--md", "tree"]);
    expect(markdown.stdout).toContain("`tree` is a recording of `sh tree.sh`: 14 Node processes");
  });

  it("is one run, for no log has to be named and for ticks diff", async () => {
    const top = await ticks(["top"], { cwd: join(folder, "tree") });
    expect([top.stderr.split("\n")[0], top.status]).toEqual([
      "ticks: processing 15 logs of one recording",
      0,
    ]);
    const diff = JSON.parse((await ticks(["diff", "--json", "tree", "tree"])).stdout);
    expect([diff.before.runs.length, diff.after.runs.length]).toEqual([1, 1]);
  });

  it("is profiled whole, each process and worker, and behaves as by itself", async () => {
    const { stdout, stderr, status } = await record("profiles", ["--cpu-prof", "--", "sh", "tree.sh"]);
    const { stdout: expected } = await plain;
    expect([sorted(stdout), status]).toEqual([sorted(expected), 3]);
    expect(stderr).toMatch(/^ticks: recorded 15 CPU profiles/m);
    const { processes, flags } = recordedIn("profiles");
    expect(processes.map(({ problem }: { problem: unknown }) => problem)).toEqual(Array(14).fill(null));
    expect(flags).toEqual([]);
    const files = readdirSync(join(folder, "profiles")).filter((name) => name.endsWith(".cpuprofile"));
    expect(files).toHaveLength(15);
    const main = processes.find(({ command }: { command: string[] }) => command.includes("two words"));
    const own = files.filter((file) => file.includes(`.${main.pid}.`));
    expect(own.map((file) => file.replace(/^CPU\.\d{8}\.\d{6}\./, "")).sort()).toEqual([
      `${main.pid}.0.001.cpuprofile`,
      `${main.pid}.1.001.cpuprofile`,
    ]);
    const file = own.find((name) => name.includes(".0.001."))!;
    const profile = JSON.parse(readFileSync(join(folder, "profiles", file), "utf8"));
    expect(JSON.stringify(profile.nodes)).toContain("main.cjs");
    expect(profile.samples).toHaveLength(profile.timeDeltas.length);
  });
});

describe("a recorded program", () => {
  // Status 7 and SIGTERM are in record.test.ts.
  it.each(["0", "SIGKILL", "SIGABRT", "SIGPIPE"])("ends as it ends by itself: %s", async (how) => {
    const plain = await run(["node", "end.cjs", how]);
    const { status, signal, stderr } = await record(`end-${how}`, ["--", "node", "end.cjs", how]);
    expect([status, signal]).toEqual([plain.status, plain.signal]);
    expect(stderr).toMatch(/^ticks: recorded 1 log/m);
    expect(recordedIn(`end-${how}`).outcome).toMatchObject({ status, signal });
  });
});
