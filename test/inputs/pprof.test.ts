import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Label, Profile as PprofProfile, StringTable } from "pprof-format";
import { describe, expect, it } from "vitest";
import { checkBudgets } from "../../src/compare/budgets.ts";
import { compareRuns } from "../../src/compare/diff.ts";
import { runSummary } from "../../src/compare/run-summary.ts";
import { selectRun } from "../../src/compare/selections.ts";
import { pprof } from "../../src/exports/pprof.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { isPprof } from "../../src/io/file-kind.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { arrangeLogs, mergeLogs } from "../../src/load/log-files.ts";
import { allSamples, allTicks } from "../../src/profile/sample-table.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { stackLines, timesOf } from "./stacks-of.ts";

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function read(bytes: Uint8Array, options: Partial<AnalyzeOptions> = {}) {
  return analyze(bytesOf(bytes), { name: "a.pb.gz", ...options });
}

async function exported(profile: Parameters<typeof pprof>[0]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of pprof(profile)) parts.push(part);
  return gunzipSync(Buffer.concat(parts));
}

/** A profile as production profilers of Node write it: wall and CPU time beside the number of samples. */
function production(
  types: readonly (readonly [string, string])[],
  rows: readonly (readonly number[])[],
  of: number | { readonly period: number; readonly unit: string } = 10_000_000,
): Uint8Array {
  const { period, unit } = typeof of === "number" ? { period: of, unit: "nanoseconds" } : of;
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  return new PprofProfile({
    sampleType: types.map(([type, unit]) => ({ type: text(type), unit: text(unit) })),
    sample: rows.map((value, i) => ({
      locationId: i === 0 ? [2, 1] : [1],
      value: [...value],
      label: [
        { key: text("thread name"), str: text(i === 0 ? "Main Event Loop" : "Worker #1") },
        { key: text("bytes"), num: i },
      ],
    })),
    location: [
      { id: 1, line: [{ functionId: 1, line: 12 }] },
      { id: 2, line: [{ functionId: 2, line: 44 }] },
    ],
    function: [
      { id: 1, name: text("handle"), filename: text("file:///srv/app.js"), startLine: 10 },
      { id: 2, name: text("parse"), filename: text("file:///srv/json.js"), startLine: 40 },
    ],
    periodType: { type: text("wall"), unit: text(unit) },
    period,
    stringTable: strings,
  }).encode();
}

const TYPES = [
  ["sample", "count"],
  ["wall", "nanoseconds"],
  ["cpu", "nanoseconds"],
] as const;
const ROWS = [
  [6, 60_000_000, 30_000_000],
  [2, 20_000_000, 0],
];

