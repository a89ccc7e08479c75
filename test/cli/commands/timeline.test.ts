import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const CODE = "code-creation,JS,10,1,0x1000,256,\x1b[31mf /srv/a.js:1:10,0xf1,~";
const ticksOf = (from: number, count: number, state = 0) =>
  Array.from({ length: count }, (_, i) => `tick,0x1001,${(from + i) * 1000},0,0x0,${state}`);

describe("ticks timeline", () => {
  const folder = testFolder();
  beforeAll(() => {
    const rows = [...ticksOf(0, 200), ...ticksOf(200, 20, 1), ...ticksOf(420, 100)];
    writeFileSync(join(folder, "v8.log"), logOf(...NODE_26, CODE, ...rows));
    writeFileSync(join(folder, "short.log"), logOf(...NODE_26, CODE, ...ticksOf(0, 3)));
    writeFileSync(join(folder, "old.log"), logOf(CODE, "tick,0x1001,0x7f,0x0,0", "tick,0x1001,0x7f,0x0,0"));
    writeFileSync(join(folder, "empty.log"), logOf(...NODE_26, CODE));
  });
  const run = (...args: string[]) => warmTicks(["timeline", ...args], { cwd: folder });

  it("prints a row a state, gaps, and spikes with their functions", async () => {
    const { stdout, stderr, status } = await run("v8.log");
    expect(stdout.split("\n")).toEqual([
      "v8.log, Node 26: 320 ticks",
      "",
      "a column is 10 ms; a full block is 10 ticks",
      "ms        0         100       200       300       400       500",
      "JS        ████████████████████                      ██████████       300   93.8%",
      "GC                            ██                                      20    6.3%",
      "gaps                           ▁████████████████████              201 ms",
      "",
      "200-220 ms: GC, 20 of 20 ticks",
      "        20  \\x1b[31mf  a.js:1",
      "",
      "turns of the event loop, longest first",
      "   start    length      ±    GC  callback",
      "    0 ms  ≤ 220 ms  +2 ms  9.1%  \\x1b[31mf  a.js:1",
      "       220 of 220 ticks in \\x1b[31mf a.js:1",
      "419.5 ms  ≤ 100 ms  +3 ms        \\x1b[31mf  a.js:1",
      "       100 of 100 ticks in \\x1b[31mf a.js:1",
      "",
      " turns   time  longer than",
      "0 to 2  61.6%  10 ms",
      "0 to 2  61.6%  50 ms",
      "0 to 1  42.3%  100 ms",
      "",
      "gaps, without ticks: the thread slept, or had no CPU",
      "spike: columns with at least 25 % GC, parsing or compiling, 2 times the usual,",
      "or 2 times the mean ticks, plus neighbours with 1.5 times; at least 10 ticks",
      "turn: ticks in a row in one callback, which Node's event loop called",
      "≤: at most so long; it may be several calls, with no tick between them",
      "+: so much longer if it had no CPU where it has no tick",
      "0 to 2 turns: those marked ≤ may be one or several",
      "",
      " [Next]:",
      "  # the functions of the longest turn",
      "  ticks top v8.log --from 0 --to 220",
      "",
    ]);
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("cuts the time into as many slices as asked, and fits the width", async () => {
    const { stdout } = await run("v8.log", "--slices", "4");
    expect(stdout).toContain("\nJS        █▅ ▇       300   93.8%\n");
    for (const line of (await run("v8.log", "short.log")).stdout.split("\n")) {
      expect(line.length).toBeLessThanOrEqual(80);
    }
    for (const bad of ["0", "x", "100001"]) expect((await run("v8.log", "--slices", bad)).status).toBe(2);
  });

  it("lists turns from a length on", async () => {
    const { stdout } = await run("v8.log", "--turns", "150");
    expect(stdout).toContain("≤ 220 ms");
    expect(stdout).not.toContain("≤ 100 ms");
    expect((await run("v8.log", "--turns", "1s")).stdout).not.toContain("turn");
    expect((await run("v8.log", "-n", "1")).stdout).not.toContain("≤ 100 ms");
    expect((await run("v8.log", "--turns", "x")).status).toBe(2);
  });

  it("has a block of rows for each thread", async () => {
    const { stdout } = await run("short.log", "v8.log");
    expect(stdout).toMatch(
      /^short\.log, v8\.log, Node 26: 323 ticks\n\nthreads at work, .*\n(?:.*\n)*\nthread 1: short\.log\na column is .*\n(?:.*\n)*\nthread 2: v8\.log\na column/,
    );
  });

  it("shows what filters and ranges leave", async () => {
    const filtered = await run("v8.log", "--state", "gc");
    expect(filtered.stdout).toContain("v8.log, Node 26: 20 of 320 ticks\n");
    expect(filtered.stdout).toContain(
      "empty columns: ticks were filtered out, or the thread slept or had no CPU\n",
    );
    expect(filtered.stdout).not.toContain("JS");
    expect((await run("v8.log", "--from", "420")).stdout).toContain("v8.log, Node 26: 100 ticks\n");
  });

  it("says in the words of other reports that samples came late", async () => {
    const rows = Array.from({ length: 200 }, (_, i) => `tick,0x1001,${i * 2500},0,0x0,0,0x1001`);
    writeFileSync(join(folder, "slow.log"), logOf(...NODE_26, "profiler,begin,1000", CODE, ...rows));
    const said =
      "Samples came every 2.50 ms instead of every 1.00 ms: the machine was busy. Percentages are still valid, but there are fewer ticks.";
    expect((await run("slow.log")).stdout).toContain(`\n${said}\n`);
    const { warnings } = JSON.parse((await run("slow.log", "--format", "json")).stdout);
    expect(warnings).toContainEqual(expect.objectContaining({ kind: "slow-sampling", intervalUs: 2500 }));
  });

  it("takes logs without ticks or times", async () => {
    for (const log of ["empty.log", "old.log"])
      expectValid("timeline", JSON.parse((await run(log, "--format", "json")).stdout));
    expect((await run("empty.log")).stdout).toBe("empty.log, Node 26: 0 ticks\n");
    expect((await run("old.log")).stdout).toContain(
      "This log has no times: ticks count as 1.00 ms apart, as asked for.",
    );
  });
});
