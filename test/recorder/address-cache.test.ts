import { describe, expect, it } from "vitest";
import { AddressCache } from "../../src/recorder/code-map.ts";
import { createRandom } from "../helpers/random.ts";

const get = (cache: AddressCache, address: number) => cache.get(Float64Array.of(0, address), 1);

describe("AddressCache", () => {
  it("answers for the address alone", () => {
    const cache = new AddressCache();
    cache.set(0x7f20_0000_1010, 7);
    expect([0x7f20_0000_1010, 0x7f20_0000_1011, 0x6f20_0000_1010].map((at) => get(cache, at))).toEqual([
      7, -1, -1,
    ]);
  });

  it("forgets what is in a range, from its first region to its last", () => {
    const cache = new AddressCache();
    const addresses = [0x10_0ff0, 0x10_1000, 0x10_2010, 0x20_0000];
    for (const address of addresses) cache.set(address, 1);
    cache.forget(0x10_0fff, 0x10_1001);
    expect(addresses.map((at) => get(cache, at))).toEqual([-1, -1, 1, 1]);
    cache.set(0x10_1000, 2);
    expect(get(cache, 0x10_1000)).toBe(2);
    cache.forget(0, Number.POSITIVE_INFINITY);
    expect(addresses.map((at) => get(cache, at))).toEqual([-1, -1, -1, -1]);
  });

  it("never answers what was forgotten, whatever the sizes and places", () => {
    const random = createRandom(3);
    const cache = new AddressCache();
    for (let round = 0; round < 4000; round++) {
      const start = 2 ** (12 + random(35)) + random(20_000);
      const end = start + random(random(10) === 0 ? 2 ** 25 : 9000);
      const address = start + random(Math.max(1, end - start));
      cache.set(address, 5);
      expect(get(cache, address)).toBe(5);
      cache.forget(start, end);
      expect(end > start ? get(cache, address) : -1).toBe(-1);
    }
  });
});
