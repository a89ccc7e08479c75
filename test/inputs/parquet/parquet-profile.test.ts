import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { RUN_GROUPS } from "../../../src/compare/run-groups.ts";
import { type RunRow, runSummary } from "../../../src/compare/run-summary.ts";
import { parquet, parquetTimeline } from "../../../src/exporters/parquet.ts";
import { DamagedTable } from "../../../src/inputs/parquet/damaged-table.ts";
import { parquetProfile } from "../../../src/inputs/parquet/parquet-profile.ts";
import type { FileBytes } from "../../../src/inputs/parquet/table-file.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { shownStacks } from "../../../src/profile/shown-stacks.ts";
import { hasCrankshaft } from "../../../src/profile/v8-era.ts";
import { stableKeys } from "../../../src/views/stable-key.ts";
import { tierNameOf } from "../../../src/views/tier-names.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../../helpers/fixtures.ts";
import { logOf, profileOf } from "../../helpers/logs.ts";
import { createRandom } from "../../helpers/random.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

function bytesOf(chunks: Iterable<Uint8Array>): Uint8Array {
  return Buffer.concat(Array.from(chunks));
}

function fileOf(bytes: Uint8Array): FileBytes {
  return {
    length: bytes.length,
    read: async (start, length) => Buffer.from(bytes.subarray(start, start + length)),
  };
}

const read = (bytes: Uint8Array, timeline = false) =>
  parquetProfile(fileOf(bytes), { name: "run.parquet", timeline });

/** What a comparison takes of a profile, without what a table does not have. */
function rowsOf(profile: Profile, by: (typeof RUN_GROUPS)[number]): Map<string, object> {
  const { rows, ticks, v8 } = runSummary({ ...profile, sources: [], timeline: undefined }, by);
  const named = (row: RunRow) => ({
    ...row,
    deopts: undefined,
    text: undefined, // A table has its hash alone.
    callers: row.callers
      .flatMap((caller, i) => (i % 2 === 0 ? [`${rows[caller]!.key} ${row.callers[i + 1]}`] : []))
      .sort(),
  });
  return new Map<string, object>([
    ["", { ticks, v8 }],
    ...rows.map((row): [string, object] => [row.key, named(row)]),
  ]);
}

