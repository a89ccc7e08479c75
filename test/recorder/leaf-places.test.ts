import { describe, expect, it } from "vitest";
import { LONGEST_ENTRY, leafPlace, leafRange, WITHOUT_FRAME } from "../../src/recorder/leaf-places.ts";
import type { Code } from "../../src/recorder/recorded-frame.ts";

const POSITIONS = "C0O10C40O20C120O30";

function codeOf(tier: "~" | "*" | undefined, positions: string | undefined): Code {
  const source =
    positions === undefined
      ? undefined
      : { number: 0, positions, table: undefined, inlinings: "", functions: [] };
  const isBuiltin = tier === undefined;
  return {
    type: "JS",
    name: "f /x.js:1:1",
    tier,
    frame: -1,
    function: undefined,
    source,
    lazyDeopts: undefined,
    hasPlaces: true,
    frameAt: undefined,
    isBuiltin,
    frameless: undefined,
    callerAt: undefined,
  };
}

describe("the place of a tick in code", () => {
  it("is one for all offsets at one position, and others for those before the frame can be, and must be, set up", () => {
    const code = codeOf("*", POSITIONS);
    const entry = [0, WITHOUT_FRAME - 1, WITHOUT_FRAME, LONGEST_ENTRY - 1];
    const places = [...entry, LONGEST_ENTRY, 39, 40, 119, 120, 5000].map((at) => leafPlace(code, at));
    for (let i = 0; i < places.length; i += 2) expect(places[i]).toBe(places[i + 1]);
    expect(new Set(places).size).toBe(5);
    for (const place of places) expect(place).toBeLessThan(0);
  });

  it("is the offset in bytecode, in builtins, and in code without positions", () => {
    for (const code of [
      codeOf("~", POSITIONS),
      codeOf(undefined, POSITIONS),
      codeOf("*", ""),
      codeOf("*", undefined),
    ]) {
      expect([0, 33, 34].map((at) => leafPlace(code, at))).toEqual([0, 33, 34]);
    }
  });

  it("reaches from one position to the next", () => {
    const code = codeOf("*", POSITIONS);
    expect(leafRange(code, 5)).toEqual({ start: 0, end: WITHOUT_FRAME });
    expect(leafRange(code, WITHOUT_FRAME)).toEqual({ start: WITHOUT_FRAME, end: LONGEST_ENTRY });
    expect(leafRange(code, 35)).toEqual({ start: LONGEST_ENTRY, end: 40 });
    expect(leafRange(code, 64)).toEqual({ start: 40, end: 120 });
    expect(leafRange(code, 120)).toEqual({ start: 120, end: Number.POSITIVE_INFINITY });
    for (let offset = 0; offset < 200; offset++) {
      const { start, end } = leafRange(code, offset);
      const isSame = (at: number) => leafPlace(code, at) === leafPlace(code, offset);
      for (let at = 0; at < 200; at++) expect(isSame(at)).toBe(at >= start && at < end);
    }
  });

  it("is all of code that is one frame, and one offset where each is a place", () => {
    expect(leafRange(codeOf("~", POSITIONS), 64)).toEqual({ start: 64, end: 65 });
    expect(leafRange(codeOf("*", undefined), 64)).toEqual({ start: 64, end: 65 });
    const whole = { start: 0, end: Number.POSITIVE_INFINITY };
    expect(leafRange({ ...codeOf("*", undefined), hasPlaces: false }, 7)).toEqual(whole);
  });
});
