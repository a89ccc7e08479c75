import { describe, expect, it } from "vitest";
import { PlaceFrames } from "../../src/recorder/recorded-frame.ts";
import { createRandom } from "../helpers/random.ts";

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
