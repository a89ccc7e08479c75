import { describe, expect, it } from "vitest";
import { LogParser } from "../../src/log/parser.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { faultsOf, logOf, NODE_26, parse } from "../helpers/logs.ts";

const FUNCTION = "code-creation,JS,10,100,0x1000,64,";

describe("LogParser", () => {
  it("passes records in the order of the log", () => {
    const { records } = parse(logOf(...NODE_26, "tick,0x1,2,0,0x0,0", "code-move,0x10,0x20"));
    expect(records.map(({ type }) => type)).toEqual(["v8-version", "profiler", "tick", "code-move"]);
  });

  it("gives the same records however the bytes are cut", () => {
    const log = logOf(
      ...NODE_26,
      `${FUNCTION}a,b\n\nc x.js:1:1,0xff,*`,
      "tick,0x1000,2,0,0x0,0,0x1010",
      "new,CodeRange,0x10,0",
    );
    const whole = parse(log);
    expect(whole.records).toHaveLength(5);
    for (const size of [1, 2, 3, 7, 64]) expect(parse(log, size)).toEqual(whole);
  });

  it("counts empty lines, wherever they are", () => {
    const diagnostics = new Diagnostics();
    const lines: number[] = [];
    const parser: LogParser = new LogParser(
      { takeTicks: () => lines.push(parser.line), takeRecord: () => lines.push(parser.line) },
      diagnostics,
    );
    const empty = "\n".repeat(1000);
    const tick = "tick,0x1,2,0,0x0,0\n";
    parser.push(Buffer.from(`${empty}${logOf(...NODE_26)}${empty}${tick}tick,x\n${empty}${tick}`));
    parser.end();
    expect(lines).toEqual([1001, 1002, 2003, 3005]);
    expect(diagnostics.list()).toMatchObject([
      { code: "empty-line", line: 1, count: 3000 },
      { code: "malformed-row", line: 2004, count: 1 },
    ]);
  });

  it("reads a name with commas, newlines, empty lines and a line like a tick as one name", () => {
    const name = "a,0x12,*,b\n\ntick,0x1,2,0,0x0,0\nc file.js:1:1";
    const { records, faults } = parse(logOf(...NODE_26, `${FUNCTION}${name},0xff,~`));
    expect(records.at(-1)).toMatchObject({ name, function: { sfi: 0xff, mark: "~" } });
    expect(faults).toEqual([]);
  });

  it("keeps \\r before a newline in a name, unless all lines end in \\r\\n", () => {
    const name = (log: Buffer) => parse(log).records.at(-1);
    const unix = logOf(...NODE_26, `${FUNCTION}a\r\nb x.js:1:1,0xff,~`);
    expect(name(unix)).toMatchObject({ name: "a\r\nb x.js:1:1" });
    const windows = Buffer.from(unix.toString().replace("a\r", "a").replaceAll("\n", "\r\n"));
    expect(name(windows)).toMatchObject({ name: "a\nb x.js:1:1" });
  });

  it("takes the lines after a torn function row for rows once no name can be that long", () => {
    const ticks = Array.from({ length: 60 }, () => "tick,0x1,2,0,0x0,0");
    const { records, faults } = parse(logOf(...NODE_26, `${FUNCTION}torn`, ...ticks));
    expect(records.filter(({ type }) => type === "tick")).toHaveLength(60);
    expect(faults).toMatchObject([{ code: "malformed-row", count: 1, line: 3 }]);
  });

  it("takes a row whose time and address fit for a row, not for a line of a torn one", () => {
    const tick = "tick,0x7f0000001000,2000,0,0x0,0";
    const code = "code-creation,JS,10,2100,0x7f0000002000,64,g x.js:2:1,0xfe,~";
    const { records, faults } = parse(
      logOf(...NODE_26, `${FUNCTION}torn`, tick, tick, `${FUNCTION}torn`, code),
    );
    expect(records.map(({ type }) => type).slice(2)).toEqual(["tick", "tick", "code-creation"]);
    expect(faults).toMatchObject([{ code: "malformed-row", count: 2, line: 3 }]);
  });

  it("gives back the rows after a torn one at the end of the log", () => {
    const { records } = parse(logOf(...NODE_26, `${FUNCTION}torn`, "code-move,0x1,0x2", "profiler,end"));
    expect(records.map(({ type }) => type).slice(2)).toEqual(["code-move", "profiler"]);
  });

  it("gives back all rows behind torn ones, wherever one of them opens another", () => {
    const torn = (time: number) => `code-creation,JS,10,${time},0x20000,100,torn`;
    const tick = (time: number) => `tick,0x10000,${time},0,0x0,0`;
    const late = Array.from({ length: 40 }, (_, i) => tick(90_000_000 + i));
    for (const rows of [
      [tick(1000), torn(2000), torn(90_000_000), ...late],
      // After a silence, also of two rows that are not torn themselves.
      [tick(1000), torn(2000), ...late, `${FUNCTION}g x.js:2:1,0xfe,~`],
      [tick(1000), ...Array.from({ length: 120 }, () => torn(2000)), ...late],
      [tick(1e15), torn(2000), tick(2001), ...late.slice(1)],
    ]) {
      const { records, faults } = parse(logOf(...NODE_26, ...rows));
      const ticks = rows.filter((row) => row.startsWith("tick"));
      expect(records.filter(({ type }) => type === "tick")).toHaveLength(ticks.length);
      const count = rows.filter((row) => row.endsWith("torn")).length;
      expect(faults).toEqual([expect.objectContaining({ code: "malformed-row", count, line: 4 })]);
    }
  });

  it("reads the rows after an unclosed quote, and counts it", () => {
    const old = ["v8-version,5,1,281,111,0"];
    const torn = 'code-creation,LazyCompile,0,0x40000,84,"torn';
    const rows = [
      'code-creation,Stub,2,0x30000,84,"stub"',
      'code-creation,LazyCompile,0,0x50000,84,"f a.js:1",0x12345,*',
      'code-creation,LazyCompile,0,0x60000,84,"g a.js:2",0x12345,~',
    ];
    const names = (log: Buffer) =>
      parse(log)
        .records.slice(1)
        .map((record) => "name" in record && record.name);
    expect(names(logOf(...old, torn, ...rows))).toEqual(["stub", "f a.js:1", "g a.js:2"]);
    expect(faultsOf(...old, torn, ...rows)).toEqual(["malformed-row×1@2"]);
    const open = 'code-creation,Stub,2,0x70000,84,"open';
    expect(names(logOf(...old, open, ...rows))).toEqual(["open", "stub", "f a.js:1", "g a.js:2"]);
    expect(faultsOf(...old, open, ...rows)).toEqual(["open-quote×1@2"]);
    expect(faultsOf(...old, `${open}${"x".repeat(3000)}`.slice(0, 2047), ...rows)).toEqual([]);
  });

  it("reads newlines in the raw names of Node 8 and older too, but not past the cut of a row", () => {
    const rows = [
      "v8-version,6,2,414,78,0",
      'code-creation,LazyCompile,18,100,0x1000,64,"a',
      '"b" x.js:1:1",0xff,*',
    ];
    expect(parse(logOf(...rows)).records.at(-1)).toMatchObject({
      name: 'a\n"b" x.js:1:1',
      function: { mark: "*" },
    });
    const cut = `code-creation,LazyCompile,18,100,0x1000,64,"${"x".repeat(3000)}`.slice(0, 2047);
    const { records } = parse(logOf(rows[0]!, cut, "tick,0x1,2,0,0x0,0"));
    expect(records.map(({ type }) => type)).toEqual(["v8-version", "code-creation", "tick"]);
  });

  it("skips rows that no report needs, from whatever version of V8", () => {
    const rows = [
      "check-maps-depth,1",
      "regexp-compile,/a,b/g,miss",
      "regexp-exec,/a/g,x,0",
      'Entering,"GC"',
      "heap-js-cons-item,Object,1,12",
      "GlobalHandle::MakeWeak,0x1234",
      "KeyedCallIC,0x1,1",
    ];
    expect(faultsOf('profiler,"begin",1', ...rows, "tick,0x1,0x2,3")).toEqual([]);
  });

  it("reads names with newlines of V8 3, with and without the function's address", () => {
    const names = (...rows: readonly string[]) => {
      const { records, faults } = parse(logOf('profiler,"begin",1', ...rows));
      const found = records.map((record) => (record.type === "code-creation" ? record.name : record.type));
      return [found.slice(1), faults.map(({ code }) => code)];
    };
    const tick = "tick,0xb6f10,0xffcb,0,0";
    expect(names('code-creation,LazyCompile,0x20000,84,"a', "", 'b x.js:7"', tick)).toEqual([
      ["a\n\nb x.js:7", "tick"],
      [],
    ]);
    expect(names('code-creation,Function,0,0x20000,84,"', 'b x.js:7",0x30000,~', tick)).toEqual([
      ["\nb x.js:7", "tick"],
      [],
    ]);
    const torn = 'code-creation,LazyCompile,0x20000,84,"torn';
    for (const next of [tick, "code-move,0x20000,0x30000", 'code-creation,Stub,0x30000,9,"s"']) {
      const [found, faults] = names(torn, next, tick);
      expect(found, next).toHaveLength(2);
      expect(faults, next).toContain("malformed-row");
    }
  });

  it("loses to a hole of zeros only the rows that it cuts", () => {
    const tick = (time: number) => `tick,0x10000,${time},0,0x0,0,0x10010`;
    const read = (text: string) => {
      const { records, faults } = parse(Buffer.from(text));
      const ticks = records.flatMap((record) => (record.type === "tick" ? [record.timestamp] : []));
      const names = records.flatMap((record) => (record.type === "code-creation" ? [record.name] : []));
      return { ticks, names, faults: faults.map(({ code, line }) => `${code}@${line}`) };
    };
    const zeros = "\0".repeat(4096);
    const head = `${NODE_26.join("\n")}\n${tick(1)}\n`;
    for (const torn of ["tick,0x10000,2", tick(2), "map,Transition,7", "script-source,7,/x.js,let a"]) {
      const { ticks, faults } = read(`${head}${torn}${zeros}${tick(3)}\n${tick(4)}\n`);
      expect(ticks, torn).toEqual([1, 3, 4]);
      expect(faults, torn).toEqual(torn.startsWith("tick") ? ["hole@4", "malformed-row@4"] : ["hole@4"]);
    }
    // At the start of a row, and inside one.
    expect(read(`${head}${zeros}${tick(3)}\n`)).toMatchObject({ ticks: [1, 3], faults: ["hole@4"] });
    expect(read(`${head}${zeros}00,3,0,0x0,0\n${tick(4)}\n`)).toMatchObject({ ticks: [1, 4] });
    // In the name of a function: a few zeros are its own.
    const named = `${FUNCTION}a\0\0b x.js:1:1,0xff,~\n`;
    expect(read(`${head}${named}${tick(3)}\n`)).toMatchObject({ names: ["a\0\0b x.js:1:1"], faults: [] });
    const cut = `${FUNCTION}torn\nname${zeros}${FUNCTION}f x.js:1:1,0xff,~\n${tick(3)}\n`;
    expect(read(head + cut)).toEqual({
      ticks: [1, 3],
      names: ["f x.js:1:1"],
      faults: ["malformed-row@4", "hole@5"],
    });
  });

  it("names the first types of rows that it does not know or cannot read", () => {
    const messageOf = (...rows: readonly string[]) => parse(logOf(...NODE_26, ...rows)).faults[0]?.message;
    expect(messageOf("nonsense,1", "gibberish", "nonsense,2")).toBe(
      "rows of unknown types (skipped): nonsense, gibberish",
    );
    expect(messageOf("tick,zz,2,0,0x0,0", "code-move,1")).toBe("unreadable rows (skipped): tick, code-move");
    expect(messageOf(...[..."abcdefg"])).toBe("rows of unknown types (skipped): a, b, c, d, e, …");
    expect(messageOf("\x1b[2J,1", "some words,1", "x".repeat(60))).toBe("rows of unknown types (skipped)");
  });

  it("counts each kind of fault once, with its first line, and reads the rest", () => {
    expect(faultsOf(...NODE_26, "", "tick,0x1,2,0,0x0,0", "")).toEqual(["empty-line×2@3"]);
    expect(faultsOf(...NODE_26, "nonsense,1", "gibberish")).toEqual(["unknown-row×2@3"]);
    expect(faultsOf(...NODE_26, "tick,zz,2,0,0x0,0")).toEqual(["malformed-row×1@3"]);
    expect(faultsOf(...NODE_26, "tick,0x1,2,0,0x0,0,0x12,zz")).toEqual(["malformed-frame×1@3"]);
    expect(faultsOf(...NODE_26, "tick,0x1,2,0,0x0,0,0x12,overflow")).toEqual(["overflow×1@3"]);
    expect(faultsOf(...NODE_26, "tick,0x1,2,0,0x0,99")).toEqual(["unknown-state×1@3"]);
    expect(faultsOf(...NODE_26, "tick,0x1,2,0,0x0,0,0x7\r", `${FUNCTION}f x.js:1:1,0xff,~\r`)).toEqual([
      "crlf×1@3",
    ]);
    expect(faultsOf(...NODE_26.map((row) => `${row}\r`), "tick,0x1,2,0,0x0,0\r")).toEqual(["crlf×1@1"]);
  });

  it("does not trust a last row without a newline", () => {
    const log = Buffer.concat([logOf(...NODE_26), Buffer.from("tick,0x1234,2,0,0x0,0,0x56")]);
    const { records, faults } = parse(log);
    expect(records.map(({ type }) => type)).toEqual(["v8-version", "profiler"]);
    expect(faults).toMatchObject([{ code: "cut-row", count: 1, line: 3 }]);
  });

  it("counts names that are not UTF-8 and keeps them", () => {
    const log = Buffer.from(`${NODE_26.join("\n")}\n${FUNCTION}\xff x.js:1:1,0xff,~\n`, "latin1");
    const { records, faults } = parse(log);
    expect(records.at(-1)).toMatchObject({ name: "\ufffd x.js:1:1" });
    expect(faults).toMatchObject([{ code: "invalid-utf8", line: 3 }]);
  });

  it("never throws, wherever a log is cut", () => {
    const log = logOf(
      ...NODE_26,
      "shared-library,/a,0x1,0x2,0",
      `${FUNCTION}f x.js:1:1,0xff,o*'`,
      "tick,0x1000,2,1,0x5,6,0x10,+0x12,-0x3",
    );
    for (let end = 0; end <= log.length; end++) expect(() => parse(log.subarray(0, end))).not.toThrow();
  });
});
