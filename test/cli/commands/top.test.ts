import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const folder = testFolder();
beforeAll(() => {
  const rows = [
    "code-creation,LazyCompile,10,1,0x1000,16,main /srv/main.js:1:1,0x10,*",
    "code-creation,LazyCompile,10,1,0x2000,16,get it /srv/node_modules/pg/query.js:2:1,0x20,~",
    "tick,0x1001,1000,0,0x0,0",
    "tick,0x2001,2000,0,0x0,0,0x1002",
    "tick,0x2001,3000,0,0x0,1,0x1002",
    "tick,0x2001,4000,0,0x0,0",
  ];
  writeFileSync(join(folder, "a b.log"), logOf(...NODE_26, ...rows));
  writeFileSync(
    join(folder, "idle.log"),
    logOf(...NODE_26, "tick,0x9,1000,0,0x0,8", "tick,0x9,2000,0,0x0,8"),
  );
  writeFileSync(join(folder, "none.log"), logOf(...NODE_26));
});

const run = (...args: string[]) => warmTicks(["top", ...args], { cwd: folder });

describe("ticks top", () => {
  it("prints the page, and what to type next", async () => {
    const { stdout, stderr, status } = await run("a b.log");
    expect([stderr, status]).toEqual(["", 0]);
    expect(stdout).toMatch(/^a b\.log, Node 26: 4 ticks\n/);
    expect(stdout).toMatch(/^ +3 +75\.0% {2}±\d+ +~3 +get it {2}pg\/query\.js:2$/m);
    expect(stdout).toMatch(
      /\n \[Next\]:\n {2}# callers.* of get it\n {2}ticks function 'a b\.log' 'get it'\n/,
    );
  });

  it("says which callback held the event loop, whatever is filtered out", async () => {
    const rows = Array.from({ length: 5 }, (_, i) => [
      `tick,0x9001,${i * 700_000},0,0x0,8`,
      ...Array.from({ length: 80 }, (_, at) => `tick,0x1001,${i * 700_000 + (at + 1) * 1000},0,0x0,0,0x2001`),
      `tick,0x9001,${i * 700_000 + 200_000},0,0x0,8`,
    ]);
    const log = logOf(
      ...[...NODE_26, "code-creation,JS,10,1,0x1000,256,sweep /srv/cache.js:7:15,0xf1,~"],
      "code-creation,JS,10,1,0x2000,256,listOnTimeout node:internal/timers:5:1,0xf2,~",
      ...rows.flat(),
    );
    writeFileSync(join(folder, "turns.log"), log);
    for (const filter of [[], ["--focus", "sweep"]])
      expect((await run("turns.log", ...filter)).stdout).toContain(
        "The event loop was held longest by sweep cache.js:7: 5 turns over 50 ms, the longest 80.5 ms ±1.5 ms, every 700 ms, 5 times. " +
          "That was at 0 ms: 80 of 80 ticks in sweep cache.js:7; ticks timeline lists all.\n",
      );
    const document = JSON.parse((await run("turns.log", "--format", "json")).stdout);
    expect(document.holder).toMatchObject({
      turns: 5,
      sure: 5,
      longest: { lengthUs: 80_500, leastUs: 79_000 },
    });
    expectValid("top", document);
    // When it comes again is the question.
    expect(document.nextSteps[0].command).toBe("ticks timeline turns.log");
    expect((await run("a b.log")).stdout).not.toContain("event loop");
    // Nothing waits for the loop while the code of a module runs.
    for (const name of [" /srv/cache.js:1:1", " /srv/cache.js:1:11"]) {
      writeFileSync(join(folder, "start.log"), String(log).replace("sweep /srv/cache.js:7:15", name));
      expect((await run("start.log")).stdout).not.toContain("event loop");
    }
    writeFileSync(join(folder, "start.log"), String(log).replace(":7:15", ":1:11"));
    expect((await run("start.log")).stdout).toContain("The event loop was held longest by sweep");
  });

  it("is filtered as every command is", async () => {
    const { stdout } = await run("--only", "app", "--state", "js", "a b.log");
    expect(stdout).toMatch(/^a b\.log, Node 26: 2 of 4 ticks\n/);
    expect(stdout).toMatch(/^ +2 +100\.0% {2}±66 +\*2 +main {2}main\.js:1$/m);
    expect((await run("--from", "1.5", "--to", "3", "a b.log")).stdout).toMatch(
      /^a b\.log, Node 26: 2 ticks\n/,
    );
    expect((await run("--focus", "nothing", "a b.log")).stdout).toContain("No ticks pass the filters.");
  });

  it("takes several logs", async () => {
    copyFileSync(join(folder, "a b.log"), join(folder, "c.log"));
    const { stdout } = await run("a b.log", "c.log");
    expect(stdout).toMatch(
      /^a b\.log, c\.log, Node 26: 8 ticks\n2 threads, 3\.00 ms from first to last, 6\.00 ms of thread-time, /,
    );
  });

  it("says which thread ran how much, as soon as there are two", async () => {
    const main = "isolate-0x10-7-v8.log";
    const other = "isolate-0x20-8-v8.log";
    copyFileSync(join(folder, "a b.log"), join(folder, other));
    const code = "code-creation,LazyCompile,10,1,0x1000,16,boot|er /srv/main.js:1:1,0x10,*";
    writeFileSync(join(folder, main), logOf(...NODE_26, code, "tick,0x1001,1000,0,0x0,0"));
    const { stdout } = await run(main, other);
    expect(stdout).toContain(
      ` [Threads]:
  ticks  share  #  thread      hottest function
      4  80.0%  2  pid 8 0x20  75.0% get it query.js:2
      1  20.0%  1  pid 7 0x10  100.0% boot|er main.js:1
`,
    );
    expect((await run("-n", "1", main, other)).stdout).toContain("… 1 tick in 1 more thread\n");
    expect((await run("--thread", "2", main, other)).stdout).not.toContain("[Threads]");
    expect((await run("--md", main, other)).stdout).toContain(
      "| 1 | 20.0% | 1 | `pid 7 0x10` | `100.0% boot\\|er main.js:1` |",
    );
  });

  it("has an answer for logs that idle, and for those without ticks", async () => {
    const idle = await run("idle.log");
    expect(idle.stdout).toContain("All 2 ticks waited (idle): --idle counts them.\nNothing else ran");
    expect((await run("--idle", "idle.log")).stdout).toMatch(/^ +2 +100\.0% {2}±66 {2}idle$/m);
    expect(idle.stdout).not.toContain("NaN");
    expect(idle.status).toBe(0);
    const none = await run("none.log");
    expect(none).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No samples. Run longer, or under load."),
    });
  });

  it("prints JSON and Markdown, with as many rows as asked for", async () => {
    const { stdout } = await run("--format", "json", "-n", "1", "a b.log");
    expect(JSON.parse(stdout)).toMatchObject({
      command: "top",
      ticks: 4,
      packages: [{ name: "pg", self: 3 }],
    });
    expect(JSON.parse(stdout).packages).toHaveLength(1);
    expect((await run("--format", "md", "a b.log")).stdout).toMatch(/^# `a b\.log, Node 26`: 4 ticks\n\n/);
    expect(await run("-n", "0", "a b.log")).toMatchObject({ stdout: "", status: 2 });
  });

  it("is without escape sequences in a pipe, and with them where they are asked for", async () => {
    expect((await run("a b.log")).stdout).not.toContain("\x1b");
    expect((await run("--color", "always", "a b.log")).stdout).toContain("\x1b[1ma b.log");
  });
});
