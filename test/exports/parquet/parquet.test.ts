import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { parquet, parquetTimeline } from "../../../src/exports/parquet.ts";
import { Analysis } from "../../../src/facts/analysis.ts";
import { FunctionTable } from "../../../src/facts/function-table.ts";
import { printable } from "../../../src/facts/label.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { VM_STATES } from "../../../src/profile/vm-state.ts";
import { fixtureProfile, SOME_FIXTURES, WHOLE } from "../../helpers/fixtures.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

type Row = Record<string, unknown>;

function fileOf(profile: Profile): ArrayBuffer {
  const write = profile.timeline === undefined ? parquet : parquetTimeline;
  return whole(write(profile));
}

function whole(chunks: Iterable<Uint8Array>): ArrayBuffer {
  const bytes = Buffer.concat(Array.from(chunks));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

async function rowsOf(profile: Profile, ...columns: readonly string[]): Promise<Row[]> {
  const file = fileOf(profile);
  return parquetReadObjects(columns.length === 0 ? { file } : { file, columns: [...columns] });
}

/** The values of some columns, a row a line. */
async function valuesOf(profile: Profile, ...columns: readonly string[]): Promise<string[]> {
  return (await rowsOf(profile, ...columns)).map((row) =>
    columns.map((column) => String(row[column])).join(" "),
  );
}

function sumOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { ticks }) => sum + Number(ticks), 0);
}

