import { describe, expect, it } from "vitest";
import { InlinedCalls, PositionTable } from "../../src/recorder/logged-functions.ts";
import { PeeledLoops } from "../../src/symbolizer/inline-stacks.ts";

/** A loop begins at offset 10; ten offsets are a line. */
const FACTS = {
  isLoop: ({ offset }: { readonly offset: number }) => offset === 10,
  line: ({ offset }: { readonly offset: number }) => Math.floor(offset / 10),
};

function loopsOf(positions: string, inlinings = ""): PeeledLoops {
  return new PeeledLoops(new PositionTable(positions), new InlinedCalls(inlinings), FACTS);
}

/** The positions of a body, then `count` of the loop's head. */
function positions(count: number, body = 10): string {
  const of = (start: number, length: number, offset: (i: number) => number) =>
    Array.from({ length }, (_, i) => `C${start + i}O${offset(i)}`).join("");
  return of(0, body, (i) => 20 + i) + of(100, count, () => 10);
}

const isCopy = (loops: PeeledLoops) => loops.isCopy({ offset: 10, inlining: -1 });

/** In the first round a call at 20 and one at 30, then all of both at the head. */
const INLINED = "C0O15C1O100I0C2O100I1C3O10C4O100I2C5O100I3C6O90";

describe("peeled loops", () => {
  it("have many positions of their head", () => {
    expect(isCopy(loopsOf(positions(10)))).toBe(true);
    expect(isCopy(loopsOf(positions(7)))).toBe(false);
  });

  it("have no body that is much longer than the copy", () => {
    expect(isCopy(loopsOf(positions(10, 40)))).toBe(true);
    expect(isCopy(loopsOf(positions(10, 41)))).toBe(false);
  });

  it("begin where the text has a loop", () => {
    expect(loopsOf(positions(10).replaceAll("O10", "O11")).isCopy({ offset: 11, inlining: -1 })).toBe(false);
  });

  it("are there if calls at their head are inlined", () => {
    expect(isCopy(loopsOf(INLINED, "F0O20F1O30F0O10F1O10"))).toBe(true);
    expect(isCopy(loopsOf(INLINED, "F0O20F1O30F0O40F1O50"))).toBe(false);
  });

  it("have the calls of their first round again", () => {
    const loops = loopsOf(INLINED, "F0O20F1O30F0O10F1O10");
    expect([0, 1, 2, 3].map((call) => loops.lineOfCall(call))).toEqual([0, 0, 2, 3]);
  });

  it("have calls of one function in the order of the first round", () => {
    const loops = loopsOf(INLINED, "F0O20F0O30F0O10F0O10");
    expect([2, 3].map((call) => loops.lineOfCall(call))).toEqual([2, 3]);
  });

  it.each([
    ["a call is missing in the copy", "F0O20F0O30F0O10F1O10", 2],
    ["a call is missing in the first round", "F0O20F1O30F0O10F0O10", 2],
    ["the first round does not call the function", "F0O20F1O30F2O10F1O10", 2],
    ["the call is before the loop", "F0O5F1O30F0O10F1O10", 2],
  ])("leave lines unknown if %s", (_, inlinings, call) => {
    expect(loopsOf(INLINED, inlinings).lineOfCall(call)).toBe(0);
  });

  it("leave lines unknown if the code is not in the order of the calls", () => {
    const swapped = "C0O15C1O100I1C2O100I0C3O10C4O100I2C5O100I3C6O90";
    expect(loopsOf(swapped, "F0O20F0O30F0O10F0O10").lineOfCall(2)).toBe(0);
  });

  it("know lines from calls that are all on one", () => {
    expect(loopsOf(INLINED, "F0O31F0O32F0O10F1O10").lineOfCall(2)).toBe(3);
  });

  it("take linear time", () => {
    const count = 300_000;
    const table = Array.from({ length: count }, (_, i) => `C${i}O${1000 - (i % 900)}I${i % 7}`).join("");
    const calls = Array.from({ length: count }, (_, i) => `F${i % 3}O${1000 - (i % 900)}`).join("");
    const all = { isLoop: () => true, line: () => 1 };
    new PeeledLoops(new PositionTable(table), new InlinedCalls(calls), all);
  });
});