describe("a pprof profile", () => {
  it("of Node has stacks with lines, and a thread for each thread name", async () => {
    const profile = await read(production(TYPES, ROWS), { sampleType: "wall" });
    expect(stackLines(profile)).toEqual([
      "js: handle file:///srv/app.js:10:1 @12 2",
      "js: handle file:///srv/app.js:10:1 @12 > parse file:///srv/json.js:40:1 @44 6",
    ]);
    expect(timesOf(profile)).toEqual([60_000, 20_000]);
    expect(profile.info.threads.map(({ name, kind }) => [name, kind])).toEqual([
      ["Main Event Loop", "main"],
      ["Worker #1", "worker"],
    ]);
  });

  it("that was cut says so, also where what is left of it can be read", async () => {
    const bytes = production([["samples", "count"]], [[4], [3]]);
    const chunks = {
      [Symbol.asyncIterator]: () => bytesOf(bytes),
      diagnostic: () => "cut-compression" as const,
    };
    const { info } = await analyze(chunks, { name: "a.pb.gz" });
    expect([info.ticks, info.diagnostics.map(({ code }) => code)]).toEqual([7, ["cut-compression"]]);
  });

  it("of Datadog has the places of functions in names and lines, and columns above the lines", async () => {
    const strings = new StringTable();
    const text = (word: string) => strings.dedup(word);
    const filename = text("file:///srv/app.js");
    const bytes = new PprofProfile({
      sampleType: [{ type: text("wall"), unit: text("nanoseconds") }],
      sample: [
        { locationId: [1, 2], value: [5000] },
        { locationId: [3, 2], value: [7000] },
        { locationId: [4], value: [9000] },
      ],
      location: [
        { id: 1, line: [{ functionId: 1, line: 14 }] },
        { id: 2, line: [{ functionId: 2, line: 7 }] },
        { id: 3, line: [{ functionId: 1, line: (3_000_000n << 32n) | 12n }] },
        { id: 4, line: [{ functionId: 3 }] },
      ],
      function: [
        { id: 1, name: text("parse"), filename },
        { id: 2, name: text("(anonymous:L#7:C#20)"), filename },
        { id: 3, name: text("Garbage Collection") },
      ],
      stringTable: strings,
    }).encode();
    expect(stackLines(await read(bytes))).toEqual([
      "gc: Garbage Collection 1",
      "js:  file:///srv/app.js:7:20 @7 > parse file:///srv/app.js:12:1 @12 1",
      "js:  file:///srv/app.js:7:20 @7 > parse file:///srv/app.js:12:1 @14 1",
    ]);
  });

  it.each([
    ["its label", { focus: [{ key: "thread name", value: /^Main/ }] }, [6], 2],
    ["a number", { focus: [{ key: "bytes", value: /^1$/ }] }, [2], 6],
    ["a label of any key", { focus: [{ key: undefined, value: /worker/i }] }, [2], 6],
    [
      "one of two labels",
      { focus: ["0", "1"].map((one) => ({ key: "bytes", value: new RegExp(one) })) },
      [6, 2],
      0,
    ],
    ["no label", { ignore: [{ key: "thread name", value: /Main/ }] }, [2], 6],
  ])("counts only samples with %s that is asked for", async (_, labels, ticks, excluded) => {
    const { samples, info, frames } = await read(production(TYPES, ROWS), { sampleType: "wall", labels });
    expect(Array.from(samples.ticks)).toEqual(ticks);
    expect([info.ticks, info.excluded]).toEqual([8, excluded]);
    expect(frames).toHaveLength(excluded === 0 ? 4 : ticks.includes(6) ? 2 : 1);
  });

  it("lists its labels if no sample has the one that is asked for, and other files have none", async () => {
    const labels = { focus: [{ key: "endpoint", value: /cart/ }] };
    await expect(read(production(TYPES, ROWS), { labels })).rejects.toMatchObject({
      code: "BAD_OPTION",
      hint: "Keys of its labels: thread name, bytes",
    });
    const log = Buffer.from("v8-version,8,4,371,19,-node.18,0\n");
    await expect(read(log, { labels })).rejects.toMatchObject({ code: "BAD_OPTION" });
  });

  it("counts CPU time, unless asked for something else", async () => {
    const profile = await read(production(TYPES, ROWS));
    expect(timesOf(profile)).toEqual([30_000]);
    const counted = await read(production([["samples", "count"]], [[6], [2]]));
    expect([counted.info.ticks, counted.info.sampling.got]).toEqual([8, 10_000]);
  });

  it.each([
    ["a period of 1 ns", 1],
    ["no period", 0],
    ["a period longer than its rows", 10_000_000_000],
  ])("with times only and %s has unknown numbers of samples", async (_, period) => {
    const profile = await read(production([["cpu", "nanoseconds"]], [[300_000_000], [100_000_000]], period));
    const { info, samples } = profile;
    expect(Array.from(samples.ticks, (ticks) => ticks * info.tickTime!)).toEqual([300_000, 100_000]);
    expect([info.isCountUnknown, allSamples(samples)]).toEqual([true, 2]);
    const again = await read(await exported(profile));
    expect([again.info.isCountUnknown, timesOf(again)]).toEqual([true, timesOf(profile)]);
    // Nothing is sure of it: no share, no change between many runs, no limit.
    const { confidence } = Analysis.of(profile);
    expect(confidence.ranges([1.5], { row: new Int32Array(samples.length) })).toEqual([
      { low: 0, high: 100 },
    ]);
    const run = runSummary(profile, "function");
    const twice = {
      ...run,
      rows: run.rows.map((row) => ({ ...row, self: row.self / 9, total: row.total / 9 })),
    };
    const diff = compareRuns([run, run, run, run], [twice, twice, twice, twice], { scale: { name: "cpu" } });
    expect(diff?.hasVerdict).toBe(false);
    const other = {
      ...run,
      rows: run.rows.map((row) => ({ ...row, key: `${row.key} 2` })),
    };
    const one = compareRuns([run], [other], { scale: { name: "share" } });
    expect(one?.rows.filter(({ self, total }) => self.isAlmostSure || total.isAlmostSure)).toEqual([]);
    const budget = {
      title: "main",
      metric: "total",
      selector: { kind: "run", name: "" },
      max: 1,
      level: "error",
    } as const;
    const selected = selectRun(profile, [budget.selector]);
    const [checked] = checkBudgets([budget], {
      runs: [selected, selected, selected],
      baseline: [],
      units: 1,
    });
    expect(checked?.verdict).toBe("inconclusive");
  });

  it.each([
    ["nanoseconds", 300_000_000, 10_000_000, "nanoseconds"],
    ["ns", 300_000_000, 10, "milliseconds"],
    ["microseconds", 300_000, 10_000, "us"],
    ["seconds", 0.3, 10, "ms"],
  ])("with times in %s and a period has as many samples as periods", async (unit, value, period, of) => {
    const rows = unit === "seconds" ? [[3], [1]] : [[value], [value / 3]];
    const { info, samples } = await read(production([["cpu", unit]], rows, { period, unit: of }));
    const scale = unit === "seconds" ? 10 : 1;
    expect([info.isCountUnknown, allSamples(samples), info.tickTime]).toEqual([
      undefined,
      40 * scale,
      10_000,
    ]);
  });

  it.each([
    [
      "whose numbers of samples are all 0",
      [["samples", "count"]],
      [
        [0, 5_000_000],
        [0, 3_000_000],
      ],
      1,
    ],
    ["of values below 0 too", [], [[5_000_000], [-4_000_000], [3_000_000]], 1],
    ["whose period is no time", [], [[5_000_000], [3_000_000]], { period: 10_000_000, unit: "count" }],
  ] as const)("with times %s has unknown numbers of samples", async (_, types, rows, period) => {
    const { info, samples } = await read(production([...types, ["wall", "nanoseconds"]], rows, period));
    expect([info.isCountUnknown, allSamples(samples)]).toEqual([true, 2]);
    expect(Array.from(samples.ticks, (ticks) => ticks * info.tickTime!)).toEqual([5000, 3000]);
  });

  it("with samples only and a period of 1 ns has no times", async () => {
    const { info } = await read(production([["samples", "count"]], [[5], [3]], 1));
    expect([info.ticks, info.tickTime, info.isCountUnknown]).toEqual([8, undefined, undefined]);
  });

  it("without time and memory is refused, and so is a type that it has not", async () => {
    const other = production([["cycles", "hertz"]], [[4096], [1]]);
    await expect(read(other)).rejects.toThrow(
      "a pprof profile without time or memory: its values are cycles (hertz)",
    );
    await expect(read(other, { sampleType: "cycles" })).rejects.toThrow("without time or memory");
    await expect(read(production(TYPES, ROWS), { sampleType: "x" })).rejects.toMatchObject({
      message: "--sample-type x: a.pb.gz has no such values",
      hint: "It has: sample (count), wall (nanoseconds), cpu (nanoseconds)",
    });
    await expect(read(production(TYPES, ROWS), { range: { from: 1 } })).rejects.toThrow("cut by time");
  });

  it("comes back with the names that its threads were given", async () => {
    const bytes = await exported(await read(production(TYPES, ROWS), { sampleType: "wall" }));
    expect((await read(bytes)).info.threads.map(({ name }) => name)).toEqual([
      "Main Event Loop",
      "Worker #1",
    ]);
  });

  it("comes back with the names of functions of URLs with a query", async () => {
    for (const url of ["https://a.example/app.js?v=12", "http://localhost:8081/index.bundle?dev=true#a"]) {
      const callFrame = { functionName: "draw", scriptId: "1", url, lineNumber: 3, columnNumber: 0 };
      const profile = { nodes: [{ id: 1, callFrame }], samples: [1, 1, 1], timeDeltas: [0, 1000, 1000] };
      const again = await read(await exported(await read(Buffer.from(JSON.stringify(profile)))));
      expect(again.frames.map((frame) => frame.kind === "js" && frame.name)).toContain(`draw ${url}:4:1`);
    }
  });

  it("comes back the same from an export, of a log and of a CPU profile", async () => {
    const file = fileURLToPath(
      new URL("../../fixtures/cpuprofile/CPU.20260101.120000.100.0.001.cpuprofile", import.meta.url),
    );
    const withoutColumns = (lines: string[]) =>
      lines.map((line) => line.replace(/(:\d+):\d+/g, "$1").replaceAll("file://", "")).sort();
    const first = await read(readFileSync(file));
    const again = await read(await exported(first));
    expect(withoutColumns(stackLines(again))).toEqual(withoutColumns(stackLines(first)));
    expect(again.info.sampling.got).toBeCloseTo(first.info.sampling.got!, 2);
    const log = await fixtureProfile("node-24-garbage", { inlines: true });
    const ofLog = await read(await exported(log));
    expect(ofLog.info.ticksByState).toEqual(log.info.ticksByState);
    expect(ofLog.info.ticks).toBe(log.info.ticks);
  });

  it.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
    ["of an unknown wire type", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0x0f])])],
    ["with a number that never ends", (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(20, 0xff)])],
    [
      "with a field longer than the file",
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0x12, 0xff, 0xff, 0x7f])]),
    ],
  ])("that is damaged is refused: %s", async (_, damage) => {
    await expect(read(damage(Buffer.from(production(TYPES, ROWS))))).rejects.toMatchObject({
      code: "NOT_A_LOG",
    });
  });
});

