import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { CASES, exported, FIXTURES, FOLDERS, OUT, ticksOf } from "./fixture.ts";
import { newNodePeer, npmPeer } from "./peer.ts";

/** The command line of the Firefox Profiler: its own reader and analysis, in a process that keeps a profile open. */
const { folder } = npmPeer("@firefox-devtools/profiler-cli@0.10.0");
const CLI = join(folder, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
const node = newNodePeer();
/** Nothing is asked of symbol servers; what is kept of a session is in a folder of the test. */
const env = { ...process.env, PROFILER_CLI_SESSION_DIR: join(OUT, "s"), PROFILER_CLI_NO_SYMBOLICATE: "1" };

interface ThreadList {
  readonly threads: readonly {
    readonly threadHandle: string;
    readonly name: string;
    readonly markerCount: number;
  }[];
}

interface Samples {
  readonly categoryBreakdown: {
    readonly totalSamples: number;
    readonly categories: readonly { readonly name: string; readonly samples: number }[];
  };
}

interface Functions {
  readonly functions: readonly {
    readonly name: string;
    readonly selfSamples: number;
    readonly totalSamples: number;
  }[];
}

interface Markers {
  readonly byType: readonly { readonly markerName: string; readonly count: number }[];
}

/** Opens a profile. A busy machine can be slower than the command line waits for its other process: that one goes on loading. */
function open(file: string): void {
  const { status, stderr } = spawnSync(node, [CLI, "load", file, "--session", "peer"], {
    env,
    encoding: "utf8",
  });
  if (status === 0) return;
  for (let attempt = 0; attempt < 20; attempt++) {
    if (spawnSync(node, [CLI, "status", "--session", "peer"], { env }).status === 0) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
  throw new Error(stderr);
}

function ask<Answer>(...words: readonly string[]): Answer {
  const options = {
    env,
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
  };
  return JSON.parse(
    execFileSync(node, [CLI, ...words, "--json", "--session", "peer"], options).toString(),
  ) as Answer;
}

function samplesOf(thread: string): Samples["categoryBreakdown"] {
  return ask<Samples>("thread", "samples", "--thread", thread, "--include-idle").categoryBreakdown;
}

function functionsOf(thread: string): Functions["functions"] {
  return ask<Functions>("thread", "functions", "--thread", thread, "--include-idle").functions;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

afterEach(() => {
  spawnSync(node, [CLI, "stop", "peer"], { env });
});

describe("a profile, read by the Firefox Profiler", () => {
  it.each(CASES)("%s: has its ticks, in categories and functions", async (name) => {
    open(await exported(name, "gecko.json"));
    const total = await ticksOf(name);
    const { totalSamples, categories } = samplesOf("t-0");
    expect(totalSamples).toBe(total);
    expect(sum(categories.map(({ samples }) => samples))).toBe(total);
    const functions = functionsOf("t-0");
    expect(sum(functions.map(({ selfSamples }) => selfSamples))).toBe(total);
    const { stdout } = await ticks([
      "process",
      join(FIXTURES, name, "isolate.log.gz"),
      "--format",
      "json",
      "--no-source-maps",
    ]);
    const collected = categories.find((one) => one.name === "GC / CC")?.samples ?? 0;
    expect(collected).toBe(JSON.parse(stdout).states.gc);
  });

  it("agrees with the report on a C++ function", async () => {
    open(await exported("node-26-guide", "gecko.json"));
    const log = join(FIXTURES, "node-26-guide", "isolate.log.gz");
    const { stdout } = await ticks(["process", "--format", "json", log]);
    const report: { label: string; self: number; total: number }[] = JSON.parse(stdout).functions;
    const { self, total } = report.find(({ label }) => label === "sha512_block_data_order_avx2")!;
    expect(functionsOf("t-0")).toContainEqual(
      expect.objectContaining({
        name: "sha512_block_data_order_avx2",
        selfSamples: self,
        totalSamples: total,
      }),
    );
  });

  it.each(FOLDERS)("%s: has a track a thread, with its ticks and markers", async (name) => {
    const file = await exported(name, "gecko.json");
    const written: { name: string; samples: { weight: number[] }; markers: { length: number } }[] =
      JSON.parse(readFileSync(file, "utf8")).threads;
    open(file);
    const { threads } = ask<ThreadList>("thread", "list");
    expect(threads.length).toBeGreaterThan(1);
    expect(sum(threads.map(({ threadHandle }) => samplesOf(threadHandle).totalSamples))).toBe(
      await ticksOf(name),
    );
    const text = (all: readonly { name: string; ticks: number; markers: number }[]) =>
      all.map((one) => `${basename(one.name)}: ${one.ticks} ticks, ${one.markers} markers`).sort();
    expect(
      text(
        threads.map((one) => ({
          name: one.name,
          ticks: samplesOf(one.threadHandle).totalSamples,
          markers: one.markerCount,
        })),
      ),
    ).toEqual(
      text(
        written.map((one) => ({
          name: one.name,
          ticks: sum(one.samples.weight),
          markers: one.markers.length,
        })),
      ),
    );
  });

  it("has deoptimizations as markers", async () => {
    open(await exported("node-12-builtins", "gecko.json"));
    const { byType } = ask<Markers>("thread", "markers");
    expect(byType).toContainEqual(expect.objectContaining({ markerName: "Deoptimization", count: 1 }));
  });

  it("knows when it began and where it is from", async () => {
    const labels = ["--start", "2026-11-22T10:00:00Z", "--label", "service=shade"];
    open(await exported("node-24-garbage", "gecko.json", ...labels));
    const { product, startTimeFormatted, extra } = ask<{
      product: string;
      startTimeFormatted: string;
      extra: { entries: { label: string; value: string }[] }[];
    }>("profile", "meta");
    expect({ product, startTimeFormatted }).toEqual({
      product: "Node.js",
      startTimeFormatted: "2026-11-22T10:00:00.000Z",
    });
    expect(extra.flatMap(({ entries }) => entries)).toContainEqual(
      expect.objectContaining({ label: "service", value: "shade" }),
    );
  });
});
