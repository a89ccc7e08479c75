import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { parquet } from "../../src/exporters/parquet.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { functionTicks } from "../../src/views/function-ticks.ts";
import { printable } from "../../src/views/label.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

type Row = Record<string, unknown>;

function fileOf(profile: Profile): ArrayBuffer {
  const bytes = Buffer.concat(Array.from(parquet(profile)));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

async function rowsOf(profile: Profile): Promise<Row[]> {
  return parquetReadObjects({ file: fileOf(profile) });
}

/** The values of some columns, a row a line. */
async function valuesOf(profile: Profile, ...columns: readonly string[]): Promise<string[]> {
  return (await rowsOf(profile)).map((row) => columns.map((column) => String(row[column])).join(" "));
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
      "/l.so null null null null null /l.so native l.so",
      "f null null null null null /bin/node native node",
      "BytecodeHandler: Add null null null null ignition null v8 v8",
      "Builtin: Map null null null null null null v8 v8",
      "<anonymous> /x/node_modules/@s/p/i.js 4 1 2 turbofan null deps @s/p",
      "main file:///srv/app.js 5 3 9 ignition null app app",
    ]);
  });

  it("says where and in which state a stack was taken", async () => {
    const one = profileFromStacks("gc:js:a");
    const thread = { log: "x.log", pid: 12, isolate: "0x1f", ticks: 1 };
    const two = { ...one, info: { ...one.info, threads: [thread] } };
    expect(
      await valuesOf(mergeProfiles([one, two]), "log", "pid", "isolate", "thread", "state", "interval_us"),
    ).toEqual(["log null null 0 gc null", "x.log 12 0x1f 1 gc null"]);
  });

  it("has the interval where all logs asked for the same", async () => {
    const profile = profileFromStacks("js:a");
    const info = { ...profile.info, sampling: { ...profile.info.sampling, asked: 100 } };
    expect(await valuesOf({ ...profile, info }, "interval_us")).toEqual(["100"]);
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
  });

  it("shows control characters of a log as escapes", async () => {
    const [row] = await rowsOf(profileFromStacks("lib:/a\x1b[2J\n.so"));
    expect(row).toMatchObject({ function: "/a\\x1b[2J\\n.so", library: "/a\\x1b[2J\\n.so" });
  });

  it("is a table without rows where there are no ticks", async () => {
    const profile = profileFromStacks();
    expect(await rowsOf(profile)).toEqual([]);
    expect(parquetMetadata(fileOf(profile)).schema.length).toBeGreaterThan(20);
  });

  it("is written in groups of rows, handed on one by one", async () => {
    const stacks = Array.from({ length: 60_000 }, (_, i) => `js:a js:f${i % 500} js:g${i}`);
    const profile = profileFromStacks(...stacks);
    const sizes = Array.from(parquet(profile), ({ length }) => length);
    expect(sizes).toHaveLength(3);
    const { row_groups, num_rows } = parquetMetadata(fileOf(profile));
    expect([num_rows, ...row_groups.map(({ num_rows }) => num_rows)]).toEqual([180_000n, 100_000n, 80_000n]);
    const rows = await rowsOf(profile);
    expect(sumOf(rows.filter(({ self }) => self))).toBe(60_000);
    expect(rows.findLast(({ depth }) => depth === 0)).toMatchObject({ function: "g59999", sample: 59_999 });
  });

  it("is the same bytes each time", () => {
    const bytes = () => Buffer.from(fileOf(profileFromStacks("js:a js:b", "gc:js:a")));
    expect(bytes().equals(bytes())).toBe(true);
  });
});

describe.each(FIXTURE_NAMES)("parquet of %s", (name) => {
  it("has all ticks by state, and every function with its self and total", async () => {
    const profile = await fixtureProfile(name, { inlines: true });
    const rows = await rowsOf(profile);
    for (const [i, state] of VM_STATES.entries()) {
      const own = rows.filter((row) => row.self === true && row.state === state);
      expect(`${state} ${sumOf(own)}`).toBe(`${state} ${profile.info.ticksByState[i] ?? 0}`);
    }
    const read = new Map<string, [self: number, total: number]>();
    for (const row of rows) {
      const { function: title, file, library, function_line, function_column } = row;
      const key = [title, file ?? library, function_line, function_column].map(String).join("|");
      const sums = read.get(key) ?? [0, 0];
      read.set(key, sums);
      if (row.self === true) sums[0] += Number(row.ticks);
      if (row.total === true) sums[1] += Number(row.ticks);
    }
    const table = new FunctionTable(profile.frames);
    const { self, total } = functionTicks(profile, table);
    const expected = table.functions.map(({ title, file, line, column }, i) => {
      const parts = [printable(title), file && printable(file), line, column].map((part) => part ?? null);
      return [Buffer.from(parts.map(String).join("|")).toString(), [self[i], total[i]!]] as const;
    });
    expect(read).toEqual(new Map(expected.filter(([, [, ticks]]) => ticks > 0)));
  });
});

describe.each(["node-12-builtins", "node-26-guide"])("parquet of %s with a timeline", (name) => {
  it("has every tick with its time, one after the other", async () => {
    const profile = await fixtureProfile(name, { inlines: true, timeline: true });
    const leaves = (await rowsOf(profile)).filter(({ self }) => self);
    expect(sumOf(leaves)).toBe(profile.info.ticks);
    const times = profile.timeline!.timestamp.subarray(0, profile.timeline!.length);
    expect(leaves.map((row) => Number(row.time_us))).toEqual(Array.from(times));
  });
});