describe("parquet", () => {
  it("has a row for each frame of each stack, the leaf first, with the ticks of the stack", async () => {
    const profile = profileFromStacks("js:a js:b", "js:a js:b", "js:a");
    expect(await valuesOf(profile, "sample", "depth", "self", "function", "ticks")).toEqual([
      "0 0 true b 2",
      "0 1 false a 2",
      "1 0 true a 1",
    ]);
  });

  it("marks a recursive function once a stack for its total", async () => {
    const profile = profileFromStacks("js:a js:~b js:*b@7 inlined:b cpp:c");
    expect(await valuesOf(profile, "function", "total", "inlined")).toEqual([
      "c true false",
      "b false true",
      "b false false",
      "b true false",
      "a true false",
    ]);
  });

  it("says what a frame is", async () => {
    const profile = profileFromStacks(
      "js:~main·file:///srv/app.js:3:9@5 inlined:·/x/node_modules/@s/p/i.js:1:2@4 builtin:Map handler:Add cpp:f lib:/l.so ?",
    );
    const columns = ["function", "file", "line", "function_line", "function_column"];
    expect(await valuesOf(profile, ...columns, "tier", "library", "origin", "package")).toEqual([
      "UNKNOWN null null null null null null unknown unknown",
      "/l.so null null null null null l.so native l.so",
      "f null null null null null node native node",
      "BytecodeHandler: Add null null null null ignition null v8 v8",
      "Builtin: Map null null null null null null v8 v8",
      "<anonymous> /x/node_modules/@s/p/i.js 4 1 2 turbofan null deps @s/p",
      "main file:///srv/app.js 5 3 9 ignition null app app",
    ]);
  });

  it("says where and in which state a stack was taken", async () => {
    const one = profileFromStacks("gc:js:a");
    const thread = { ...one.info.threads[0]!, pid: 12, isolate: "0x1f", kind: "worker" as const };
    const two = { ...one, info: { ...one.info, threads: [thread] } };
    const columns = ["log", "pid", "isolate", "thread", "thread_kind", "state"];
    expect(await valuesOf(mergeProfiles([one, two]), ...columns)).toEqual([
      "log null null log null gc",
      "log 12 0x1f pid 12 worker 0x1f worker gc",
    ]);
  });

  it("has the interval where all logs asked for the same", async () => {
    const profile = profileFromStacks("js:a");
    const info = { ...profile.info, sampling: { ...profile.info.sampling, asked: 100 } };
    expect(await valuesOf({ ...profile, info }, "interval_us")).toEqual(["100"]);
    expect(await valuesOf(mergeProfiles([profile, { ...profile, info }]), "interval_us")).toEqual([
      "null",
      "null",
    ]);
  });

  it("has a stack for every tick, and its time, of a profile with a timeline", async () => {
    const profile = profileFromStacks("js:a js:b", "js:a", "js:a js:b");
    const timeline = {
      length: 3,
      sample: Int32Array.of(0, 1, 0),
      timestamp: Float64Array.of(1000, 2 ** 40, 3000),
    };
    expect(await valuesOf({ ...profile, timeline }, "sample", "time_us", "function", "ticks")).toEqual([
      "0 1000 b 1",
      "0 1000 a 1",
      "1 1099511627776 a 1",
      "2 3000 b 1",
      "2 3000 a 1",
    ]);
    expect(await valuesOf(profile, "time_us")).toEqual(["null", "null", "null"]);
    const aggregated = await parquetReadObjects({ file: whole(parquet({ ...profile, timeline })) });
    expect(aggregated.map(({ time_us, ticks }) => [time_us, ticks])).toEqual([
      [null, 2n],
      [null, 2n],
      [null, 1n],
    ]);
    expect(() => parquetTimeline(profile)).toThrow("needs the time of each tick");
  });

  it("puts ticks in a row together that have one stack, but not over a gap or a step back", async () => {
    const profile = profileFromStacks("js:a", "js:b");
    const times = [1000, 2000, 3000, 900_000, 901_000, 500_000, 500_500, 501_000];
    const timeline = {
      length: 8,
      sample: Int32Array.of(0, 0, 0, 0, 0, 0, 1, 0),
      timestamp: Float64Array.from(times),
    };
    expect(await valuesOf({ ...profile, timeline }, "sample", "time_us", "function", "ticks")).toEqual([
      "0 1000 a 3",
      "1 900000 a 2",
      "2 500000 a 1",
      "3 500500 b 1",
      "4 501000 a 1",
    ]);
  });

  it("has the stable key of each function, its library and its build id", async () => {
    const profile = profileFromStacks(
      "js:f·file:///srv/v1/node_modules/p/a.js:3:9 js:·/srv/v1/app.js:1:1 libc:malloc",
    );
    const library = { source: "elf", symbols: 1, problem: undefined };
    const libraries = [{ ...library, path: "/lib/libc.so.6", buildId: "ab12" }];
    const columns = ["key", "library", "library_path", "build_id"];
    expect(await valuesOf({ ...profile, info: { ...profile.info, libraries } }, ...columns)).toEqual([
      "libc.so.6 malloc libc.so.6 /lib/libc.so.6 ab12",
      "app.js <anonymous> null null null",
      "p/a.js f null null null",
    ]);
  });

  it("has labels, versions and the start of the log as columns", async () => {
    const profile = profileFromStacks("js:a");
    const v8 = [{ major: 12, minor: 4, build: 254, patch: 21, embedder: "-node.33" }];
    const info = { ...profile.info, v8, sampling: { ...profile.info.sampling, asked: 100, got: 104.4 } };
    const labels = { deploy: "v2", zone: "b" };
    const start = new Date("2026-11-22T00:00:00Z");
    const file = whole(parquet({ ...profile, info }, { labels, start }));
    const [row] = await parquetReadObjects({ file });
    expect(row).toMatchObject({
      ...{ deploy: "v2", zone: "b", env: null, v8: "12.4.254.21-node.33", node: 22 },
      ...{ interval_asked_us: 100, interval_got_us: 104, start_us: BigInt(start.getTime()) * 1000n },
    });
    expect(parquetMetadata(file).key_value_metadata).toContainEqual({ key: "ticks.version", value: VERSION });
  });

  it("shows control characters of a log as escapes", async () => {
    const [row] = await rowsOf(profileFromStacks("lib:/a\x1b[2J\n.so"));
    expect(row).toMatchObject({ function: "/a\\x1b[2J\\n.so", library_path: "/a\\x1b[2J\\n.so" });
  });

  it("is a table without rows where there are no ticks", async () => {
    const profile = profileFromStacks();
    expect(await rowsOf(profile)).toEqual([]);
    expect(parquetMetadata(fileOf(profile)).schema.length).toBeGreaterThan(20);
  });

  it("is written in groups of rows, handed on one by one", async () => {
    const callers = Array.from({ length: 97 }, (_, i) => `js:c${i}`).join(" ");
    const stacks = Array.from({ length: 2600 }, (_, i) => `${callers} js:f${i % 500} js:g${i}`);
    const chunks = Array.from(parquet(profileFromStacks(...stacks)));
    expect(chunks).toHaveLength(4);
    const file = whole(chunks);
    const { row_groups, num_rows } = parquetMetadata(file);
    const groups = row_groups.map(({ num_rows }) => num_rows);
    expect([num_rows, ...groups]).toEqual([257_400n, 100_000n, 100_000n, 57_400n]);
    // A stack can be in two groups.
    const rows = await parquetReadObjects({ file, rowStart: 199_980, rowEnd: 200_080 });
    const expected = Array.from({ length: 100 }, (_, i) => [2020 + Math.floor(i / 99), i % 99]);
    expect(rows.map(({ sample, depth }) => [sample, depth])).toEqual(expected);
  });

  it("is the same bytes each time", () => {
    const bytes = () => Buffer.from(fileOf(profileFromStacks("js:a js:b", "gc:js:a")));
    expect(bytes().equals(bytes())).toBe(true);
  });
});

