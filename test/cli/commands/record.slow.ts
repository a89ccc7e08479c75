import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ticks } from "../../helpers/cli.ts";
import { recordFolder } from "../../helpers/record-folder.ts";
import { expectValid } from "../../helpers/schema.ts";

const { folder, run, record, recordedIn, logsOf } = recordFolder();
/** The lines of a program whose processes do not wait for each other. */
const sorted = (text: string) => text.split("\n").sort();

describe("a tree of processes", () => {
  it("is recorded whole, and behaves as without a recording", async () => {
    const plain = await run(["sh", "tree.sh"]);
    const { stdout, stderr, status } = await record("tree", ["--", "sh", "tree.sh"]);
    expect(sorted(stdout)).toEqual(sorted(plain.stdout));
    expect(stdout).toMatch(/child \[ 'spawned' \] \[\]\n[\s\S]*cluster done[\s\S]*piped: through a pipe/);
    expect([plain.status, status]).toEqual([3, 3]);
    expect(stderr).toMatch(/^ticks: all of the page: ticks top tree$/m);
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

    const threads = await ticks(["threads", "tree"], { cwd: folder });
    expect(threads.stdout).toMatch(/15 threads/);
    expect(threads.stdout).toMatch(
      /^tree is a recording of sh tree\.sh: 14 Node processes, exit status 3 after/m,
    );
    expect(threads.stdout).toMatch(/^ +\d+ +\d+ {2}node .*main\.cjs 'two words' '\*'$/m);
    const json = JSON.parse((await ticks(["threads", "--json", "tree"], { cwd: folder })).stdout);
    expectValid("threads", json);
    expect(json.recordings).toMatchObject([{ folder: "tree", command: ["sh", "tree.sh"] }]);
    const markdown = await ticks(["threads", "--md", "tree"], { cwd: folder });
    expect(markdown.stdout).toContain("`tree` is a recording of `sh tree.sh`: 14 Node processes");
  });

  it("is one run, for no log has to be named and for ticks diff", async () => {
    const top = await ticks(["top"], { cwd: join(folder, "tree") });
    expect([top.stderr.split("\n")[0], top.status]).toEqual([
      "ticks: processing 15 logs of one recording",
      0,
    ]);
    const diff = JSON.parse((await ticks(["diff", "--json", "tree", "tree"], { cwd: folder })).stdout);
    expect([diff.before.runs.length, diff.after.runs.length]).toEqual([1, 1]);
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
