import { describe, expect, it } from "vitest";
import { recordsOf } from "../../helpers/optional-rows.ts";

function info(fields: string) {
  return recordsOf([`code-source-info,${fields}`]).records[0];
}

describe("code-source-info rows", () => {
  it("keep positions and inlinings as V8 wrote them, and the addresses of inlined functions", () => {
    expect(info("0x2a,89,12,36,C11O12C36O64I0,F0O25F1O30I0,S0xc07dS0x1c")).toEqual({
      type: "code-source-info",
      address: 0x2a,
      script: 89,
      start: 12,
      end: 36,
      positions: "C11O12C36O64I0",
      inlinings: "F0O25F1O30I0",
      functions: [0xc07d, 0x1c],
    });
  });

  it("of baseline code have no positions", () => {
    expect(info("0x2a,89,12,36,,,")).toMatchObject({ positions: "", inlinings: "", functions: [] });
  });

  it("without a number where one belongs, or without positions, are malformed", () => {
    const rows = ["zz,1,2,3,,,", "0x2a,x,2,3,,,", "0x2a,1,2,3"];
    const { records, faults } = recordsOf(rows.map((row) => `code-source-info,${row}`));
    expect(records).toEqual([]);
    expect(faults).toEqual(["malformed-row×3"]);
  });
});
