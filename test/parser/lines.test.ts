import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../src/parser/lines.ts";

function linesOf(chunks: readonly string[]): { lines: string[]; rest: string } {
  const lines: string[] = [];
  const splitter = new LineSplitter((bytes, start, end) => lines.push(bytes.toString("utf8", start, end)));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  return { lines, rest: splitter.rest().toString() };
}

describe("LineSplitter", () => {
  it("finds lines within and across chunks, empty ones too", () => {
    expect(linesOf(["a\n\nb", "", "c", "d\n", "\ne"])).toEqual({ lines: ["a", "", "bcd", ""], rest: "e" });
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
