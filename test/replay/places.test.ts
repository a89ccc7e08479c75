import { describe, expect, it } from "vitest";
import { EmbeddedBuiltins } from "../../src/replay/builtins.ts";
import { LONGEST_ENTRY, leafPlace, leafRange, WITHOUT_FRAME } from "../../src/replay/leaf-places.ts";
import { LibraryMap } from "../../src/replay/libraries.ts";
import { type Code, newCode, PlaceFrames } from "../../src/replay/replayed-frame.ts";
import { BuiltinPlaces } from "../../src/replay/resolver.ts";
import { createRandom } from "../helpers/random.ts";

const builtin = (name: string) =>
  newCode({ type: "Builtin", name, tier: undefined, function: undefined, isBuiltin: true });

const FRAMES = { size: 100, isCalled: false, frameless: [0, 10, 90, 100] };

const FACTS = {
  libraries: new LibraryMap(),
  builtins: new EmbeddedBuiltins(),
  v8: undefined,
  isUnversioned: false,
  frames: [],
};

describe("places in builtins", () => {
  it("are told apart by offset until there are many, then by whether there is a frame", () => {
    let changes = 0;
    const places = new BuiltinPlaces(() => changes++);
    const known = builtin("ArrayPush");
    const other = builtin("StringAdd");
    places.add(known);
    places.add(other);
    expect(places.many(FACTS)).toBeUndefined();
    expect([leafPlace(known, 5), leafPlace(known, 6)]).toEqual([5, 6]);
    for (let i = 0; i < 1 << 12; i++) places.add(known);
    const many = places.many(FACTS)!;
    expect(Array.from(many.wanted)).toEqual(["ArrayPush", "StringAdd"]);
    many.use(new Map([["ArrayPush", FRAMES]]));
    expect(changes).toBe(1);
    expect(places.many(FACTS)).toBeUndefined();
    const [frameless, framed] = [leafPlace(known, 5), leafPlace(known, 50)];
    expect(frameless).not.toBe(framed);
    expect([leafPlace(known, 9), leafPlace(known, 95)]).toEqual([frameless, frameless]);
    expect([leafPlace(known, 10), leafPlace(known, 89)]).toEqual([framed, framed]);
    expect(leafRange(known, 50)).toMatchObject({ start: 10, end: 90 });
    expect(leafPlace(other, 1)).toBe(leafPlace(other, 1000));
  });

  it("are not explained by what was found later and says something else", () => {
    const places = new BuiltinPlaces(() => {});
    const code = builtin("ArrayPush");
    for (let i = 0; i < 1 << 12; i++) places.add(code);
    const found = new Map([["ArrayPush", FRAMES]]);
    places.many(FACTS)!.use(found);
    expect(places.agreeing(found)).toEqual(found);
    expect(places.agreeing(new Map([["ArrayPush", { ...FRAMES, frameless: [0, 20] }]])).size).toBe(0);
    const unseen = new Map([["StringAdd", FRAMES]]);
    expect(places.agreeing(unseen)).toEqual(unseen);
  });
});

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

describe("PlaceFrames", () => {
  it("knows the frames of places by set, near and far, and forgets none", () => {
    const random = createRandom(5);
    const places = new PlaceFrames();
    const sets = Array.from({ length: 40 }, () => places.open());
    const expected = new Map<string, number>();
    const offsets = [-(2 ** 31), -7, -1, 0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 50];
    for (let frame = 0; frame < 3000; frame++) {
      const set = sets[random(sets.length)]!;
      const place = random(3) === 0 ? offsets[random(offsets.length)]! : random(500) - 100;
      const key = `${set}:${place}`;
      expect(places.find(set, place)).toBe(expected.get(key) ?? -1);
      if (expected.has(key)) continue;
      places.add(set, place, frame);
      expected.set(key, frame);
    }
    expect(expected.size).toBeGreaterThan(2000);
    for (const [key, frame] of expected) {
      const [set, place] = key.split(":").map(Number);
      expect(places.find(set!, place!)).toBe(frame);
    }
    expect(places.find(places.open(), 0)).toBe(-1);
  });
});
