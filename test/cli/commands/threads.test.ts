import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid, expectValidReport } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

/** A log with so many ticks in one function, of a main isolate, a worker, or nobody knows. */
function log(name: string, ticks: number, start?: "run_main_module" | "worker_thread"): Buffer {
  const bootstrap = `code-creation,Eval,10,1,0x9000,5, node:internal/main/${start}:1:1,0xf9,~`;
  return logOf(
    ...NODE_26,
    ...(start === undefined ? [] : [bootstrap]),
    `code-creation,JS,10,1,0x1000,256,${name} /srv/x.js:1:1,0xf1,*`,
    ...Array.from({ length: ticks }, (_, i) => `tick,0x1001,${1000 * i},0,0x0,${i === 0 ? 1 : 0}`),
  );
}

const folder = testFolder();
beforeAll(() => {
  mkdirSync(join(folder, "logs"));
  // By name the worker comes first.
  write("logs/isolate-0x10-7-v8.log", log("inWorker", 3, "worker_thread"));
  write("logs/isolate-0x20-7-v8.log.gz", gzipSync(log("inMain", 2, "run_main_module")));
  write("logs/isolate-0x30-9-v8-9.log", log("inChild", 4, "run_main_module"));
});

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const run = (...args: readonly string[]) => warmTicks(args, { cwd: folder });
const namesIn = (stdout: string) =>
  JSON.parse(stdout).threads.map(({ name, ticks }: { name: string; ticks: number }) => `${name}: ${ticks}`);
const pick = async (which: string, ...others: readonly string[]) =>
  namesIn((await run("threads", "--format=json", "--thread", which, ...others, "logs")).stdout);

describe("a folder of logs", () => {
  it("is one report, with its threads in the JSON", async () => {
    const text = await run("process", "logs");
    expect(text.stdout.split("\n")[0]).toBe(
      "Statistical profiling result from logs (3 logs), (9 ticks, 0 unaccounted, 0 excluded).",
    );
    expect([text.stderr, text.status]).toEqual(["", 0]);
    const named = await run("process", ...readdirSync(join(folder, "logs")).map((name) => `logs/${name}`));
    expect(text.stdout.split("\n").slice(1)).toEqual(named.stdout.split("\n").slice(1));
    const document = JSON.parse((await run("process", "--format=json", "logs")).stdout);
    expectValidReport(document);
    expect(document.logs).toEqual([
      "logs/isolate-0x20-7-v8.log.gz",
      "logs/isolate-0x10-7-v8.log",
      "logs/isolate-0x30-9-v8-9.log",
    ]);
    expect(document.threads).toMatchObject([
      { name: "pid 7 main", kind: "main", pid: 7, isolate: "0x20", ticks: 2 },
      { name: "pid 7 worker 0x10", kind: "worker", pid: 7, isolate: "0x10", ticks: 3 },
      { name: "pid 9 main", kind: "main", pid: 9, isolate: "0x30", ticks: 4 },
    ]);
  });

  it("is taken by every command, alone or beside others", async () => {
    expect((await run("threads", "logs")).stdout).toMatch(/^logs \(3 logs\), Node 26: 3 threads, 9 ticks\n/);
    expect((await run("doctor", "logs")).stdout).toMatch(/^logs \(3 logs\), Node 26: 9 ticks\n/);
    const twice = await run("threads", "logs", "logs/isolate-0x30-9-v8-9.log");
    expect(twice.stdout).toMatch(/^logs \(3 logs\), Node 26: 3 threads, 9 ticks\n/);
    expect(twice.stderr).toBe("ticks: logs/isolate-0x30-9-v8-9.log is given twice: it counts once\n");
    expect((await run("export", "--format=collapsed", "logs")).stdout).toMatch(/ 4\n/);
  });

  it("counts by thread what a filter leaves", async () => {
    const { stdout } = await run("threads", "--format=json", "--focus=inWorker|inMain", "--state=js", "logs");
    const document = JSON.parse(stdout);
    expectValid("threads", document);
    expect(namesIn(stdout)).toEqual(["pid 7 main: 1", "pid 7 worker 0x10: 2", "pid 9 main: 0"]);
    expect([document.ticks, document.excludedTicks]).toEqual([3, 6]);
    expect(document.threads.map(({ excludedTicks }: { excludedTicks: number }) => excludedTicks)).toEqual([
      1, 1, 4,
    ]);
  });

  it("without logs says what it looked for", async () => {
    mkdirSync(join(folder, "empty"));
    write("empty/notes.txt", "");
    expect(await run("threads", "logs", "empty")).toMatchObject({
      stdout: "",
      status: 2,
      stderr: expect.stringMatching(/^ticks: empty: no isolate\*\.log or v8\*\.log in this folder\n/),
    });
  });

  it("with logs that cannot be read is the others, and --strict says so", async () => {
    mkdirSync(join(folder, "mixed"));
    write("mixed/isolate-0x1-5-v8.log", log("f", 2, "run_main_module"));
    write("mixed/isolate-0x2-5-v8.log", "");
    write("mixed/isolate-0x3\x1b[31m-5-v8.log", "{}");
    const { stdout, stderr, status } = await run("process", "mixed");
    expect(stdout).toMatch(/^Statistical profiling result from mixed \(1 of 3 logs\), \(2 ticks/);
    expect(stderr.trimEnd().split("\n")).toEqual([
      "ticks: skipped: mixed/isolate-0x2-5-v8.log is empty",
      "ticks: skipped: mixed/isolate-0x3\\x1b[31m-5-v8.log is JSON, not a V8 log",
    ]);
    expect(status).toBe(0);
    expect((await run("process", "--strict", "mixed")).status).toBe(1);
    expect(await run("process", "mixed", "mixed/isolate-0x2-5-v8.log")).toMatchObject({
      stdout: "",
      status: 2,
    });
    mkdirSync(join(folder, "broken"));
    for (let i = 0; i < 7; i++) write(`broken/isolate-0x${i}-v8.log`, "");
    const none = await run("process", "broken");
    expect([none.stdout, none.status]).toEqual(["", 2]);
    expect(none.stderr).toMatch(
      /isolate-0x4-v8\.log is empty\nticks: skipped: 2 more unreadable logs\nticks: cannot read any of the 7 logs\n$/,
    );
  });

  it("has the faults of its logs told, of one kind three times and then counted", async () => {
    mkdirSync(join(folder, "faulty"));
    for (let i = 0; i < 5; i++)
      write(`faulty/isolate-0x${i}-v8.log`, Buffer.concat([log("f", 1), Buffer.from("\n")]));
    const { stderr } = await run("process", "faulty");
    expect(stderr.trimEnd().split("\n")).toEqual([
      ...[0, 1, 2].map((i) => `ticks: faulty/isolate-0x${i}-v8.log:5: empty lines`),
      "ticks: 2 more logs: empty lines",
    ]);
  });

  it("can have the symbols of each log saved, but not in one file, nor dumped as one", async () => {
    mkdirSync(join(folder, "saved"));
    for (const i of [1, 2]) write(`saved/isolate-0x${i}-v8.log`, log("f", 1));
    expect(await run("symbols", "-o", "x", "saved")).toMatchObject({ status: 2 });
    expect((await run("symbols", "saved")).status).toBe(0);
    expect(readdirSync(join(folder, "saved")).filter((name) => name.endsWith(".symbols"))).toHaveLength(2);
    expect(await run("process", "--preprocess", "saved")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--preprocess takes one log"),
    });
  });

  it("is offered where it is the current one and has several logs", async () => {
    const { stderr, status } = await warmTicks([], { cwd: join(folder, "logs") });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /several runs have logs here[\s\S]*\nThe newest: ticks isolate-.*; all together: ticks \.\n$/,
    );
  });
});

