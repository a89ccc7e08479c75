import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import * as nodeModule from "node:module";
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

  it("is named in titles, and so are its workers", async () => {
    const code = `for (const name of ["one", "two"]) new (require("node:worker_threads").Worker)(
      "const end = Date.now() + 100; while (Date.now() < end);", { eval: true, name });`;
    writeFileSync(join(folder, "named.cjs"), code);
    await record("named", ["--", "node", join(folder, "named.cjs"), "--key", "value"]);
    const { stdout } = await ticks(["threads", "named"]);
    const [title = ""] = stdout.split("\n");
    expect(title).toMatch(/^node named\.cjs --key \*\*\*, pid \d+, Node \d+\.\d+\.\d+: 3 threads, /);
    const names = Array.from(stdout.matchAll(/pid \d+ (worker \w+|main)/g), ([, name]) => name);
    expect(Array.from(new Set(names)).sort()).toEqual(["main", "worker one", "worker two"]);
    const one = await ticks(["threads", "--json", "named", "--thread", "two"]);
    expect(JSON.parse(one.stdout).threads).toMatchObject([
      { kind: "worker", workerName: "two", program: "node named.cjs --key ***", node: process.versions.node },
    ]);
  });
});

describe.skipIf(process.platform !== "linux")("the CPU time of a recorded program", () => {
  const program = (then: string) => [
    ...["node", "-e"],
    `const { pbkdf2 } = require("crypto"); const again = () => { ${then} }; pbkdf2("a", "b", 1e6, 64, "sha512", again);`,
  ];

  it("counts all its threads, and the page says what has no ticks", async () => {
    const { stderr } = await record("pool", ["--", ...program("")]);
    expect(stderr).toMatch(/^ +This page is of the JavaScript threads: [\d.]+ of [\d.]+ m?s of CPU\./m);
    expect(recordedIn("pool").processes[0].cpu).toBeGreaterThan(200);
  });

  it("is known of a program that a signal ended", async () => {
    await record("pool-stopped", [
      "--until",
      "again",
      "--",
      ...program('console.log("again"); pbkdf2("a", "b", 1e4, 64, "sha512", again);'),
    ]);
    expect(recordedIn("pool-stopped").processes[0].cpu).toBeGreaterThan(0);
  });
});

describe("V8's cache of compiled code", () => {
  const tag = ["--", "node", "-p", "require('v8').cachedDataVersionTag()"];
  const link = join(folder, ".ticks-recording");

  it("is good for the next recording into another folder, also one of several runs", async () => {
    const first = await record("tag-1", tag);
    const second = await record("tag-2", ["--runs", "2", ...tag]);
    expect(second.stdout).toBe(first.stdout.repeat(2));
    expect([logsOf("tag-1").length, logsOf("tag-2/run-2").length]).toEqual([1, 1]);
    expect(existsSync(link)).toBe(false);
  });

  it("is so beside a link that is in use, which stays, and after one that is not", async () => {
    mkdirSync(join(folder, "other"));
    symlinkSync(join(folder, "other"), link);
    const { stdout } = await record("tag-3", tag);
    expect(logsOf("tag-3")).toHaveLength(1);
    expect(readdirSync(join(folder, "other"))).toEqual([]);
    expect(readlinkSync(link)).toBe(join(folder, "other"));
    expect(readdirSync(folder).filter((name) => name.startsWith(".ticks"))).toHaveLength(1);
    rmSync(join(folder, "other"), { recursive: true });
    expect((await record("tag-4", tag)).stdout).not.toBe(stdout);
    expect(() => unlinkSync(link)).toThrow(/ENOENT/);
  });

  it.skipIf(!("flushCompileCache" in nodeModule))("is saved by a program that is stopped", async () => {
    const cache = join(folder, "code-cache");
    writeFileSync(
      join(folder, "cached.cjs"),
      `require("module").enableCompileCache(${JSON.stringify(cache)}); require("./server.cjs");`,
    );
    await record("cached", ["--until", "^it is", "--", "node", "cached.cjs"]);
    expect(readdirSync(cache, { recursive: true })).toHaveLength(2);
  });
});

describe("the page at the end", () => {
  it.each<[string, string[], string[]]>([
    ["a log", [], ["top", "page"]],
    ["logs and heap profiles", ["--allocations", "--prof"], ["top", "page"]],
    ["a start-up", ["--startup"], ["startup", "page"]],
  ])("is that of the command, of %s", async (_, options, command) => {
    rmSync(join(folder, "page"), { recursive: true, force: true });
    const { status, stderr } = await record("page", [...options, "--", "node", "spin.cjs"]);
    const page = await ticks(command);
    expect([status, page.status]).toEqual([0, 0]);
    expect(page.stdout.length).toBeGreaterThan(200);
    expect(stderr).toContain(page.stdout);
    expect(stderr).not.toMatch(/\d\.\d{9}/);
  });
});