describe("the threads of a pprof profile", () => {
  const merged = async (...files: Uint8Array[]) => {
    const reading = (bytes: Uint8Array) => read(bytes, { sampleType: "wall" }).then((one) => [one]);
    const {
      profile,
      infos,
      read: numbers,
    } = await mergeLogs(files, reading, (error) => {
      throw error;
    });
    return { profile: profile!, infos, paths: numbers.map(() => "a.pb.gz") };
  };

  it("have facts of their own, which sum to those of the file", async () => {
    const { profile, infos } = await merged(production(TYPES, ROWS));
    expect(infos.map(({ ticks, threads }) => [ticks, threads.length])).toEqual([
      [6, 1],
      [2, 1],
    ]);
    expect(profile.info.ticks).toBe(8);
  });

  it("can be picked, and those of several files follow each other", async () => {
    const file = production(TYPES, ROWS);
    const { profile, infos, paths } = await merged(file, file);
    expect(profile.info.threads.map(({ ticks }) => ticks)).toEqual([6, 2, 6, 2]);
    const workers = (threads: typeof profile.info.threads) =>
      threads.flatMap(({ kind }, i) => (kind === "worker" ? [i] : []));
    const { profile: picked } = arrangeLogs(profile, { infos, paths, pick: workers });
    expect([picked.info.ticks, allTicks(picked.samples), picked.info.threads.length]).toEqual([4, 4, 2]);
  });

  it("have no number of a process that is none", async () => {
    const file = PprofProfile.decode(production(TYPES, ROWS));
    const text = (word: string) => file.stringTable.dedup(word);
    for (const [i, pid] of ["12", "12x"].entries())
      file.sample[i]!.label.push(new Label({ key: text("pid"), str: text(pid) }));
    const { info } = await read(file.encode(), { sampleType: "wall" });
    expect(info.threads.map(({ pid }) => pid)).toEqual([12, undefined]);
  });

  it("are all counted in samples if those of one have no times", async () => {
    const untimed = production([["sample", "count"]], [[3], [5]]);
    // Without a period, it does not tell how long a sample is.
    const bare = PprofProfile.decode(untimed);
    bare.period = 0;
    const files = [production(TYPES, ROWS), bare.encode()];
    const reading = (bytes: Uint8Array) =>
      read(bytes, { sampleType: bytes === files[0] ? "wall" : "sample" }).then((one) => [one]);
    const { profile } = await mergeLogs(files, reading, (error) => {
      throw error;
    });
    expect(profile!.info.tickTime).toBeUndefined();
    expect(profile!.info.threads.map(({ ticks }) => ticks)).toEqual([6, 2, 3, 5]);
    expect(profile!.info.ticks).toBe(16);
  });
});

