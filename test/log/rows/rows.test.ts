import { describe, expect, it } from "vitest";
import { unescapeBytes } from "../../../src/log/fields.ts";
import { LogParser } from "../../../src/log/parser.ts";
import {
  FUNCTION_EVENT_ROWS,
  recordSink,
  type ScriptSourceRecord,
} from "../../../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../../../src/profile/diagnostics.ts";
import { faultsOf, logOf, NODE_26, parse } from "../../helpers/logs.ts";
import { recordsOf } from "../../helpers/optional-rows.ts";

describe("code-creation rows", () => {
  function code(version: string, row: string) {
    const { records } = parse(logOf(`v8-version,${version}`, `code-creation,${row}`));
    return records.find(({ type }) => type === "code-creation");
  }
  const NODE_4 = "4,5,103,53,0";
  const NODE_8 = "6,2,414,78,0";
  const NODE_10 = "6,8,275,32,-node.59,0";
  const NODE_26 = "14,6,202,34,-node.34,0";

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

describe("code-deopt rows", () => {
  const NODE_8 = "v8-version,6,2,414,78,0";
  const NODE_10 = "v8-version,6,8,275,32,-node.59,0";
  const NODE_26 = "v8-version,14,6,202,34,-node.34,0";
  function deopt(version: string, fields: string) {
    return recordsOf([version, `code-deopt,${fields}`]).records[1];
  }

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

function records(...rows: string[]) {
  const { records, faults } = parse(logOf(...NODE_26, ...rows), undefined, FUNCTION_EVENT_ROWS);
  return { records: records.slice(NODE_26.length), faults: faults.map(({ code }) => code) };
}

describe("rows of --log-function-events", () => {
  it("have the steps of V8's work, as Node 10 and Node 26 write them", () => {
    expect(
      records(
        "function,preparse-resolution,,8,429,494,0.079,22084,notify",
        "function,parse-eval,94,-1,-1,0.163,255438,",
        "function,full-parse,7,0,10,1e-05,99,a,b",
      ),
    ).toEqual({
      records: [
        {
          type: "function",
          event: "preparse-resolution",
          script: 8,
          start: 429,
          end: 494,
          duration: 0.079,
          timestamp: 22084,
        },
        {
          type: "function",
          event: "parse-eval",
          script: 94,
          start: -1,
          end: -1,
          duration: 0.163,
          timestamp: 255438,
        },
        {
          type: "function",
          event: "full-parse",
          script: 7,
          start: 0,
          end: 10,
          duration: 0.00001,
          timestamp: 99,
        },
      ],
      faults: [],
    });
  });

  it("have scripts and the cache of the isolate", () => {
    expect(
      records(
        "script,create,94,255252",
        "script-details,94,/srv/a\\x2Cb.js,0,0,",
        "compilation-cache,put,script,88,0,2570,405113",
        "compilation-cache,hit",
      ).records,
    ).toEqual([
      { type: "script", event: "create", id: 94, timestamp: 255252 },
      { type: "script-details", id: 94, url: "/srv/a,b.js" },
      { type: "compilation-cache", event: "put", timestamp: 405113 },
      { type: "compilation-cache", event: "hit", timestamp: 0 },
    ]);
  });

  it("are skipped if numbers are missing or absurd", () => {
    const rows = [
      "function",
      "function,full-parse,1,2",
      "function,full-parse,1,2,3,-4,5,",
      "function,full-parse,1,2,3,1e400,5,",
      `function,full-parse,1,2,3,${"9".repeat(400)},5,`,
      "function,full-parse,99999999999,2,3,4,5,",
      "script,create,x,1",
      "script,create",
      "script-details,x,/a.js",
      "script-details,1",
    ];
    const { records: found, faults } = records(...rows);
    expect(found).toEqual([]);
    expect(faults).toEqual(["malformed-row"]);
    // Nobody reads them without being asked.
    expect(faultsOf(...NODE_26, ...rows)).toEqual([]);
  });
});

describe("rows of inline caches", () => {
  const NODE_8 = "v8-version,6,2,414,78,0";
  const NODE_26 = "v8-version,14,6,202,34,-node.34,0";
  function ic(version: string, row: string) {
    return recordsOf([version, row]).records[1];
  }

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

function record(row: string) {
  return parse(logOf(row)).records[0];
}

describe("v8-version rows", () => {
  it("with and without an embedder", () => {
    expect(record("v8-version,14,6,202,34,-node.34,0")).toMatchObject({
      major: 14,
      minor: 6,
      build: 202,
      patch: 34,
      embedder: "-node.34",
    });
    expect(record("v8-version,6,2,414,78,0")).toMatchObject({ major: 6, embedder: "" });
  });
});

describe("shared-library rows", () => {
  const library = (row: string) => record(`shared-library,${row}`);

  it("quoted, without and with a slide", () => {
    expect(library('"/bin/node",0x00400000,0x016de000')).toMatchObject({
      path: "/bin/node",
      start: 0x400000,
      end: 0x16de000,
      slide: 0,
    });
    expect(library('"/bin/node",0x00400000,0x016de000,0')).toMatchObject({ path: "/bin/node" });
    expect(library("/usr/lib/dyld,0x7ff8,0x7fff,4096")).toMatchObject({ slide: 4096 });
  });

  it("with escapes undone, unless Node 10 left a Windows path as it was", () => {
    expect(library(String.raw`/a\x2Cb,0x1,0x2,0`)).toMatchObject({ path: "/a,b" });
    expect(library(String.raw`C:\\nodejs\\node.exe,0x1,0x2,0`)).toMatchObject({
      path: String.raw`C:\nodejs\node.exe`,
    });
    expect(library(String.raw`C:\nodejs\node.exe,0x1,0x2,0`)).toMatchObject({
      path: String.raw`C:\nodejs\node.exe`,
    });
  });

  // As Node wrote them for copies of itself in such folders.
  it.each([
    ["8", String.raw`"/home/größe 日本/a\b,c/n\012l/node"`, "/home/größe 日本/a\\b,c/n\nl/node"],
    [
      "10",
      String.raw`/home/gr\xffffffc3\xffffffb6\xffffffc3\xffffff9fe \xffffffe6\xffffff97\xffffffa5\xffffffe6\xffffff9c\xffffffac/a\b\x2Cc/n\012l/node`,
      "/home/größe 日本/a\\b,c/n\nl/node",
    ],
    [
      "11 and later",
      String.raw`/home/gr\xc3\xb6\xc3\x9fe \xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80/a\\x41\\xc3\x2Cc/n\\012l/node`,
      "/home/größe 日本😀/a\\x41\\xc3,c/n\nl/node",
    ],
    [
      "10 on Windows",
      String.raw`D:\Users\J\xffffffc3\xffffffb6rg\x64\n\x2Cb\node.exe`,
      String.raw`D:\Users\Jörg\x64\n,b\node.exe`,
    ],
    ["10 on a Windows share", String.raw`\\host\new\x86\node.exe`, String.raw`\\host\new\x86\node.exe`],
    ["12 on Windows", String.raw`D:\\J\xc3\xb6rg\\node.exe`, String.raw`D:\Jörg\node.exe`],
    ["12 on a Windows share", String.raw`\\\\host\\new\\node.exe`, String.raw`\\host\new\node.exe`],
    ["12, with a byte that is not UTF-8", String.raw`/home/caf\xe9/node`, "/home/café/node"],
  ])("with a path beyond ASCII in the bytes of Node %s", (_, written, path) => {
    const v8 = written.startsWith('"') ? "v8-version,6,2,414,78,0" : "v8-version,12,4,254,21,-node.27,0";
    const rows = logOf(v8, `shared-library,${written},0x400000,0x800000,0`);
    expect(parse(rows).records.at(-1)).toMatchObject({ path, start: 0x400000 });
  });

  it("that end before they start are malformed", () => {
    expect(faultsOf("shared-library,/a,0x2,0x1,0")).toEqual(["malformed-row×1@1"]);
  });
});

describe("profiler rows", () => {
  it("state the interval in microseconds, whatever the version wrote", () => {
    expect(record('profiler,"begin",1')).toMatchObject({ event: "begin", interval: 1000 });
    expect(record("profiler,begin,1000")).toMatchObject({ interval: 1000 });
    expect(record("profiler,end")).toMatchObject({ event: "end", interval: undefined });
  });
});

describe("small rows", () => {
  it("are decoded", () => {
    expect(record("code-move,0x10,0x20")).toEqual({ type: "code-move", from: 16, to: 32 });
    expect(record("sfi-move,0x10,0x20")).toEqual({ type: "sfi-move", from: 16, to: 32 });
    expect(record("code-delete,0x10")).toEqual({ type: "code-delete", address: 16 });
    expect(record("new,CodeRange,0x10,0")).toEqual({ type: "new", name: "CodeRange", address: 16 });
    expect(record("current-time,1234")).toEqual({ type: "current-time" });
    expect(record("active-runtime-timer,JS_Execution")).toEqual({
      type: "active-runtime-timer",
      name: "JS_Execution",
    });
    expect(record('timer-event-start,"V8.Execute",12')).toEqual({ type: "timer-event" });
  });

  it("are malformed without their addresses", () => {
    const rows = [
      "code-move,0x10",
      "sfi-move,x,0x1",
      "code-delete,",
      "new,CodeRange",
      "v8-version,a,b",
      "profiler,begin,x",
    ];
    expect(faultsOf(...rows)).toEqual(["malformed-row×6@1"]);
  });
});

const VERSION = "v8-version,14,6,202,34,-node.34,0";

function script(fields: string) {
  const record = recordsOf([VERSION, `script-source,${fields}`]).records[1] as ScriptSourceRecord;
  return { ...record, source: unescapeBytes(record.source) };
}

describe("script-source rows", () => {
  it("have their escapes undone", () => {
    expect(script(String.raw`89,"odd\x2C name\nx,a(1\x2C "\\n")\n// \u65e5\xe4`)).toEqual({
      type: "script-source",
      id: 89,
      url: '"odd, name\nx',
      source: 'a(1, "\\n")\n// 日ä',
    });
  });

  it("may have an empty name, an empty source, and commas in it", () => {
    expect(script("1,,")).toMatchObject({ url: "", source: "" });
    expect(script("1,x.js,a,b,c")).toMatchObject({ source: "a,b,c" });
  });

  it("without an id or a source are malformed", () => {
    const rows = ["x,a.js,1", "-1,a.js,1", "7", "7,a.js"];
    const { records, faults } = recordsOf([VERSION, ...rows.map((row) => `script-source,${row}`)]);
    expect(records).toHaveLength(1);
    expect(faults).toEqual(["malformed-row×4"]);
  });

  it("keep their text in memory of their own, however long they are", () => {
    // Many of the short ones are cut by the end of a chunk.
    const short = Array.from({ length: 30 }, () => 20_000);
    const texts = [2_000_000, 10, ...short, 3_000_000, 20].map((length, i) => `${i % 10}`.repeat(length));
    // Its last line ends it as torn, and the line before is read again while the last one is given away.
    const torn = ["code-creation,JS,10,1000,0x20000,100,torn", "script-source,8,c.js,abc"];
    const long = `code-creation,JS,10,1000,0x20000,100,${"x".repeat(1_500_000)} c.js:1:1,0x99990,*`;
    const rows = texts.map((text, i) => `script-source,${i},a.js,${text}`);
    const log = logOf(VERSION, ...rows, ...torn, long, "script-source,9,b.js,end");
    const sources: Uint8Array<ArrayBuffer>[] = [];
    const sink = recordSink((record) => {
      if (record.type === "script-source") sources.push(record.source);
    });
    const parser = new LogParser(sink, new Diagnostics(), { optionalRows: ["script-source"] });
    for (let at = 0; at < log.length; at += 1 << 16) parser.push(log.subarray(at, at + (1 << 16)));
    parser.end();
    const found = sources.map((source) => Buffer.from(source).toString());
    expect(found.map((text) => text.length)).toEqual([...texts.map(({ length }) => length), 3, 3]);
    expect(texts.every((text, i) => text === found[i])).toBe(true);
    expect(found.slice(texts.length)).toEqual(["abc", "end"]);
    expect(new Set(sources.map(({ buffer }) => buffer)).size).toBe(sources.length);
    // What another thread takes over must not be shared with what this one needs.
    for (const { buffer, length } of sources) if (length < 1_000_000) expect(buffer.byteLength).toBe(length);
  });
});
