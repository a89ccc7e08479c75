import { describe, expect, it } from "vitest";
import { SHOWN_NAME_LENGTH } from "../../src/limits.ts";
import { cutName, jsonText, printable, printableLines, wholeJsonText } from "../../src/views/shown-text.ts";

describe("printable text", () => {
  it.each([
    ["plain", "plain"],
    ["naïve 計算 👍", "naïve 計算 👍"],
    ["\n\r\t\0\x1b\x7f\x9b", "\\n\\r\\t\\x00\\x1b\\x7f\\x9b"],
    ["a\u202eb\u2066c\u061c\u200f", "a\\u202eb\\u2066c\\u061c\\u200f"],
    ["\u2028\u2029\u200b\ufeff\u00ad", "\\u2028\\u2029\\u200b\\ufeff\\xad"],
    ["a\ud83d b\ude00", "a\\ud83d b\\ude00"],
    ["\u{e0041}\u{1d173}", "\\u{e0041}\\u{1d173}"],
    ["👨‍👩‍👧 ❤️‍🔥 1️⃣ ©️", "👨‍👩‍👧 ❤️‍🔥 1️⃣ ©️"],
    ["a\u200db \u200d計 計\u200d a\ufe0f", "a\\u200db \\u200d計 計\\u200d a\\ufe0f"],
  ])("%j", (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printable(shown)).toBe(shown);
  });

  it("keeps the lines of a text of several", () => {
    expect(printableLines("a\x1b\nb\t")).toBe("a\\x1b\nb\\t");
  });

  it("has an end", () => {
    for (const text of [
      "x".repeat(SHOWN_NAME_LENGTH + 1),
      "\x1b".repeat(SHOWN_NAME_LENGTH),
      "😀".repeat(1e5),
    ]) {
      const shown = printable(text);
      expect(shown.length).toBeLessThanOrEqual(SHOWN_NAME_LENGTH);
      expect(shown).toMatch(/… \([\d,]+ more characters\)$/);
      expect(printable(shown)).toBe(shown);
    }
  });
});

describe("a cut name", () => {
  it("is itself up to the limit, and says past it what is left out", () => {
    const name = "x".repeat(SHOWN_NAME_LENGTH);
    expect(cutName(name)).toBe(name);
    const kept = SHOWN_NAME_LENGTH - 64;
    expect(cutName("y".repeat(kept + 1_234_567))).toBe(`${"y".repeat(kept)}… (1,234,567 more characters)`);
  });

  it("splits no character", () => {
    for (const lead of ["", "a"]) expect(cutName(lead + "😀".repeat(1e5))).not.toMatch(/\p{Cs}/u);
  });
});

describe("JSON", () => {
  it.each([
    ["\ud800", '"\ufffd"'],
    ["\\ud800 \ud83d\\", '"\\\\ud800 \ufffd\\\\"'],
    ["\u2028\x9b\u202e\u{e0041}", '"\\u2028\\u009b\\u202e\\udb40\\udc41"'],
    [{ a: [Number.POSITIVE_INFINITY, Number.NaN, 1.5] }, '{"a":[9007199254740991,0,1.5]}'],
    ['"é👍"', '"\\"é👍\\""'],
  ])("of %j", (value, text) => {
    expect(jsonText(value)).toBe(text);
  });

  it("is the same to a parser", () => {
    const value = { "k\u2028": "\x7f\u200d\u200dx👨‍👩‍👧\u{e0041}\\u0041\n" };
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });

  it.each([1, 100, 10_000])(
    "escapes what is hidden anywhere among plain text, and keeps what joins letters, %d times",
    (count) => {
      const hidden = "one\u200b\u202e two\u2028é\u200d three";
      const joined = "👨‍👩‍👧 four ❤️‍🔥1️⃣";
      const text = wholeJsonText(`${hidden}${joined}`.repeat(count));
      const escaped = "one\\u200b\\u202e two\\u2028é\\u200d three";
      expect(text).toBe(`"${`${escaped}${joined}`.repeat(count)}"`);
    },
  );
});