describe("--thread", () => {
  it("picks by PID, isolate, name or part of it, kind, and place in the list", async () => {
    const [main, worker, child] = ["pid 7 main: 2", "pid 7 worker 0x10: 3", "pid 9 main: 4"];
    expect(await pick("7")).toEqual([main, worker]);
    expect(await pick("0x30")).toEqual([child]);
    expect(await pick("0000000000000010")).toEqual([worker]);
    expect(await pick("PID 7 worker 0x10")).toEqual([worker]);
    expect(await pick("pid 7 worker")).toEqual([worker]);
    expect(await pick("pid 7")).toEqual([main, worker]);
    expect(await pick("main")).toEqual([main, child]);
    expect(await pick("worker")).toEqual([worker]);
    expect(await pick("2")).toEqual([worker]);
    expect(await pick("3, 0x20")).toEqual([main, child]);
    expect(await pick("9", "--thread", "worker")).toEqual([worker, child]);
  });

  it("makes what the logs of those threads alone would make", async () => {
    const body = ({ stdout }: { stdout: string }) => stdout.split("\n").slice(1);
    const picked = await run("process", "--thread=main", "logs");
    const alone = await run("process", "logs/isolate-0x20-7-v8.log.gz", "logs/isolate-0x30-9-v8-9.log");
    expect(body(picked)).toEqual(body(alone));
    expect(picked.stdout.split("\n")[0]).toBe(
      "Statistical profiling result from logs (2 of 3 logs), (6 ticks, 0 unaccounted, 0 excluded).",
    );
    expect((await run("doctor", "--thread=9", "logs")).stdout).toMatch(
      /^logs \(1 of 3 logs\), Node 26: 4 ticks\n/,
    );
  });

  it("leaves logs unread whose names say that they are of other threads", async () => {
    mkdirSync(join(folder, "unread"));
    write("unread/isolate-0x1-5-v8.log", log("f", 2));
    write("unread/isolate-0x2-6-v8.log", "");
    expect(await run("threads", "--thread=5", "unread")).toMatchObject({ stderr: "", status: 0 });
    expect((await run("threads", "--thread=1", "unread")).stderr).toContain("0x2-6-v8.log is empty");
  });

  it("lists the threads there are where it means none", async () => {
    const { stdout, stderr, status } = await run("threads", "--thread", "7,0x99", "logs");
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr.split("\n").slice(0, 5)).toEqual([
      "ticks: --thread 0x99: no such thread; the threads are:",
      "  #  thread             ticks",
      "  1  pid 7 main             2",
      "  2  pid 7 worker 0x10      3",
      "  3  pid 9 main             4",
    ]);
    expect(await run("threads", "--thread", "12", "logs")).toMatchObject({ status: 2 });
    expect(await run("threads", "--thread", ",", "logs")).toMatchObject({
      status: 2,
      stderr: "ticks: --thread: no thread given\n",
    });
  });
});
