import { describe, expect, it } from "vitest";
import type { IcRecord } from "../../src/log/rows/ic.ts";
import { MOST_MAPS } from "../../src/profile/inline-caches.ts";
import { IcRows } from "../../src/replay/ic-rows.ts";
import type { LoggedFunction } from "../../src/replay/logged-functions.ts";
import type { Code } from "../../src/replay/replayed-frame.ts";

const RECORD: IcRecord = {
  type: "ic",
  kind: "LoadIC",
  pc: 0x10,
  timestamp: 500,
  line: 3,
  column: 4,
  from: "0",
  to: "1",
  map: 0x20,
  key: "a",
  modifier: "",
  reason: "",
};

function codeOf(name: string): Code {
  const made: LoggedFunction = { name, script: -1, start: -1, end: -1, bytecodePositions: "" };
  return {
    type: "JS",
    name,
    tier: "~",
    frame: -1,
    function: made,
    source: undefined,
    lazyDeopts: undefined,
    hasPlaces: true,
    frameAt: 0,
    isBuiltin: false,
    frameless: undefined,
    callerAt: undefined,
  };
}

const rowsOf = (records: readonly Partial<IcRecord>[], code = codeOf("f a.js:1:1")) => {
  const rows = new IcRows();
  for (const record of records) rows.add({ ...RECORD, ...record }, { code, offset: 5 }, 0);
  return rows;
};
const sitesOf = (rows: IcRows) => Array.from(rows.sites(), ([, site]) => site);

describe("rows of inline caches", () => {
  it("are one site by function, position and kind", () => {
    const rows = rowsOf([{}, {}, { kind: "StoreIC" }, { line: 4 }]);
    rows.add(RECORD, { code: codeOf("g a.js:9:1"), offset: 5 }, 0);
    expect(sitesOf(rows).map((site) => [site.kind, site.line, site.rows])).toEqual([
      ["LoadIC", 3, 2],
      ["StoreIC", 3, 1],
      ["LoadIC", 4, 1],
      ["LoadIC", 3, 1],
    ]);
  });

  it("tell the states with their first times, and the last one", () => {
    const [site] = sitesOf(
      rowsOf([
        { to: "1", timestamp: 10 },
        { from: "1", to: "P", timestamp: 20 },
        { from: "P", to: "N", timestamp: 30 },
        { from: "N", to: "N", timestamp: 40 },
      ]),
    );
    expect(site!.states).toEqual([
      { state: "1", time: 10, rows: 1 },
      { state: "P", time: 20, rows: 1 },
      { state: "N", time: 30, rows: 2 },
    ]);
    expect(site).toMatchObject({ first: "0", last: "N", lastTime: 40 });
  });

  it("take the time of the ticks around them if they have none", () => {
    const rows = new IcRows();
    rows.add({ ...RECORD, timestamp: undefined }, { code: codeOf("f"), offset: 5 }, 77);
    expect(sitesOf(rows)[0]!.lastTime).toBe(77);
  });

  it("take no more memory the more there are of a site", () => {
    const [site] = sitesOf(
      rowsOf(
        Array.from({ length: 5000 }, (_, i) => ({
          map: i + 1,
          key: `key${i}`,
          modifier: `.M${i}`,
          reason: `r${i}`,
          to: String.fromCharCode(33 + (i % 90)),
        })),
      ),
    );
    expect(site!.rows).toBe(5000);
    expect(site!.maps.length).toBe(MOST_MAPS);
    expect(site!.keys).toEqual(["key0", "key1", "key2", "key3"]);
    expect(site!.hasMoreKeys).toBe(true);
    expect(site!.states.length).toBe(16);
    expect([site!.modifiers, site!.reasons, site!.offsets].map((list) => list.length)).toEqual([4, 4, 1]);
  });

  it("of unknown code are only counted", () => {
    const rows = new IcRows();
    rows.add(RECORD, undefined, 0);
    expect([rows.rows, rows.unknownRows, sitesOf(rows)]).toEqual([1, 1, []]);
  });

  it("over time are in at most 64 slices, whose sum is that of the rows", () => {
    const rows = rowsOf([
      { timestamp: 0 },
      { timestamp: 63_999, to: "N" },
      { timestamp: 64_000 },
      { timestamp: 1_000_000, to: "N" },
    ]);
    const { width, rows: all, megamorphic } = rows.times;
    expect(width).toBe(16_000);
    expect(all.length).toBeLessThanOrEqual(64);
    expect([all[0], all[3], all[4], all[62]]).toEqual([1, 1, 1, 1]);
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect([megamorphic[3], megamorphic[62]]).toEqual([1, 1]);
  });

  it("can have any time", () => {
    expect(rowsOf([{ timestamp: Number.MAX_SAFE_INTEGER }]).times.rows.length).toBeLessThanOrEqual(64);
  });
});
