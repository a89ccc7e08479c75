import { describe, expect, it } from "vitest";
import { EmbeddedBuiltins } from "../../src/recorder/builtins.ts";
import { leafPlace, leafRange } from "../../src/recorder/leaf-places.ts";
import { LibraryMap } from "../../src/recorder/libraries.ts";
import { newCode } from "../../src/recorder/recorded-frame.ts";
import { BuiltinPlaces } from "../../src/recorder/resolver.ts";

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