describe("parquetProfile", () => {
  it.each(FIXTURE_NAMES)("reads the rows of %s as they were before it was a table", async (name) => {
    const options = { inlines: true, identities: true, timeline: true };
    const profile = shownStacks(await fixtureProfile(name, options));
    for (const table of [parquet(profile), parquetTimeline(profile)]) {
      const found = await read(bytesOf(table));
      for (const by of RUN_GROUPS) expect(rowsOf(found, by), by).toEqual(rowsOf(profile, by));
      expect(found.info.ticks).toBe(profile.info.ticks);
    }
  });

  it("knows scripts without a name by their texts, also in tables that are read together", async () => {
    const log = (text: string) =>
      logOf(
        "v8-version,12,4,254,21,-node.57,0",
        `script-source,1,<unknown>,${text}`,
        "code-creation,JS,10,1,0x1000,64,f :3:1,0xf1,*",
        "code-source-info,0x1000,1,0,4,C0O0,,",
        "tick,0x1010,1000,0,0x0,0",
      );
    const tableOf = async (text: string) =>
      read(bytesOf(parquet(await profileOf(log(text), { inlines: true, identities: true }))));
    const tables = await Promise.all(["one()", "two()", "one()"].map(tableOf));
    const { table, keys } = stableKeys(mergeProfiles(tables));
    const files = table.functions.map(({ file }) => file);
    expect(files).toEqual([expect.stringMatching(/^<eval [0-9a-f]{8}>$/), expect.stringMatching(/^<eval /)]);
    expect(keys.map(({ key }) => key)).toEqual(files.map((file) => `${file} f`));
    const profile = await profileOf(log("one()"), { inlines: true, identities: true });
    expect(keys[0]!.key).toBe(stableKeys(profile).keys[0]!.key);
  });

  it("knows the code of V8's first compilers among newer code", async () => {
    const log = (version: string) =>
      logOf(
        `v8-version,${version}`,
        'code-creation,LazyCompile,0,0x1000,256,"f /srv/a.js:3:1",0x500,*',
        'code-creation,LazyCompile,0,0x2000,256,"f /srv/a.js:3:1",0x500,~',
        "tick,0x1010,1000,0,0x0,0",
        "tick,0x2010,2000,0,0x0,0",
      );
    const tiersOf = async (...versions: string[]) => {
      const profiles = await Promise.all(versions.map((version) => profileOf(log(version))));
      const first = await read(bytesOf(parquet(mergeProfiles(profiles))));
      const { frames, info } = await read(bytesOf(parquet(mergeProfiles([first]))));
      return [frames.map(tierNameOf).sort(), hasCrankshaft(info)];
    };
    const old = ["crankshaft", "full-codegen"];
    expect(await tiersOf("4,5,103,53,0", "4,6,85,32,0")).toEqual([old, true]);
    expect(await tiersOf("4,5,103,53,0", "6,2,414,78,0")).toEqual([[...old, "ignition", "turbofan"], false]);
    expect(await tiersOf("6,1,534,51,0", "6,2,414,78,0")).toEqual([["ignition", "turbofan"], false]);
  });

  it("keeps threads apart", async () => {
    const [first, second] = [profileFromStacks("js:a js:b"), profileFromStacks("js:a", "js:a")];
    const found = await read(bytesOf(parquet(mergeProfiles([first, second]))));
    expect(found.info.threads.map(({ ticks }) => ticks)).toEqual([1, 2]);
  });

  it("has the times of ticks if the table has", async () => {
    const profile = shownStacks(await fixtureProfile("node-20-inlining", { timeline: true }));
    const found = await read(bytesOf(parquetTimeline(profile)), true);
    expect(found.timeline?.length).toBe(profile.timeline?.length);
    const { timestamp } = found.timeline!;
    const backwards = timestamp.subarray(1, found.timeline!.length).filter((time, i) => time < timestamp[i]!);
    expect(backwards.length).toBeLessThan(profile.info.ticks / 10);
    expect((await read(bytesOf(parquet(profile)), true)).timeline).toBeUndefined();
  });

  const small = () => bytesOf(parquet(profileFromStacks("js:a js:b", "js:a cpp:c", "js:a js:b js:*b@7")));

  it.each([
    [
      "a text",
      Buffer.from("v8-version,14,6,202,34,-node.34,0\n"),
      "no Parquet file, or was not written to its end",
    ],
    ["nothing", Buffer.alloc(0), "too short"],
    ["half of a file", small().subarray(0, 900), "not written to its end"],
    [
      "a table of someone else",
      new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "sample", data: [1, 2], type: "INT32" }] })),
      "ticks did not write it",
    ],
    [
      "a table of a later version",
      replaced(small(), "ticks.schema\x18\x012", "ticks.schema\x18\x019"),
      "version 9",
    ],
    ["a table without a column", replaced(small(), "\x05depth", "\x05dexth"), "lacks the column depth"],
  ])("refuses %s", async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(DamagedTable);
    await expect(read(bytes)).rejects.toThrow(message);
  });

  it("refuses times for more ticks than fit the size of the file, before it makes them", async () => {
    const length = 4_600_000;
    const profile = profileFromStacks("js:a");
    const timestamp = Float64Array.from({ length }, (_, i) => i * 1000);
    const timeline = { length, sample: new Int32Array(length), timestamp };
    const table = bytesOf(parquetTimeline({ ...profile, timeline }));
    expect(table.length).toBeLessThan(10_000);
    await expect(read(table, true)).rejects.toThrow("times for more ticks than");
    // Without the times they are one row.
    expect((await read(table)).info.ticks).toBe(length);
  });

  it("refuses row groups that are larger than the exporter writes", async () => {
    const table = parquetWriteBuffer({
      columnData: [{ name: "sample", data: new Array<number>(250_001).fill(1), type: "INT32" }],
      kvMetadata: [{ key: "ticks.schema", value: "2" }],
      rowGroupSize: 500_000,
    });
    await expect(read(new Uint8Array(table))).rejects.toThrow("it has 250001 rows in a group");
  });

  it("refuses damaged files, or reads them, but does nothing else", async () => {
    const whole = Buffer.from(small());
    const random = createRandom(7);
    let refused = 0;
    for (let i = 0; i < 1500; i++) {
      const damaged = Buffer.from(whole);
      for (let bytes = 1 + random(3); bytes > 0; bytes--)
        damaged[random(damaged.length)] = [0, 0x7f, 0x80, 0xff, random(256)][random(5)]!;
      try {
        const { info } = await read(damaged);
        expect(Number.isSafeInteger(info.ticks)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedTable);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});

/** Replaces bytes, given as text, where they are in the footer. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  expect(text).toContain(from);
  return Buffer.from(text.replaceAll(from, to), "latin1");
}