describe("the first bytes of a pprof profile", () => {
  /** Its fields, each with its tag. */
  const fieldsOf = (bytes: Uint8Array) => {
    const fields: { readonly number: number; readonly bytes: Uint8Array }[] = [];
    const varint = (from: number) => {
      let [at, value] = [from, 0];
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++]!;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return { at, value };
      }
    };
    for (let at = 0; at < bytes.length; ) {
      const tag = bytes[at]!;
      const { at: start, value } = varint(at + 1);
      const end = (tag & 7) === 2 ? start + value : start;
      fields.push({ number: tag >> 3, bytes: bytes.subarray(at, end) });
      at = end;
    }
    return fields;
  };

  it("tell it with its fields in any order", async () => {
    const bytes = production(TYPES, ROWS);
    const fields = fieldsOf(bytes);
    const expected = stackLines(await read(bytes, { sampleType: "wall" }));
    // Rows of one table keep their order: it numbers them.
    const tables = Array.from(new Set(fields.map(({ number }) => number)));
    for (let turn = 0; turn < tables.length; turn++) {
      const order = tables.slice(turn).concat(tables.slice(0, turn));
      const last = order.flatMap((table) => fields.filter(({ number }) => number === table));
      // Go writes the time first.
      const turned = Buffer.concat([Buffer.from([0x48, 0x96, 0x01]), ...last.map((field) => field.bytes)]);
      expect(isPprof(turned)).toBe(true);
      expect(stackLines(await read(turned, { sampleType: "wall" }))).toEqual(expected);
    }
  });

  it("are none of text, nor of one number", () => {
    for (const text of ["Hi", "HP", "\n\n", "Hello, world", "{}", "v8-version,1,2,3", "\n0x10,2", "rrrr"])
      expect([text, isPprof(Buffer.from(text))]).toEqual([text, false]);
  });
});
