import { describe, expect, it } from "vitest";
import { recordsOf } from "../../helpers/optional-rows.ts";

const NODE_8 = "v8-version,6,2,414,78,0";
const NODE_26 = "v8-version,14,6,202,34,-node.34,0";

function ic(version: string, row: string) {
  return recordsOf([version, row]).records[1];
}

describe("rows of inline caches", () => {
  it("of Node 8 to 14 have no time", () => {
    expect(ic(NODE_8, "LoadIC,0x19b4a4dd8d7b,60,15,.,1,0x3648edb3c329,price,,")).toEqual({
      type: "ic",
      kind: "LoadIC",
      pc: 0x19b4a4dd8d7b,
      timestamp: undefined,
      line: 60,
      column: 15,
      from: ".",
      to: "1",
      map: 0x3648edb3c329,
      key: "price",
      modifier: "",
      reason: "",
    });
  });

  it("of Node 16 and later have one, also where the states are digits", () => {
    const row = "KeyedLoadIC,0x2ffb2c3082c,126566,29,19,0,1,0x02c30acdc861,-7,.IGNORE_OOB,proxy";
    expect(ic(NODE_26, row)).toMatchObject({
      kind: "KeyedLoadIC",
      timestamp: 126566,
      line: 29,
      column: 19,
      from: "0",
      to: "1",
      map: 0x2c30acdc861,
      key: "-7",
      modifier: ".IGNORE_OOB",
      reason: "proxy",
    });
  });

  it("have keys with commas, with escapes, and none", () => {
    const keyOf = (text: string) => ic(NODE_26, `LoadIC,0x10,1,2,3,0,1,0x20,${text},,`);
    expect(keyOf('symbol("a, b" hash 1dd22fd2)')).toMatchObject({ key: 'symbol("a, b" hash 1dd22fd2)' });
    expect(keyOf(String.raw`a\x2Cb\u65e5`)).toMatchObject({ key: "a,b日" });
    expect(keyOf("")).toMatchObject({ key: "" });
  });

  it("have keys of any length, of which the beginning is kept, with whole characters", () => {
    const record = ic(NODE_26, `LoadIC,0x10,1,2,3,0,1,0x20,${"a".repeat(255)}ä${"b".repeat(1e6)},,slow`);
    expect(record).toMatchObject({ key: "a".repeat(255), reason: "slow" });
  });

  it("can lack a position", () => {
    expect(ic(NODE_26, "StoreIC,0x0,1,-1,-1,X,X,0x0,a,,")).toMatchObject({ line: -1, column: -1, map: 0 });
  });

  it.each([
    "LoadIC",
    "LoadIC,",
    "LoadIC,0x10,1,2,3,0,1,0x20",
    "LoadIC,0x10,1,2,3,0,1,0x20,key",
    "LoadIC,0x10,1,2,3,0,1,0x20,key,",
    "LoadIC,0x10,1,2,3,00,1,0x20,key,,",
    "LoadIC,0x10,1,2,3,0,,0x20,key,,",
    "LoadIC,0x10,1,2,x,0,1,0x20,key,,",
    "LoadIC,0x10,-1,2,3,0,1,0x20,key,,",
    "LoadIC,0x10,1,99999999999,3,0,1,0x20,key,,",
    "LoadIC,0x10,1,2,3,0,1,0xzz,key,,",
    "LoadIC,0xfffffffffffffff,1,2,3,0,1,0x20,key,,",
  ])("are malformed: %s", (row) => {
    const { records, faults } = recordsOf([NODE_26, row]);
    expect(records).toHaveLength(1);
    expect(faults).toEqual(["malformed-row×1"]);
  });

  it("are skipped if nobody asks for them, whatever they are", () => {
    const { records, faults, knownRows } = recordsOf([NODE_26, "LoadIC,?"], []);
    expect(records).toHaveLength(1);
    expect(faults).toEqual([]);
    expect(knownRows).toBe(2);
  });
});