describe("several runs", () => {
  it("get a folder each, after unrecorded ones, and are the runs of ticks diff", async () => {
    const { stdout, stderr, status } = await record("series", [
      ...[
        "--runs",
        "2",
        "--warmup",
        "1",
        "--label",
        "env=test",
        "--interval",
        "500",
        "--deopts",
        "--startup",
      ],
      ...["--", "node", "-p", "process.execArgv.length"],
    ]);
    expect([stdout, status]).toEqual(["2\n2\n2\n", 0]);
    expect(readdirSync(join(folder, "series")).sort()).toEqual(["record.json", "run-1", "run-2"]);
    expect(recordedIn("series")).toMatchObject({ runs: 2, labels: { env: "test" }, interval: 500 });
    expect(logsOf("series/run-1")).toHaveLength(1);
    const log = readFileSync(join(folder, "series/run-1", logsOf("series/run-1")[0]!), "latin1");
    expect(log).toContain("\nprofiler,begin,500\n");
    expect(log).toMatch(/\nfunction,/);
    expect(stderr).toMatch(/^ticks: next: ticks diff series -- AFTER$/m);
    const diff = JSON.parse((await ticks(["diff", "--json", "series", "series"])).stdout);
    expect([diff.before.runs.length, diff.after.runs.length]).toEqual([2, 2]);
  });

  it("are those of an older recording's command too, in turns and in its folder", async () => {
    mkdirSync(join(folder, "old-code"));
    writeFileSync(join(folder, "old-code/app.cjs"), "console.log('old');");
    writeFileSync(join(folder, "app.cjs"), "console.log('new');");
    await ticks(["record", "-o", "../older", "--", "node", "app.cjs"], { cwd: join(folder, "old-code") });
    const against = ["--runs", "2", "--against", "older", "--", "node", "app.cjs"];
    const { stdout, stderr, status } = await record("pairs", against);
    expect([stdout, status]).toEqual(["old\nnew\nnew\nold\n", 0]);
    expect(recordedIn("pairs/before")).toMatchObject({
      runs: 2,
      cwd: realpathSync(join(folder, "old-code")),
    });
    expect(recordedIn("pairs/after")).toMatchObject({ runs: 2, cwd: realpathSync(folder) });
    expect(stderr).toMatch(/^ticks: next: ticks diff pairs\/before -- pairs\/after$/m);
    expect(stderr).toMatch(/^2 runs a side/m);
  });
});

describe("allocations", () => {
  it("are recorded with ticks in one run", async () => {
    const options = [
      "--allocations",
      "--prof",
      "--interval",
      "500",
      "--sampling-interval",
      "32KB",
      "--deopts",
    ];
    const { stderr, status } = await record("with-ticks", [
      ...options,
      "--",
      "node",
      "allocate.cjs",
      "60000",
    ]);
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^ticks: recorded 3 logs and 3 heap profiles/m),
    ]);
    const { flags, ...facts } = recordedIn("with-ticks");
    expect(facts).toMatchObject({ samplingInterval: 32_768, interval: 500 });
    expect(flags).toEqual(["--prof", "--prof-sampling-interval=500", "--log-deopt"]);
    expect(facts.processes.map(({ problem }: { problem: unknown }) => problem)).toEqual([null, null]);
    const { allocations, threads, memory } = JSON.parse(
      (await ticks(["top", "--json", "with-ticks"])).stdout,
    );
    expect([threads.length, memory, allocations.is]).toEqual([3, undefined, "allocated"]);
    expect(allocations.functions[0].name).toBe("make");
    expect(allocations.functions[0].bytes / (3 * 6e4 * 848)).toBeCloseTo(1, 0);
  });

  it("of a process that is killed are missed, and its log is not", async () => {
    const code = "process.kill(process.pid, 'SIGKILL')";
    const { stderr } = await record("killed-both", ["--allocations", "--prof", "--", "node", "-e", code]);
    const [{ problem }] = recordedIn("killed-both").processes;
    expect(problem).toBe(null); // Its own signal is waited for.
    expect(stderr).toContain("1 heap profile");
    const other = `const { pid } = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 9)"], { stdio: "inherit" });
      setTimeout(() => process.kill(pid, "SIGKILL"), 500)`;
    const killed = await record("killed", ["--allocations", "--prof", "--", "node", "-e", other]);
    expect(killed.stderr).toMatch(/^ticks: pid \d+ recorded without its heap profile: it ended before/m);
  });
});

describe("a cluster that --on-port stops", () => {
  it.skipIf(process.platform === "win32")("is waited for, its slowest worker too", async () => {
    writeFileSync(
      join(folder, "slow-cluster.cjs"),
      `const cluster = require("cluster");
if (cluster.isMaster) { cluster.fork(); process.on("SIGINT", () => process.exit(0)); }
else {
  require("http").createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
  process.removeAllListeners("disconnect"); // That of Node would end it at once.
  process.on("SIGINT", () => setTimeout(() => { require("fs").writeFileSync("worker-ended", ""); process.exit(0); }, 1500));
}`,
    );
    const { status, stderr } = await record("cluster", [
      "--on-port",
      "true",
      "--",
      "node",
      "slow-cluster.cjs",
    ]);
    expect([status, existsSync(join(folder, "worker-ended"))]).toEqual([0, true]);
    expect(stderr).not.toMatch(/still running/);
    expect(logsOf("cluster")).toHaveLength(2);
  });
});
