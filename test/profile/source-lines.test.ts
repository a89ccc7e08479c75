import { describe, expect, it } from "vitest";
import { lineStarts, sourceLines } from "../../src/profile/source-lines.ts";

describe("the lines of a script", () => {
  it.each(["", "a", "a\n", "\r\n", "a\r\nb\rc\nd\u2028e\u2029f", "\n\r\n\r", "\r"])(
    "of %j begin where they are",
    (text) => {
      const lines = sourceLines(text);
      const starts = Array.from(lineStarts(text));
      expect(starts.map((start, i) => text.slice(start, start + lines[i]!.length))).toEqual(lines);
      for (const start of starts.slice(1)) expect("\r\n\u2028\u2029").toContain(text[start - 1]);
    },
  );
});
