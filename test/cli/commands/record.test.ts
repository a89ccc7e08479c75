import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
  it.each<[string, string[], string[]]>([
    ["CPU profiles", ["--cpu-prof"], ["top", "page"]],
    ["heap profiles", ["--allocations"], ["top", "page"]],
    ["runs", ["--cpu-prof", "--runs", "2"], ["top", "page"]],
    ["runs that are added", ["--cpu-prof", "--add"], ["top", "page"]],
    [
      "two sides",
      ["--cpu-prof", "--runs", "1", "--against", "first"],
      ["diff", "page/before", "--", "page/after"],
    ],
  ])("is that of the command, of %s", async (_, options, command) => {
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
    mkdirSync(join(folder, "old-code"));
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
  it("are recorded of all processes and workers, garbage too", async () => {
    const options = ["--allocations", "--sampling-interval", "16384"];
    const { stderr, status } = await record("allocated", [...options, "--", "node", "allocate.cjs", "20000"]);
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

  it("of several processes that ran too short to tell are counted together", async () => {
    const { stderr } = await record("short", ["--allocations", "--", "node", "allocate.cjs", "20"]);
    expect(stderr).toMatch(/^2 processes of node allocate\.cjs 20, .* allocated, in \d+ samples$/m);
  });

  it.each([
    [["--allocations", "--deopts"], "--deopts does not go with --allocations: only a log has them"],
    [["--allocations", "--startup"], "--startup does not go with --allocations: only a log has it"],
    [["--allocations", "--interval", "100"], "--interval is the time between two ticks, and --allocations"],
    [["--allocations", "--prof", "--cpu-prof"], "cannot be used with option '--cpu-prof"],
    [["--sampling-interval", "1kb"], "--sampling-interval is the bytes between two samples of allocations"],
  ])("refuse what has no sense: %j", async (options, reason) => {
    const { status, stderr } = await record("refused", [...options, "--", "node", "allocate.cjs"]);
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
