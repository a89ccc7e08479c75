import { describe, expect, it } from "vitest";
import { PackedText } from "../../src/symbolizer/function-identities.ts";

/** What {@link PackedText} has between two offsets, made from the stretch itself. */
function packed(text: string, start: number, end: number): Buffer {
  return Buffer.from(text.slice(start, end).replace(/\s+/g, ""));
}

describe("PackedText", () => {
  const words = ["a", "  ", "{", "\n\t", "é", "\u00a0", "\u2028", "語", "\ufeff", "😀", "x;\r\n"];
  const text = Array.from({ length: 700 }, (_, i) => words[(i * i + (i >> 3)) % words.length]).join("");

  const ascii = text.replace(/[^\0-\x7f]/g, "-");

  it.each([text, ascii])("has each stretch of a text without its white space", (text) => {
    const all = new PackedText(text);
    for (let start = 0; start <= text.length; start += 7) {
      for (const end of [start, start + 1, start + 63, start + 200, text.length]) {
        if (end > text.length || end < start) continue;
        const found = all.between(start, end);
        const isCut = [start, end].some((at) => /^[\udc00-\udfff]/.test(text.slice(at)));
        if (isCut) expect(found).toBeUndefined();
        else expect(Buffer.from(found!).equals(packed(text, start, end))).toBe(true);
      }
    }
  });

  it("knows all white space of patterns", () => {
    const units = Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).join("");
    const found = new PackedText(units).between(0, units.length);
    expect(Buffer.from(found!).equals(packed(units, 0, units.length))).toBe(true);
  });

  it("leaves out texts with half a character, which white space may part from the rest", () => {
    expect(new PackedText("a\ud83d \ude00b").between(0, 1)).toBeUndefined();
    expect(new PackedText("a\ud83d\ude00b").between(0, 4)).toHaveLength(6);
    expect(new PackedText("").between(0, 0)).toHaveLength(0);
  });
});
