import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
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
import { TICKS } from "../../helpers/cli.ts";
import { recordFolder } from "../../helpers/record-folder.ts";

const { folder, env, run, ticks, record, recordedIn, logsOf } = recordFolder();

describe("a recorded program", () => {
  it("has its input, its open files, its messages and its exit status", async () => {
    const talk = (words: readonly string[]) =>
      new Promise<unknown>((done) => {
        const child = spawn(words[0]!, words.slice(1), {
          cwd: folder,
          env,
          stdio: ["pipe", "pipe", "ignore", "ipc", "pipe"],
          serialization: "advanced",
        });
        const heard: unknown[] = [];
        const texts = ["", ""];
        child.on("message", (message) => heard.push(message));
        child.on("disconnect", () => heard.push("disconnected"));
        child.stdout!.on("data", (text) => {
          texts[0] += text;
        });
        child.stdio[4]!.on("data", (text) => {
          texts[1] += text;
        });
        child.send({ big: 12n, map: new Map([[1, 2]]) } as object);
        child.stdin!.end("typed");
        child.on("close", (status, signal) => done({ heard, texts, status, signal }));
      });
    const plain = await talk(["node", "echo.cjs", "--own=1"]);
    const command = [process.execPath, TICKS, "record", "-o", "talk", "--", "node", "echo.cjs", "--own=1"];
    expect(await talk(command)).toEqual(plain);
    expect(plain).toMatchObject({
      heard: [{ back: { big: 12n, map: new Map([[1, 2]]) } }, "disconnected"],
      status: 6,
    });
    expect(logsOf("talk")).toHaveLength(1);
  });

  it("has the arguments after --, whatever they are", async () => {
    const words = ["node", "echo.cjs", "-ni", "--separate-ic=false", "--help", "--"];
    const { stdout } = await record("arguments", ["--discard", "--", ...words]);
    expect(stdout).toBe("[ '-ni', '--separate-ic=false', '--help', '--' ] []\n");
    expect(existsSync(join(folder, "arguments"))).toBe(false);
  });

  it.each([
    ["7", process.execPath],
    ["SIGTERM", "node"],
  ])("ends as it ends by itself: %s", async (how, node) => {
    const plain = await run([node, "end.cjs", how]);
    const { status, signal, stderr } = await record(`end-${how}`, ["--", node, "end.cjs", how]);
    expect([status, signal]).toEqual([plain.status, plain.signal]);
    expect(stderr).toMatch(/^ticks: recorded 1 log/m);
    expect(recordedIn(`end-${how}`).outcome).toMatchObject({ status, signal });
    expect(logsOf(`end-${how}`)).toHaveLength(1);
  });

  it("is ended by a signal to ticks, with a report", async () => {
    const onOutput = (child: ChildProcess) => child.kill("SIGTERM");
    const { signal, stderr } = await record("stopped", ["--", "node", "end.cjs", "loop"], { onOutput });
    expect(signal).toBe("SIGTERM");
    expect(stderr).toMatch(/ended by SIGTERM\n[\s\S]*recorded 1 log/);
  });

  it("without a Node process leaves no log, and that is said", async () => {
    const { status, stderr, stdout } = await record("none", ["--", "sh", "-c", "echo done; exit 4"]);
    expect([stdout, status]).toEqual(["done\n", 4]);
    expect(stderr).toMatch(/^ticks: no log was written: /m);
    expect(recordedIn("none").processes).toEqual([]);
  });

  it("of a Node that is too old is told so, and how to record it", async () => {
    mkdirSync(join(folder, "old"));
    const script = '#!/bin/sh\n[ "$1" = --version ] && echo v8.17.0 && exit\necho "bad option" >&2\nexit 9\n';
    writeFileSync(join(folder, "old/node"), script, { mode: 0o755 });
    const { status, stderr } = await record("too-old", ["--", "old/node", "app.js"]);
    expect(status).toBe(9);
    expect(stderr).toContain(
      "\nticks: no log was written: old/node is Node v8.17.0, and ticks record needs Node 10 or later. By hand: old/node --prof app.js. Then: ticks\n",
    );
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

  it("that is not there leaves nothing", async () => {
    const { status, stderr } = await record("missing", ["--", "no-such-program"]);
    expect([status, stderr.split("\n").at(-2)]).toEqual([2, "ticks: cannot run no-such-program: not found"]);
    expect(existsSync(join(folder, "missing"))).toBe(false);
  });

  it("may keep its own environment for Node", async () => {
    const { stdout } = await record("options", [
      ..."--discard -- env NODE_OPTIONS=--no-warnings node -p process.env.NODE_OPTIONS".split(" "),
    ]);
    expect(stdout).toBe("--no-warnings\n");
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

describe("the sources of a recorded program", () => {
  // By CPU time: on a busy machine less runs in the same time.
  const WORK =
    "process.cpuUsage().user + 2e5; let n = 0; while (process.cpuUsage().user < end) for (let i = 0; i < 1e6; i++) n += i % 7;";
  const [source, map] = [join(folder, "hot.ts"), join(folder, "hot.cjs.map")];
  writeFileSync(source, `const end: number = ${WORK}`);
  writeFileSync(join(folder, "hot.cjs"), `const end = ${WORK}\n//# sourceMappingURL=hot.cjs.map`);
  writeFileSync(map, JSON.stringify({ version: 3, sources: ["hot.ts"], names: [], mappings: "AAAA" }));
  const lines = async (name: string) => (await ticks(["lines", name])).stdout;

  it("are read for its first page and for later ones, and for no copy of the recording", async () => {
    const { stderr } = await record("sources", ["--", "node", "hot.cjs"]);
    expect(stderr).toMatch(/hot\.ts:1\s/);
    expect(stderr).not.toContain("did not read");
    expect(recordedIn("sources").root.path).toBe(realpathSync(folder));
    expect(await lines("sources")).toMatch(/hot\.ts:1 .*const end: number/);
    expect(await lines(join("sources", logsOf("sources")[0]!))).toContain("hot.ts:1 ");
    cpSync(join(folder, "sources"), join(folder, "copied"), { recursive: true, preserveTimestamps: true });
    expect(await lines("copied")).not.toContain("hot.ts");
    const both = await ticks(["top", "copied", "sources"]);
    expect(both.stdout).not.toContain("hot.ts");
    expect(both.stderr).toContain("did not read 1 source map");
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

describe("the end of a recording", () => {
  it("comes after --duration", async () => {
    const { status, stderr } = await record("duration", [
      "--duration",
      "0.5s",
      "--",
      "sh",
      "-c",
      "node server.cjs; true",
    ]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^ticks: stopped the command, as --duration asks$/m);
    expect(recordedIn("duration").outcome.stoppedBy).toBe("--duration");
  });

  it("comes with --until, and the output is still the program's", async () => {
    const { status, stdout } = await record("until", ["--until", "^it is", "--", "node", "server.cjs"]);
    expect([stdout, status]).toEqual(["it is listening\n", 0]);
    expect(recordedIn("until").outcome.stoppedBy).toBe("--until");
    // There the start ends too.
    const { ends } = JSON.parse((await ticks(["startup", "until", "--json"])).stdout);
    expect(ends).toMatchObject([{ by: "stop", untilUs: null }]);
  });

  it("comes after the command of --on-port", async () => {
    writeFileSync(
      join(folder, "load.cjs"),
      `require("http").get({ port: process.env.PORT, agent: false }, (response) => { console.log(response.statusCode); response.resume(); });`,
    );
    const load = ["--on-port", `"${process.execPath}" load.cjs $PORT`, "--", "node", "server.cjs"];
    const { status, stdout, stderr } = await record("port", load);
    expect([stdout, status]).toEqual(["it is listening\n", 0]);
    expect(stderr).toMatch(/^200$/m);
    // The command that makes the load is not recorded.
    expect(logsOf("port")).toHaveLength(1);
  });

  it("has the page of ticks startup, if that is what was recorded", async () => {
    const { stderr } = await record("start", ["--startup", "--until", "^it is", "--", "node", "server.cjs"]);
    expect(stderr).toMatch(/^\d+ ticks \([\d.]+ m?s\) until --until stopped the recording$/m);
    expect(stderr).toMatch(/What the time went to[\s\S]*recorded 1 log/);
    expect(stderr).not.toMatch(/Where the ticks went/);
  });

  it("comes when logs are larger than --max-size", async () => {
    const { status } = await record("size", ["--max-size", "10kb", "--", "node", "end.cjs", "loop"]);
    expect(status).toBe(0);
    expect(recordedIn("size").outcome.stoppedBy).toBe("--max-size");
  });
});

describe("the page at the end", () => {
  const SPIN = `const spin = (ms) => { let x = 0; for (const end = Date.now() + ms; Date.now() < end;) x += Math.sqrt(x + 1); };
    const { Worker, isMainThread } = require("node:worker_threads");
    spin(60);
    if (isMainThread) new Worker(__filename);`;

  it.each<[string, string[], string[]]>([
    ["a log", [], ["top", "page"]],
    ["CPU profiles", ["--cpu-prof"], ["top", "page"]],
    ["heap profiles", ["--allocations"], ["top", "page"]],
    ["logs and heap profiles", ["--allocations", "--prof"], ["top", "page"]],
    ["runs", ["--cpu-prof", "--runs", "2"], ["top", "page"]],
    ["runs that are added", ["--cpu-prof", "--add"], ["top", "page"]],
    ["a start-up", ["--startup"], ["startup", "page"]],
    [
      "two sides",
      ["--cpu-prof", "--runs", "1", "--against", "first"],
      ["diff", "page/before", "--", "page/after"],
    ],
  ])("is that of the command, of %s", async (_, options, command) => {
    writeFileSync(join(folder, "spin.cjs"), SPIN);
    rmSync(join(folder, "page"), { recursive: true, force: true });
    if (options.includes("--against") && !existsSync(join(folder, "first")))
      await record("first", ["--cpu-prof", "--", "node", "-p", "1"]);
    const { status, stderr } = await record("page", [...options, "--", "node", "spin.cjs"]);
    const page = await ticks(command);
    expect([status, page.status]).toEqual([0, 0]);
    expect(page.stdout.length).toBeGreaterThan(200);
    expect(stderr).toContain(page.stdout);
    expect(stderr).not.toMatch(/\d\.\d{9}/);
  });

  it("of what is discarded names no command that reads it", async () => {
    const { stderr } = await record("gone", ["--cpu-prof", "--discard", "--", "node", "spin.cjs"]);
    expect(stderr).toContain("Your code");
    expect(stderr).not.toContain("ticks function");
  });
});

// Where a test is not of logs, a CPU profile takes less time.
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

  it("are added to a folder, of the same command", async () => {
    const once = ["--cpu-prof", "--add", "--", "node", "-p", "1"];
    expect((await record("added", once)).status).toBe(0);
    const { start } = recordedIn("added");
    expect((await record("added", ["--runs", "2", ...once])).status).toBe(0);
    expect(readdirSync(join(folder, "added")).sort()).toEqual(["record.json", "run-1", "run-2", "run-3"]);
    expect(recordedIn("added")).toMatchObject({ runs: 3, start });
    const other = await record("added", ["--cpu-prof", "--add", "--", "node", "-p", "2"]);
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining("runs of another command: node -p 1\n"),
    ]);
    for (const [options, what] of [
      [["--allocations"], "one of allocations"],
      [[], "one of ticks"],
    ] as const) {
      const { status, stderr } = await record("added", [...options, "--add", "--", "node", "-p", "1"]);
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(`runs of CPU profiles, and this is ${what}`),
      ]);
    }
    // A command that cannot be run leaves the runs that are there.
    expect((await record("added", ["--cpu-prof", "--add", "--", "no-such-program"])).status).toBe(2);
    expect(recordedIn("added").runs).toBe(3);
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(folder, "added", "run-4"));
    const linked = await record("added", once);
    expect([linked.status, readdirSync(elsewhere)]).toEqual([2, []]);
    expect(linked.stderr).toContain("run-4 is a link");
    await record("single", ["--cpu-prof", "--", "node", "-p", "1"]);
    expect((await record("single", once)).stderr).toContain("single is a single run");
    expect((await ticks(["record", ...once])).status).toBe(2);
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

  it("are never of a command that a copy of a recording names, nor of the same program twice", async () => {
    await record("own", ["--cpu-prof", "--", "node", "-p", "3"]);
    cpSync(join(folder, "own"), join(folder, "copied"), { recursive: true });
    const copied = await record("of-copy", ["--against", "copied", "--", "node", "-p", "4"]);
    expect([copied.stdout, copied.status]).toEqual(["", 2]);
    expect(copied.stderr).toContain("not a copy");
    const same = await record("of-same", ["--against", "own", "--", "node", "-p", "3"]);
    expect(same.stderr).toContain("the same command in the same folder");
    await record("secret", ["--cpu-prof", "--", "node", "-p", "5", "--", "--token", "abc"]);
    const secret = await record("of-secret", ["--against", "secret", "--", "node", "-p", "4"]);
    expect(secret.stderr).toContain("a secret of its command was not kept");
    for (const broken of [
      { command: [] },
      { command: ["node\0"] },
      { cwd: "/no/such\0folder" },
      { cwd: "/no/such" },
    ]) {
      const path = join(folder, "own", "record.json");
      const document = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...document, recorded: { ...document.recorded, ...broken } }));
      const { stderr, status } = await record("of-broken", ["--against", "own", "--", "node", "-p", "4"]);
      expect([status, stderr]).toEqual([2, expect.stringContaining("has no command that can be run")]);
      writeFileSync(path, JSON.stringify(document));
    }
    expect((await record("of-none", ["--against", "old-code", "--", "node", "-p", "4"])).status).toBe(2);
  });

  it("end with the first that fails", async () => {
    const { stderr, status } = await record("failing", [
      "--cpu-prof",
      "--runs",
      "3",
      "--",
      "node",
      "end.cjs",
      "2",
    ]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^ticks: stopped after 1 run: the command failed$/m);
    expect(existsSync(join(folder, "failing/run-2"))).toBe(false);
  });
});

describe("allocations", () => {
  // An array of 100 elements takes 848 bytes, and is garbage as soon as the next one is made.
  const CODE = `
    const { isMainThread, Worker } = require("node:worker_threads");
    (function make() { for (let i = 0; i < 2e4; i++) globalThis.last = new Array(100).fill(i); })();
    if (isMainThread && process.argv[2] === undefined) {
      new Worker(__filename, { name: "one" });
      require("node:child_process").fork(__filename, ["child"]);
    }`;

  it("are recorded of all processes and workers, garbage too", async () => {
    writeFileSync(join(folder, "allocate.cjs"), CODE);
    const options = ["--allocations", "--sampling-interval", "16384"];
    const { stderr, status } = await record("allocated", [...options, "--", "node", "allocate.cjs"]);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^ticks: recorded 3 heap profiles/m)]);
    expect(recordedIn("allocated")).toMatchObject({ samplingInterval: 16_384, interval: 0, flags: [] });
    const { stdout } = await ticks(["threads", "allocated"]);
    expect(stdout).toMatch(/ pid \d+ worker one /);
    const top = JSON.parse((await ticks(["top", "--json", "allocated"])).stdout);
    expect(top.memory).toMatchObject({ of: "bytes", is: "allocated" });
    const [make] = top.functions.bySelf;
    expect(make).toMatchObject({
      name: "make",
      kind: "js",
      file: join(realpathSync(folder), "allocate.cjs"),
    });
    expect(make.selfBytes / (3 * 2e4 * 848)).toBeGreaterThan(0.85);
    expect(make.selfBytes / (3 * 2e4 * 848)).toBeLessThan(1.15);
  });

  it("are recorded with ticks in one run", async () => {
    writeFileSync(join(folder, "allocate.cjs"), CODE.replace("2e4", "6e4"));
    const options = [
      "--allocations",
      "--prof",
      "--interval",
      "500",
      "--sampling-interval",
      "32KB",
      "--deopts",
    ];
    const { stderr, status } = await record("with-ticks", [...options, "--", "node", "allocate.cjs"]);
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

  it("of several processes that ran too short to tell are counted together", async () => {
    writeFileSync(join(folder, "short.cjs"), CODE.replace("2e4", "20"));
    const { stderr } = await record("short", ["--allocations", "--", "node", "short.cjs"]);
    expect(stderr).toMatch(/^2 processes of node short\.cjs, .* allocated, in \d+ samples$/m);
  });

  it.each([
    [["--allocations", "--deopts"], "--deopts does not go with --allocations: only a log has them"],
    [["--allocations", "--startup"], "--startup does not go with --allocations: only a log has it"],
    [["--allocations", "--interval", "100"], "--interval is the time between two ticks, and --allocations"],
    [["--allocations", "--prof", "--cpu-prof"], "cannot be used with option '--cpu-prof"],
    [["--sampling-interval", "1kb"], "--sampling-interval is the bytes between two samples of allocations"],
  ])("refuse what has no sense: %j", async (options, reason) => {
    const { status, stderr } = await record("refused", [...options, "--", "node", "short.cjs"]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(existsSync(join(folder, "refused"))).toBe(false);
  });
});

describe("CPU profiles", () => {
  const profilesOf = (name: string) =>
    readdirSync(join(folder, name)).filter((file) => file.endsWith(".cpuprofile"));

  it("of workers have the names that the program gave them", async () => {
    const code = `new (require("node:worker_threads").Worker)(
      "const end = Date.now() + 100; while (Date.now() < end);", { eval: true, name: "one" });`;
    writeFileSync(join(folder, "named-profile.cjs"), code);
    await record("named-profile", ["--cpu-prof", "--", "node", join(folder, "named-profile.cjs")]);
    const { stdout } = await ticks(["threads", "named-profile"]);
    expect(stdout).toMatch(/ pid \d+ worker one /);
  });

  it("leave signals their effect in a program that does not listen to them", async () => {
    const loop = "console.log(process.pid); for (;;);";
    const own = `process.kill(process.pid, "SIGTERM"); process.exit(0)`;
    // To the program itself, as Ctrl-C at a terminal.
    const onOutput = (_: ChildProcess, text: string) => process.kill(Number(text), "SIGINT");
    const looped = await record("looped", ["--cpu-prof", "--", "node", "-e", loop], { onOutput });
    expect([looped.status, looped.signal, profilesOf("looped")]).toEqual([null, "SIGINT", []]);
    expect(looped.stderr).toMatch(
      /^ticks: no CPU profile was written: its processes ended before they could/m,
    );
    expect(recordedIn("looped").processes[0].problem).toMatch(/^it ended before it could write/);
    const ended = await record("own-end", ["--cpu-prof", "--", "node", "-e", own]);
    expect([ended.status, ended.signal, profilesOf("own-end").length]).toEqual([null, "SIGTERM", 1]);
  });

  // A program has one second to begin to write its profile, which may be too short where much else runs.
  it("are written when a signal to ticks ends the program, and the signal does so", {
    retry: 3,
  }, async () => {
    const onOutput = (child: ChildProcess) => child.kill("SIGTERM");
    rmSync(join(folder, "ended"), { recursive: true, force: true });
    const { status, signal, stderr } = await record("ended", ["--cpu-prof", "--", "node", "server.cjs"], {
      onOutput,
    });
    expect({ status, signal, stderr }).toEqual({
      status: null,
      signal: "SIGTERM",
      stderr: expect.stringMatching(/^ticks: recorded 1 CPU profile /m),
    });
    expect(recordedIn("ended").outcome).toMatchObject({ status: null, signal: "SIGTERM" });
  });

  it("leave a signal to a program that listens to it, once or as the only one", async () => {
    const onOutput = (child: ChildProcess) => child.kill("SIGTERM");
    const once = `process.once("SIGTERM", () => setTimeout(() => process.exit(5), 100))`;
    const only = `process.on("SIGTERM", function end() {
      if (process.listeners("SIGTERM").length > 1) return;
      process.off("SIGTERM", end);
      setTimeout(() => process.kill(process.pid, "SIGTERM"), 100);
    })`;
    for (const [name, code, end] of [
      ["once", once, [5, null]],
      ["only", only, [null, "SIGTERM"]],
    ] as const) {
      const words = ["node", "-e", `${code}; setInterval(() => {}, 1000); console.log("ready")`];
      const { status, signal } = await record(name, ["--cpu-prof", "--", ...words], { onOutput });
      expect([name, status, signal]).toEqual([name, ...end]);
      expect(profilesOf(name)).toHaveLength(1);
    }
  });

  it("are removed with --discard", async () => {
    const { stderr, status } = await record("gone", [
      "--cpu-prof",
      "--discard",
      "--",
      "node",
      "end.cjs",
      "0",
    ]);
    expect([status, existsSync(join(folder, "gone"))]).toEqual([0, false]);
    expect(stderr).toContain("ticks: removed the logs, as --discard asks");
  });
});

describe("a command line", () => {
  it.each([
    [["record", "--pid", "abc"], "--pid abc: expected a whole number"],
    [["record", "--pid", "99999999"], "--pid 99999999: there is no such process"],
    [["record", "--pid", "1", "--", "node"], "--pid profiles a program that runs, and starts no command"],
    [["record", "--pid", "1", "--deopts"], "--deopts does not go with --pid: V8 logs it only from the start"],
    [["record", "--pid", "1", "--port", "1"], "--port does not go with --pid: each names a program"],
    [["record", "--pid", "1", "--duration", "9h"], "more than 5000000 samples of each thread"],
    [["record", "--port", "here"], "--port here: expected PORT or HOST:PORT, such as 127.0.0.1:9229"],
    [
      ["record", "--cpu-prof", "--ics", "--", "node"],
      "--ics does not go with --cpu-prof: only a log has them",
    ],
    [["record"], "no command to run"],
    [["record", "--interval", "1", "--", "node"], "--interval 1: expected 20 to 1000000 microseconds"],
    [
      ["record", "--duration", "soon", "--", "node"],
      "--duration soon: expected a time such as 10s, 500ms or 2min",
    ],
    [["record", "--max-size", "big", "--", "node"], "--max-size big: expected a size such as 500MB or 2GB"],
    [["record", "--until", "(", "--", "node"], "--until: invalid regular expression"],
    [["record", "--label", "env", "--", "node"], "--label env: expected KEY=VALUE"],
    [["record", "-o", "bin", "--", "node"], "--output bin: the folder is not empty"],
  ])("%j is refused, and makes no folder", async (args, message) => {
    const before = readdirSync(folder);
    const { stderr, stdout, status } = await ticks(args);
    expect([stdout, status, readdirSync(folder)]).toEqual(["", 2, before]);
    expect(stderr.split("\n")[0]).toContain(`ticks: ${message}`);
  });

  it("needs no -- before the command, whose options are its own, and may name an empty folder", async () => {
    mkdirSync(join(folder, "undashed"));
    const args = ["record", "-o", "undashed", "--interval", "1ms", "node", "-p", "process.argv.length"];
    const { stdout, status } = await ticks(args);
    expect([stdout, status]).toEqual(["1\n", 0]);
    expect(recordedIn("undashed")).toMatchObject({ interval: 1000, command: args.slice(5) });
    expect(logsOf("undashed")).toHaveLength(1);
  });
});
