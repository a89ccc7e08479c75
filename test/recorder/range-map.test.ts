import { describe, expect, it } from "vitest";
import { type OwnedRange, RangeMap } from "../../src/recorder/libraries.ts";
import { createRandom } from "../helpers/random.ts";

describe("RangeMap", () => {
  it("finds the range that starts last, and of those the one with the highest number", () => {
    const map = new RangeMap();
    for (const [owner, [start, end]] of [
      [10, 90],
      [20, 40],
      [20, 30],
      [50, 60],
    ].entries()) {
      map.add({ start: start!, end: end!, owner });
    }
    expect([9, 10, 20, 29, 30, 39, 40, 50, 60, 89, 90].map((at) => map.find(at)?.owner)).toEqual([
      ...[undefined, 0, 2, 2, 1, 1, 0, 3, 0, 0],
      undefined,
    ]);
    expect([
      map.isUniform(20, 30),
      map.isUniform(20, 31),
      map.isUniform(40, 50),
      map.isUniform(95, 1e9),
    ]).toEqual([...[true, false], ...[true, true]]);
  });

  it("agrees with a plain list over many ranges and questions in any order", () => {
    const random = createRandom(2);
    const map = new RangeMap();
    const list: OwnedRange[] = [];
    const plain = (address: number) =>
      list
        .filter(({ start, end }) => start <= address && address < end)
        .sort((a, b) => a.start - b.start || a.owner - b.owner)
        .at(-1);
    for (let i = 0; i < 3000; i++) {
      if (random(4) === 0) {
        const start = random(200);
        const range = { start, end: start + 1 + random(random(2) ? 10 : 200), owner: random(40) };
        map.add(range);
        list.push(range);
      }
      const at = random(420);
      expect(map.find(at)?.owner).toBe(plain(at)?.owner);
      const end = at + random(6);
      if (!map.isUniform(at, end)) continue;
      for (let other = at; other < end; other++) expect(map.find(other)?.owner).toBe(plain(at)?.owner);
    }
  });

  it("takes no longer where all overlap and each is followed by a question", () => {
    const map = new RangeMap();
    // A walk over all that hold an address, or an order made anew each time, took 10^9 steps.
    for (let i = 0; i < 30_000; i++) {
      map.add({ start: 1e6 - i, end: 1e6 + i + 1, owner: i });
      expect(map.find(1e6)?.owner === 0 && map.find(1e6 + i)?.owner === i).toBe(true);
    }
  });
});
