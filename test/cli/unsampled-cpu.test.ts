import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { expectValid } from "../helpers/schema.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-cpu-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = async (...args: string[]) => (await warmTicks(args, { cwd: folder })).stdout;

const IDLE = 8;
/** A log of one second with a tick every millisecond: half of them waited. */
function threadLog(name: string): Buffer {
  const tick = (i: number) => (i < 500 ? `0x10001,${i * 1000},0,0x0,0` : `0x0,${i * 1000},0,0x0,${IDLE}`);
  return logOf(
    ...NODE_26,
    `code-creation,JS,10,100,0x10000,256,${name} /srv/app.js:1:1,0x1,*`,
    ...Array.from({ length: 1000 }, (_, i) => `tick,${tick(i)}`),
  );
}

/** A recording of one process with two threads, which took this CPU time, in milliseconds, and told that of its threads. */
function recording(name: string, cpu: number | undefined, threadCpu: readonly number[] = []): string {
  mkdirSync(join(folder, name));
  const write = (file: string, text: string | Buffer) => writeFileSync(join(folder, name, file), text);
  write("isolate-0x1-7-t1000000000000-v8-7.log", threadLog("one"));
  write("isolate-0x2-7-t1000000000001-v8-7.log", threadLog("two"));
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
  const told = "10.5 s of CPU, 1.0 s of it in JavaScript threads";

  it("is told where it is much, and not otherwise", async () => {
    expect(await run("top", pool)).toContain(
      `\n${told}, which this page is of; the rest is the thread pool (crypto, zlib, fs, dns), GC and compiler threads.\n`,
    );
    expect(await run("top", "--format", "md", pool)).toContain(told);
    for (const name of [sampled, unknown]) expect(await run("top", name)).not.toContain("of CPU");
  });

  it("goes by what the threads that run JavaScript took, if all told it", async () => {
    expect(await run("top", recording("told", 10_500, [300, 400]))).toContain(
      "\n10.5 s of CPU, 0.7 s of it in JavaScript threads",
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

  it("is told of both sides of a comparison, if it is known of both", async () => {
    expect((await run("diff", sampled, pool)).split("\n")).toContain(
      "All threads together take 1.2 s → 10.5 s of CPU a run: V8 samples only those of JavaScript; the rest is the thread pool (crypto, zlib, fs, dns), GC and compiler threads.",
    );
    expect(await run("diff", sampled, unknown)).not.toContain("All threads");
  });
});
