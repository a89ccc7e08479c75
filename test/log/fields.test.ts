import { describe, expect, it } from "vitest";
import { Row, unescapeBytes, unescapeText } from "../../src/log/fields.ts";
import { LineSplitter } from "../../src/log/parser.ts";
import { type Extra, RecordWriter, readBatch } from "../../src/log/record-batch.ts";
import type { LogRecord } from "../../src/log/rows/row-decoders.ts";
import type { TickRecord } from "../../src/log/rows/tick.ts";
import { recordsOf } from "../helpers/optional-rows.ts";

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

describe.each([
  ["unescapeText", unescapeText],
  ["unescapeBytes", (text: string) => unescapeBytes(new Uint8Array(Buffer.from(text)))],
])("%s", (_, unescaped) => {
  it("undoes V8's escapes and leaves other backslashes", () => {
    expect(unescaped(String.raw`\n\\n\x2C\u65e5\xffffffe4\q\x2`)).toBe("\n\\n,日ä\\q\\x2");
  });

  it("keeps an escape that the end cuts", () => {
    for (const cut of ["\\", "\\x", "\\x2", "\\u", "\\u65e", "\\q"]) expect(unescaped(cut)).toBe(cut);
    expect(unescaped("\\xffffffe")).toBe("\xffffffe");
  });

  it("decodes texts that are longer than a piece, with one and two bytes a letter", () => {
    const narrow = "a\\x2Cb\\n".repeat(20_000);
    const wide = "\\u65e5".repeat(20_000);
    expect(unescaped(narrow + wide + narrow) === expected()).toBe(true);

    function expected(): string {
      const lines = "a,b\n".repeat(20_000);
      return lines + "日".repeat(20_000) + lines;
    }
  });

  it("keeps text beside escapes that is not ASCII", () => {
    expect(unescaped("ä日\\x2C")).toBe("ä日,");
  });
});

function linesOf(chunks: readonly string[]): { lines: string[]; rest: string } {
  const lines: string[] = [];
  const splitter = new LineSplitter((bytes, start, end) => lines.push(bytes.toString("utf8", start, end)));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  return { lines, rest: splitter.takeRest(Number.POSITIVE_INFINITY)?.toString() ?? "" };
}

describe("LineSplitter", () => {
  it("finds lines within and across chunks, empty ones too", () => {
    expect(linesOf(["a\n\nb", "", "c", "d\n", "\ne"])).toEqual({ lines: ["a", "", "bcd", ""], rest: "e" });
  });

  it("tells of lines that are too long, and keeps only how they begin", () => {
    const longest = "x".repeat(280);
    const long = "y".repeat(700);
    for (const size of [1, 2, 7, 100, 1000]) {
      const found: string[] = [];
      const splitter = new LineSplitter(
        (bytes, start, end) => found.push(bytes.toString("utf8", start, end)),
        {
          onLongLine: (head) => found.push(`${head.toString()}…`),
          limit: 280,
        },
      );
      const text = Buffer.from(`a\n${longest}\n${longest}x\nb\n${long}\n\nc`);
      for (let at = 0; at < text.length; at += size) splitter.push(text.subarray(at, at + size));
      const heads = [longest, long].map((line) => `${line.slice(0, 256)}…`);
      expect(found, `${size}`).toEqual(["a", longest, heads[0], "b", heads[1], ""]);
      expect(splitter.hasRest).toBe(true);
      splitter.push(Buffer.from(long));
      expect(splitter.hasRest).toBe(true);
      splitter.push(Buffer.from("\nd\n"));
      expect(found.slice(-2)).toEqual([`c${"y".repeat(255)}…`, "d"]);
    }
  });

  it("copies a line in many pieces a few times, not once a piece", () => {
    let length = 0;
    const splitter = new LineSplitter((_, start, end) => {
      length = end - start;
    });
    const piece = Buffer.alloc(16, "x");
    // 2^21 bytes, which took 2^37 if each piece copied all before it.
    for (let i = 0; i < 1 << 17; i++) splitter.push(piece);
    splitter.push(Buffer.from("\n"));
    expect(length).toBe(1 << 21);
  });

  it("gives the rest of a chunk away if it is short enough, and goes on without it", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((bytes, start, end) => lines.push(bytes.toString("utf8", start, end)));
    expect(splitter.takeRest(8)).toBe(undefined);
    splitter.push(Buffer.from("a\nrest"));
    expect(splitter.takeRest(3)).toBe(undefined);
    const rest = splitter.takeRest(4)!;
    expect([rest.toString(), splitter.hasRest]).toEqual(["rest", false]);
    splitter.push(Buffer.concat([rest, Buffer.from("\nb\n")]));
    expect(lines).toEqual(["a", "rest", "b"]);
  });

  it("keeps no view of a chunk", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((bytes, start, end) => lines.push(bytes.toString("utf8", start, end)));
    const chunk = Buffer.from("kept");
    splitter.push(chunk);
    chunk.fill("x");
    splitter.push(Buffer.from("\n"));
    expect(lines).toEqual(["kept"]);
  });
});

