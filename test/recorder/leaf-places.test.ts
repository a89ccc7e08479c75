import { describe, expect, it } from "vitest";
import { isOneLeafPlace, LONGEST_ENTRY, leafPlace } from "../../src/recorder/leaf-places.ts";
import type { Code } from "../../src/recorder/recorded-frame.ts";

const POSITIONS = "C0O10C40O20C120O30";

function codeOf(tier: "~" | "*" | undefined, positions: string | undefined): Code {
  const source =
    positions === undefined ? undefined : { positions, table: undefined, inlinings: "", functions: [] };
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
    callerAt: undefined,
  };
}

describe("the place of a tick in code", () => {
  it("is one for all offsets at one position, and another for those before the frame is set up", () => {
    const code = codeOf("*", POSITIONS);
    const places = [0, LONGEST_ENTRY - 1, LONGEST_ENTRY, 39, 40, 119, 120, 5000].map((at) =>
      leafPlace(code, at),
    );
    expect(places[0]).toBe(places[1]);
    expect(places[2]).toBe(places[3]);
    expect(places[4]).toBe(places[5]);
    expect(places[6]).toBe(places[7]);
    expect(new Set(places).size).toBe(4);
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

  it("is known to be one for a range only if all of it is", () => {
    const code = codeOf("*", POSITIONS);
    expect(isOneLeafPlace(code, 64, 32)).toBe(true);
    expect(isOneLeafPlace(code, 96, 32)).toBe(false);
    expect(isOneLeafPlace(code, 16, 32)).toBe(false);
    expect(isOneLeafPlace(codeOf("~", POSITIONS), 64, 1)).toBe(false);
    expect(isOneLeafPlace({ ...codeOf("*", undefined), hasPlaces: false }, 0, 32)).toBe(true);
  });
});
