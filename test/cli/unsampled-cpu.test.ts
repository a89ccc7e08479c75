import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { expectValid } from "../helpers/schema.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const run = async (...args: string[]) => (await warmTicks(args, { cwd: folder })).stdout;

const IDLE = 8;
/** A log of a second or two with a tick every millisecond: all but the first so many waited. */
function threadLog(name: string, ticks: number): Buffer {
  const tick = (i: number) => (i < ticks ? `0x10001,${i * 1000},0,0x0,0` : `0x0,${i * 1000},0,0x0,${IDLE}`);
  return logOf(
    ...NODE_26,
    `code-creation,JS,10,100,0x10000,256,${name} /srv/app.js:1:1,0x1,*`,
    ...Array.from({ length: 2 * Math.max(ticks, 500) }, (_, i) => `tick,${tick(i)}`),
  );
}

/**
 * A recording of one process with two threads of so many ticks, which took this CPU time, in milliseconds, and told that of its
 * threads.
 */
function recording(
  name: string,
  cpu: number | undefined,
  threadCpu: readonly number[] = [],
  ticks = 500,
): string {
  mkdirSync(join(folder, name));
  const write = (file: string, text: string | Buffer) => writeFileSync(join(folder, name, file), text);
  write("isolate-0x1-7-t1000000000000-v8-7.log", threadLog("one", ticks));
  write("isolate-0x2-7-t1000000000001-v8-7.log", threadLog("two", ticks));
  write(
    "record.json",
    JSON.stringify({ recorded: { command: ["node"], processes: [{ pid: 7, cpu, threadCpu }] } }),
  );
  return name;
}

describe("CPU time that V8 does not sample", () => {
  const pool = recording("pool", 10_500);
  const sampled = recording("sampled", 1_200);
  const unknown = recording("unknown", undefined);
  const told = "This page is of the JavaScript threads: 1.0 of 10.5 s of CPU.";

  it("is told where it is much, and not otherwise", async () => {
    expect(await run("top", pool)).toContain(
      `\n  ${told} The rest is the thread pool (crypto, zlib, fs, dns), GC and compiler threads.\n`,
    );
    expect(await run("top", "--format", "md", pool)).toContain(told);
    for (const name of [sampled, unknown]) expect(await run("top", name)).not.toContain("of CPU");
  });

  it("goes by what the threads that run JavaScript took, if all told it", async () => {
    expect(await run("top", recording("told", 10_500, [300, 400]))).toContain(
      "\n  This page is of the JavaScript threads: 0.7 of 10.5 s of CPU.",
    );
    expect(await run("top", recording("one-told", 10_500, [300]))).toContain(told);
  });

  it("is not told of a part of the ticks", async () => {
    for (const args of [["--thread", "main"], ["--to", "500"], ["--idle"]])
      expect(await run("top", pool, ...args)).not.toContain("of CPU");
    expect(await run("top", join(pool, "isolate-0x1-7-t1000000000000-v8-7.log"))).not.toContain("of CPU");
  });

  it("is in JSON", async () => {
    const top = JSON.parse(await run("top", "--format", "json", pool));
    expectValid("top", top);
    expect(top.sampling.cpuUs).toBe(10_500_000);
    expect(top.warnings).toContainEqual({ kind: "unsampled-cpu", cpuUs: 10_500_000, sampledUs: 1_000_000 });
    const diff = JSON.parse(await run("diff", "--json", sampled, pool));
    expectValid("diff", diff);
    expect([diff.before.runs[0].cpuUs, diff.after.runs[0].cpuUs]).toEqual([1_200_000, 10_500_000]);
    expect(JSON.parse(await run("top", "--format", "json", unknown)).sampling.cpuUs).toBeNull();
  });

  it("is the first sentence of a comparison, if it is known of both sides", async () => {
    const rest =
      "those of JavaScript; the rest is the thread pool (crypto, zlib, fs, dns), GC and compiler threads.";
    expect((await run("diff", sampled, pool)).split("\n").slice(4, 6)).toEqual([
      "The run after took 8.8 times the CPU: 1.2 → 10.5 s; of it on JavaScript threads 1000 → 1000 ticks (1.00 → 1.00 s).",
      `Of all threads, V8 samples only ${rest}`,
    ]);
    expect(await run("diff", sampled, unknown)).toContain(
      "\nA run takes about as much CPU on its JavaScript threads as before: 1000 → 1000 ticks (1.00 → 1.00 s).\n",
    );
    expect(await run("diff", "--per", "10,20", sampled, pool)).toContain(
      "\nA unit of work took 4.4 times the CPU: 120 → 525 ms; of it on JavaScript threads 100 → 50 ms.\n",
    );
    const focused = await run("diff", "--focus", "one", sampled, pool);
    expect(focused).toContain("\nWhat the filters keep of a run takes about as much CPU on its JavaScript");
    expect(focused).toContain(
      `\nAll threads together take 1.2 → 10.5 s of CPU a run: V8 samples only ${rest}\n`,
    );
  });

  it("that moved from JavaScript to the thread pool is no saving", async () => {
    const runs = (side: string, times: readonly number[], ticks: number) =>
      times.map((cpu, i) => recording(`${side}-${i}`, cpu, [], ticks));
    const before = runs("sync", [2_100, 2_120, 2_080], 1000);
    const moved = runs("moved", [2_110, 2_090, 2_130], 100);
    const faster = runs("faster", [210, 205, 212], 100);
    const told =
      "\nA run takes about as much CPU as before: 2.10 → 2.11 s, 95 %: -0.04 to +0.06; of it on JavaScript threads 2000 → 200 ticks (2.00 → 0.20 s).\n";
    expect(await run("diff", ...before, "--", ...moved)).toContain(told);
    // The functions took less of JavaScript's threads: that is a verdict, and the first sentence stands out.
    expect(await run("diff", "--md", ...before, "--", ...moved)).toContain(`\n**${told.trim()}**\n`);
    const saving = "A run takes 90 % less CPU: 2.10 → 0.21 s; of it on JavaScript threads 2000 → 200 ticks";
    expect(await run("diff", ...before, "--", ...faster)).toContain(`\n${saving} (2.00 → 0.20 s).\n`);
    const diff = JSON.parse(await run("diff", "--json", ...before, "--", ...moved));
    expectValid("diff", diff);
    expect(diff.summary[0]).toBe(told.trim());
    expect(diff.perRun.cpu).toMatchObject({ before: 2100, after: 2110, isSure: false });
    expect(diff.perRun.isSure).toBe(true);
    const one = JSON.parse(await run("diff", "--json", before[0]!, unknown));
    expectValid("diff", one);
    expect(one.perRun.cpu).toBeNull();
  });
});
