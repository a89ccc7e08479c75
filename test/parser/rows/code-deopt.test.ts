import { describe, expect, it } from "vitest";
import { recordsOf } from "../../helpers/optional-rows.ts";

const NODE_8 = "v8-version,6,2,414,78,0";
const NODE_10 = "v8-version,6,8,275,32,-node.59,0";
const NODE_26 = "v8-version,14,6,202,34,-node.34,0";

function deopt(version: string, fields: string) {
  return recordsOf([version, `code-deopt,${fields}`]).records[1];
}

describe("code-deopt rows", () => {
  it("of V8 3.2x: a time and a size alone", () => {
    expect(deopt("v8-version,3,28,73,0,0", "1234,288")).toEqual({
      type: "code-deopt",
      timestamp: 1234,
      size: 288,
      details: undefined,
    });
  });

  it("of Node 8: quoted, with quotes and commas in the position", () => {
    const position = '</a,b "q"/x.js:2:28> inlined at </a,b "q"/x.js:1:88>';
    expect(deopt(NODE_8, `53090,288,0x378a,0,126,"eager","${position}","wrong map"`)).toEqual({
      type: "code-deopt",
      timestamp: 53090,
      size: 288,
      details: {
        address: 0x378a,
        inliningId: 0,
        scriptOffset: 126,
        kind: "eager",
        position,
        reason: "wrong map",
      },
    });
  });

  it("of Node 10 and later: escaped", () => {
    const row = String.raw`80117,544,0x1ef7,-1,106,soft,</a\x2Cb "q"/d\x2Cx.js:4:29>,overflow`;
    const details = {
      inliningId: -1,
      kind: "soft",
      position: '</a,b "q"/d,x.js:4:29>',
      reason: "overflow",
    };
    expect(deopt(NODE_10, row)).toMatchObject({ details });
    expect(deopt(NODE_26, row.replace("soft", "deopt-lazy"))).toMatchObject({
      details: { ...details, kind: "deopt-lazy" },
    });
  });

  it("with raw commas in the position still end in the reason", () => {
    const row = "1,2,0x3,-1,4,deopt-eager,</a,b.js:1:1>,prepare for on stack replacement (OSR)";
    expect(deopt(NODE_26, row)).toMatchObject({
      details: { position: "</a,b.js:1:1>", reason: "prepare for on stack replacement (OSR)" },
    });
  });

  it("without a number where one belongs, or without the texts, are malformed", () => {
    const rows = ["x,288", "1,2,zz,-1,3,a,b,c", "1,2,0x3,-1,y,a,b,c", "1,2,0x3,-1,4,a,b", "1,2,0x3"];
    const { records, faults } = recordsOf([NODE_26, ...rows.map((row) => `code-deopt,${row}`)]);
    expect(records).toHaveLength(1);
    expect(faults).toEqual(["malformed-row×5"]);
  });
});
