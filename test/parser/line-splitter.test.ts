import { afterEach, describe, expect, it, vi } from "vitest";
import { LineSplitter } from "../../src/parser/parser.ts";

function linesOf(chunks: readonly string[]): { lines: string[]; rest: string } {
  const lines: string[] = [];
  const splitter = new LineSplitter((bytes, start, end) => lines.push(bytes.toString("utf8", start, end)));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  return { lines, rest: splitter.takeRest(Number.POSITIVE_INFINITY)?.toString() ?? "" };
}

/** The class of memory where there is too little address space for memory that grows. */
function withoutGrowing(plain: ArrayBufferConstructor): ArrayBufferConstructor {
  return class extends plain {
    constructor(bytes: number, limits?: { readonly maxByteLength: number }) {
      if (limits !== undefined) throw new RangeError("Array buffer allocation failed");
      super(bytes);
    }
  } as ArrayBufferConstructor;
}

describe("LineSplitter", () => {
  afterEach(() => vi.unstubAllGlobals());

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

  it("gives a long line away, in memory that is its own", () => {
    for (const isShort of [false, true]) {
      if (isShort) vi.stubGlobal("ArrayBuffer", withoutGrowing(ArrayBuffer));
      const kept: Buffer[] = [];
      const splitter = new LineSplitter((bytes, start, end) => {
        if (end - start < 100) return;
        expect(splitter.gives(bytes)).toBe(true);
        kept.push(bytes.subarray(start, end));
      });
      const texts = [3, 2].map((mebibytes, i) => `${i}`.repeat(mebibytes << 20));
      const log = Buffer.from(texts.map((text) => `${text}\nshort\n`).join(""));
      for (let at = 0; at < log.length; at += 100_000) splitter.push(log.subarray(at, at + 100_000));
      vi.unstubAllGlobals();
      expect(kept.map(String)).toEqual(texts);
    }
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