const ROWS = ["code-deopt,x", "code-source-info,x", "script-source,1,a.js,text"];

describe("optional rows", () => {
  it("that nobody wants are known, and not read", () => {
    expect(recordsOf(ROWS, [])).toEqual({ records: [], faults: [], knownRows: 3 });
  });

  it("that somebody wants are read", () => {
    const { records, faults, knownRows } = recordsOf(ROWS, ["script-source", "code-deopt"]);
    expect(records).toMatchObject([{ type: "script-source", url: "a.js" }]);
    expect(faults).toEqual(["malformed-row×1"]);
    expect(knownRows).toBe(3);
  });
});

const CELLS = 64;

/** Writes in one way and reads in another. */
function roundTrip(write: (writer: RecordWriter) => void) {
  const taken: unknown[] = [];
  let ticks = 0;
  let batches = 0;
  const memory = new Float64Array(CELLS);
  const writer = new RecordWriter(
    () => memory,
    (length, extras) => {
      batches++;
      ticks += readBatch(memory.subarray(0, length), structuredClone(extras) as Extra[], {
        takeTicks: (cells, count, line) => taken.push({ cells: Array.from(cells), count, line }),
        takeRecord: (record, line) => taken.push({ record, line }),
        add: (code, line, type, times) => taken.push({ code, line, type, times }),
      });
    },
  );
  write(writer);
  writer.flush();
  return { taken, ticks, batches };
}

describe("a batch of records", () => {
  it("keeps the order of ticks, other records and faults, with their lines", () => {
    const record: LogRecord = { type: "code-delete", address: 7 };
    const expected: unknown[] = [];
    const { taken, ticks, batches } = roundTrip((writer) => {
      for (let i = 1; i <= 100; i++) {
        const cells = Array.from({ length: i % 60 }, (_, cell) => 1000 * i + cell);
        writer.takeTicks(Float64Array.from(cells), i, 3 * i);
        writer.add("malformed-row", 3 * i + 1, "tick");
        writer.takeRecord(record, 3 * i + 2);
        expected.push(
          { cells, count: i, line: 3 * i },
          { code: "malformed-row", line: 3 * i + 1, type: "tick", times: 1 },
          { record, line: 3 * i + 2 },
        );
      }
    });
    expect(taken).toEqual(expected);
    expect(ticks).toBe(5050);
    expect(batches).toBeGreaterThan(40);
  });

  it("passes on a fault once with its number, however often it comes between two records", () => {
    const { taken, batches } = roundTrip((writer) => {
      writer.add("empty-line", 1, undefined, 7);
      for (let line = 8; line < 10_000; line++) {
        writer.add("unknown-row", line, "x");
        writer.add("crlf", line);
      }
      writer.takeRecord({ type: "code-delete", address: 7 }, 10_000);
      writer.add("crlf", 10_001);
    });
    expect(taken).toEqual([
      { code: "empty-line", line: 1, type: undefined, times: 7 },
      { code: "unknown-row", line: 8, type: "x", times: 9992 },
      { code: "crlf", line: 8, type: undefined, times: 9992 },
      { record: { type: "code-delete", address: 7 }, line: 10_000 },
      { code: "crlf", line: 10_001, type: undefined, times: 1 },
    ]);
    expect(batches).toBe(1);
  });

  it("holds odd ticks as records, with no more frames than they have", () => {
    const tick: TickRecord = {
      type: "tick",
      pc: 1,
      timestamp: 2,
      isExternal: false,
      tos: 0,
      vmState: 0,
      frames: Float64Array.of(10, 11, 99, 99),
      depth: 2,
      hasOverflow: true,
    };
    const { taken, ticks } = roundTrip((writer) => writer.takeRecord(tick, 5));
    expect(taken).toEqual([{ record: { ...tick, frames: Float64Array.of(10, 11) }, line: 5 }]);
    expect(ticks).toBe(1);
  });
});