describe.each(SOME_FIXTURES)("parquet of %s", (name) => {
  it("has all ticks by state, and every function with its self and total", async () => {
    const profile = await fixtureProfile(name, WHOLE);
    const rows = await rowsOf(
      profile,
      ...["self", "total", "state", "ticks"],
      ...["function", "file", "library_path", "function_line", "function_column"],
    );
    for (const [i, state] of VM_STATES.entries()) {
      const own = rows.filter((row) => row.self === true && row.state === state);
      expect(`${state} ${sumOf(own)}`).toBe(`${state} ${profile.info.ticksByState[i] ?? 0}`);
    }
    const read = new Map<string, [self: number, total: number]>();
    for (const row of rows) {
      const { function: title, file, library_path, function_line, function_column } = row;
      const key = [title, file ?? library_path, function_line, function_column].map(String).join("|");
      const sums = read.get(key) ?? [0, 0];
      read.set(key, sums);
      if (row.self === true) sums[0] += Number(row.ticks);
      if (row.total === true) sums[1] += Number(row.ticks);
    }
    const table = new FunctionTable(profile.frames);
    const { self, total } = Analysis.of(profile).functionTicks;
    const expected = table.functions.map(({ title, file, line, column }, i) => {
      const parts = [printable(title), file && printable(file), line, column].map((part) => part ?? null);
      return [Buffer.from(parts.map(String).join("|")).toString(), [self[i], total[i]!]] as const;
    });
    expect(read).toEqual(new Map(expected.filter(([, [, ticks]]) => ticks > 0)));
  });
});

describe.each(["node-12-builtins", "node-26-guide"])("parquet of %s with a timeline", (name) => {
  it("has every tick with its time, one after the other", async () => {
    const profile = await fixtureProfile(name, WHOLE);
    const leaves = (await rowsOf(profile, "self", "ticks", "time_us")).filter(({ self }) => self);
    expect(sumOf(leaves)).toBe(profile.info.ticks);
    const { timestamp, sample } = profile.timeline!;
    let tick = 0;
    for (const row of leaves) {
      expect(Number(row.time_us)).toBe(timestamp[tick]);
      const run = sample.subarray(tick, tick + Number(row.ticks));
      expect(run.every((one) => one === run[0])).toBe(true);
      tick += run.length;
    }
    expect(leaves.length).toBeLessThan(tick);
  });
});
