import { describe, expect, it } from "vitest";
import { MappedSymbols } from "../../src/symbols/load-library.ts";
import { createRandom } from "../helpers/random.ts";

describe("MappedSymbols", () => {
  it("returns all addresses around one where the same function is found, and no others", () => {
    const random = createRandom(4);
    for (let round = 0; round < 8; round++) {
      // Disjoint and nested functions, in one to three segments with or without gaps.
      const starts = Array.from(new Set(Array.from({ length: 20 }, () => random(300)))).sort((a, b) => a - b);
      const ends = starts.map((start) => start + 1 + random(40));
      const table = {
        length: starts.length,
        starts: Float64Array.from(starts),
        ends: Float64Array.from(ends),
        name: String,
      };
      const segments = [0, 110, 230].slice(0, 1 + random(3)).map((at) => {
        const size = 90 + random(20);
        return { fileOffset: at + 1000, linkAddress: at, size };
      });
      const symbols = new MappedSymbols(table, { segments, buildId: undefined }, 5000, false);
      for (let address = 6000; address < 6400; address++) {
        const found = symbols.find(address);
        const range = symbols.rangeOf(address);
        if (found < 0) expect(range).toBe(undefined);
        if (range === undefined) continue;
        expect(range.start <= address && address < range.end).toBe(true);
        for (let at = range.start; at < range.end; at++) expect(symbols.find(at)).toBe(found);
        expect([symbols.find(range.start - 1), symbols.find(range.end)]).not.toContain(found);
      }
    }
  });
});
