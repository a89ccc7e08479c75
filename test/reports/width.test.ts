import Grid from "cli-table3";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cutEnd, cutMiddle, endsOf, isPlain, padEnd, padStart, widthOf } from "../../src/reports/width.ts";

const FAMILY = "👨‍👩‍👧";

describe("columns of a terminal", () => {
  it("are counted as terminals show them", () => {
    expect(["", "abc", "naïve", "e\u0301", "計算", "👍", FAMILY, "\x1b[1mab\x1b[22m"].map(widthOf)).toEqual([
      0, 3, 5, 1, 4, 2, 2, 2,
    ]);
  });

  it("are one for each character of plain text, for the libraries that measure and draw too", () => {
    const plain = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
    expect(plain.length).toBeGreaterThan(200);
    expect(plain.filter((character) => stringWidth(character) !== 1)).toEqual([]);
    const text = plain.join("");
    expect(widthOf(text)).toBe(stringWidth(text));
    const table = new Grid({ style: { head: [], border: [] } });
    table.push([text]);
    const [top, row] = table.toString().split("\n");
    expect([top!.length, row!.length]).toEqual([text.length + 4, text.length + 4]);
  });

  it("are filled on either side", () => {
    expect(padEnd("計", 4)).toBe("計  ");
    expect(padStart("計", 4)).toBe("  計");
    expect(padEnd("long", 2)).toBe("long");
  });
});

describe("cut text", () => {
  it("stays as it is where it fits", () => {
    expect(cutEnd("abc", 3)).toBe("abc");
    expect(cutMiddle("計算", 4)).toBe("計算");
  });

  it("loses its end or its middle", () => {
    expect(cutEnd("abcdef", 4)).toBe("abc…");
    expect(cutMiddle("abcdef", 4)).toBe("ab…f");
    expect(cutMiddle("abcdefg", 5)).toBe("ab…fg");
    expect([cutEnd("abc", 1), cutMiddle("abc", 1), cutMiddle("abc", 2)]).toEqual(["…", "…", "a…"]);
    expect([cutEnd("abc", 0), cutMiddle("abc", 0)]).toEqual(["", ""]);
  });

  it("is not looked at past what has room", () => {
    for (const part of ["a", "計", FAMILY, "e\u0301", "\u0301"]) {
      const text = part.repeat(200_000);
      expect(widthOf(cutEnd(text, 80))).toBeLessThanOrEqual(80);
      expect(widthOf(cutMiddle(text, 80))).toBeLessThanOrEqual(80);
      expect(cutMiddle(endsOf(text, 80), 80)).toBe(cutMiddle(text, 80));
    }
  });

  it("never splits a character, and never is too wide", () => {
    const text = `計算機${FAMILY}e\u0301x👍y機`;
    for (let columns = 0; columns <= widthOf(text) + 1; columns++) {
      for (const cut of [cutEnd(text, columns), cutMiddle(text, columns)]) {
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        expect(cut).not.toMatch(/👨‍(?!👩‍👧)|e(?!\u0301)/u);
      }
    }
    expect(cutEnd(text, 8)).toBe("計算機…");
    expect(cutEnd(text, 9)).toBe(`計算機${FAMILY}…`);
    expect(cutMiddle(text, 6)).toBe("計…機");
  });
});
