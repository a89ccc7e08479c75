import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AsciiText } from "../../src/exporters/json-text.ts";

const NUMBERS = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.nat(99_999),
  fc.double(),
  fc.constantFrom(0, -0, 9, 10, 999, 1000, 1e9 - 1, 1e9, 1e9 + 1, 1e15, 1e15 - 1, 2 ** 53, 1e21),
);

describe("AsciiText", () => {
  it("writes numbers and thousandths as JavaScript does", () => {
    fc.assert(
      fc.property(NUMBERS, (number) => {
        const text = new AsciiText();
        text.number(number);
        text.text(" ");
        text.thousandths(number);
        expect(text.take()).toBe(`${number} ${number / 1000}`);
      }),
      { numRuns: 1000 },
    );
  });

  it("grows as long as nothing is taken, and says when it is time to", () => {
    const text = new AsciiText();
    let expected = "";
    for (let i = 0; i < 30_000; i++) {
      text.number(i);
      text.character(0x2c);
      expected += `${i},`;
    }
    expect(text.isFull).toBe(true);
    expect(text.take()).toBe(expected);
    expect([text.isFull, text.take()]).toEqual([false, ""]);
  });
});
