import { describe, expect, it } from "vitest";
import { Row } from "../../src/parser/fields.ts";

function rowOf(text: string): Row {
  const row = new Row();
  row.hasQuotes = true;
  const bytes = Buffer.from(text);
  row.reset(bytes, 0, bytes.length);
  return row;
}

describe("Row", () => {
  it("reads fields one after the other, the last one too", () => {
    const row = rowOf("0x1F,-12,a\\x2Cb,");
    expect([row.hex(), row.integer(), row.text(), row.hasMore(), row.text(), row.hasMore()]).toEqual([
      31,
      -12,
      "a,b",
      true,
      "",
      false,
    ]);
  });

  it("is NaN for what is no number", () => {
    for (const text of ["", "0x", "0xg", "1 "]) expect(rowOf(text).hex()).toBeNaN();
    for (const text of ["", "-", "1.5", "0x1"]) expect(rowOf(text).integer()).toBeNaN();
  });

  it("holds addresses of 47 bits exactly", () => {
    expect(rowOf("0x7fffffffffff").hex()).toBe(0x7fffffffffff);
  });

  it("tells an address by its mark or its 16 digits", () => {
    expect(rowOf("0x1").isAddress()).toBe(true);
    expect(rowOf("000000BABADD9640,1").isAddress()).toBe(true);
    expect(rowOf("1234567890123456x").isAddress()).toBe(false);
    expect(rowOf("1234").isAddress()).toBe(false);
  });

  it("ends a quoted text at the last quote of the row", () => {
    const row = rowOf('"a,"b",1,2');
    expect([row.text(), row.integer(), row.integer(), row.hasMore()]).toEqual(['a,"b', 1, 2, false]);
    expect(rowOf('"open').text()).toBe("open");
  });

  it("gives the rest of the row as it stands", () => {
    const row = rowOf("1,a,b");
    row.skip();
    expect([row.rest(), row.rest()]).toEqual(["a,b", ""]);
  });
});
