import { describe, expect, it } from "vitest";
import { logOf, parse } from "../../helpers/logs.ts";

function code(version: string, row: string) {
  const { records } = parse(logOf(`v8-version,${version}`, `code-creation,${row}`));
  return records.find(({ type }) => type === "code-creation");
}

const NODE_4 = "4,5,103,53,0";
const NODE_8 = "6,2,414,78,0";
const NODE_10 = "6,8,275,32,-node.59,0";
const NODE_26 = "14,6,202,34,-node.34,0";

describe("code-creation rows", () => {
  it("to V8 3.14: type,address,size,name", () => {
    expect(code("3,14,5,9,0", 'LazyCompile,0x2a,10,"f a.js:1",0xff,~')).toMatchObject({
      codeType: "LazyCompile",
      address: 0x2a,
      size: 10,
      name: "f a.js:1",
      function: { sfi: 0xff, mark: "~" },
    });
  });

  it("to Node 6: type,kind,address,size,name", () => {
    expect(code(NODE_4, 'Stub,2,0x2a,10,"CEntryStub"')).toMatchObject({
      address: 0x2a,
      size: 10,
      name: "CEntryStub",
      function: undefined,
    });
  });

  it("of Node 8: with a time, quoted, nothing escaped between the quotes", () => {
    const row = String.raw`LazyCompile,18,1234,0x2a,10,"a,"b"\x41 c.js:1:1",0xff,*`;
    expect(code(NODE_8, row)).toMatchObject({
      name: String.raw`a,"b"\x41 c.js:1:1`,
      function: { mark: "*" },
    });
  });

  it("of Windows without 0x", () => {
    expect(code("5,8,283,41,0", 'Stub,2,000000BABADD9640,10,"x"')).toMatchObject({ address: 0xbabadd9640 });
    expect(code("5,8,283,41,0", 'Stub,2,77BADD96,10,"x"')).toMatchObject({ address: 0x77badd96, size: 10 });
    expect(code("6,0,286,52,0", 'Stub,2,1234,77BADD96,10,"x"')).toMatchObject({ timestamp: 1234, size: 10 });
  });

  it("of Node 10: escaped, a byte of a wide character by its sign extension", () => {
    expect(
      code(NODE_10, String.raw`LazyCompile,12,7,0x2a,10,a\x2Cb\n\xffffffe4\u65e5\\ c.js:1:1,0xff,~`),
    ).toMatchObject({
      name: "a,b\nä日\\ c.js:1:1",
    });
  });

  it("of Node 16 and later: raw names between fixed fields", () => {
    expect(code(NODE_26, 'JS,10,7,0x2a,10,"q",0x1,, c.js:1:1,0xff,')).toMatchObject({
      name: '"q",0x1,, c.js:1:1',
      function: { sfi: 0xff, mark: "" },
    });
  });

  it("keep every tier mark, also of tiers to come", () => {
    for (const mark of ["", "~", "^", "+", "+'", "*'", "o+", "o*'", "#"]) {
      expect(code(NODE_26, `JS,10,7,0x2a,10,f c.js:1:1,0xff,${mark}`)).toMatchObject({ function: { mark } });
    }
  });

  it("of a regular expression are no function, whatever its source ends in", () => {
    expect(code(NODE_26, String.raw`RegExp,4,7,0x2a,10,a\x2C0x1\x2C*`)).toMatchObject({
      name: "a,0x1,*",
      function: undefined,
    });
  });

  it("of WebAssembly are functions without a tier", () => {
    expect(code(NODE_26, "JS,4,7,0x2a,10,wasm-function[3],0x5,")).toMatchObject({
      function: { sfi: 5, mark: "" },
    });
  });

  it("may have a null pointer in words for the function", () => {
    const rows = [
      'code-creation,LazyCompile,0,7,0x2a,10,"f c.js:1:1",(nil),~',
      "tick,(nil),9,0,(nil),4,0x2c",
    ];
    const { records, faults } = parse(logOf("v8-version,5,8,283,41,0", ...rows));
    expect(records.slice(1)).toMatchObject([
      { name: "f c.js:1:1", function: { sfi: 0, mark: "~" } },
      { pc: 0, timestamp: 9 },
    ]);
    expect(faults).toEqual([]);
  });

  it("without an address or a size are malformed", () => {
    for (const row of ["JS", "JS,1,2,3,4,5", "Stub,2,7,0x2a,zz,name", "Stub,2,7,0x2a,10"]) {
      expect(code(NODE_26, row)).toBeUndefined();
    }
  });
});
