import { FlattenMap, originalPositionFor } from "@jridgewell/trace-mapping";
import { describe, expect, it } from "vitest";
import { SOURCE_MAP_SEGMENTS } from "../../src/limits.ts";
import { MapSegments, SourceMap } from "../../src/symbolizer/source-maps.ts";
import { createRandom } from "../helpers/random.ts";
import { mapOf, type Segment } from "../helpers/source-map.ts";

const BOUNDS = { sources: 1, names: 1 };

describe("the segments of a source map", () => {
  it.each([
    ["a column before 0", "D"],
    ["a source before 0", "ADAA"],
    ["a source that the map has not", "ACAA"],
    ["a line before 0", "AADA"],
    ["a column of a source before 0", "AAAD"],
    ["a name that the map has not", "AAAAC"],
    ["two fields", "AA"],
    ["three fields", "AAA"],
    ["six fields", "AAAAAA"],
    ["a number that is cut", "AAAg"],
    ["a number that is cut by a comma", "AAAg,AAAA"],
    ["a number over 32 bits", "ggggggE"],
    ["a number without an end", "g".repeat(1e6)],
    ["a column that adds up to over 31 bits", "+/////D,+/////D"],
    ["a character that is no digit", "AAA!"],
    ["a character past ASCII", "AAA\u0141"],
    ["a space", "AAAA ,AAAA"],
  ])("are none with %s", (_, mappings) => {
    expect(() => new MapSegments(mappings, BOUNDS)).toThrow(Error);
  });

  it("may be missing, and lines too", () => {
    for (const mappings of ["", ";", ";;;", ",", ",;,"]) {
      const segments = new MapSegments(mappings, { sources: 0, names: 0 });
      for (const line of [-1, 0, 1, 9]) expect(segments.find(line, 5)).toBe(-1);
    }
  });

  it("are found at their column, and after it", () => {
    const segments = new MapSegments("EAAA,EAAC,AAAC,IAAC;;C", BOUNDS);
    const found = [1, 2, 3, 4, 5, 8, 99].map((column) => segments.find(0, column));
    // Of those at one column the first is exact, the last reaches on.
    expect(found).toEqual([-1, 0, 0, 1, 2, 3, 3]);
    expect(segments.find(1, 0)).toBe(-1);
    expect(segments.find(2, 1)).toBe(4);
    expect(segments.source(4)).toBe(-1);
  });

  it("are sorted where a tool did not", () => {
    const segments = new MapSegments("IAAA,FAAC,CAAC", BOUNDS);
    expect([0, 1, 2].map((i) => [segments.column(i), segments.sourceColumn(i)])).toEqual([
      [2, 1],
      [3, 2],
      [4, 0],
    ]);
  });

  it("are too many past a limit", () => {
    expect(() => new MapSegments(";".repeat(SOURCE_MAP_SEGMENTS), BOUNDS)).toThrow("too many");
  });

  it("lead where another reader of source maps says", () => {
    const random = createRandom(7);
    for (let round = 0; round < 200; round++) {
      const part = () => {
        const lines = Array.from({ length: random(4) }, () => {
          const columns = Array.from({ length: random(6) }, () => random(12)).sort((a, b) => a - b);
          return columns.map((column): Segment => {
            const place = [column, random(2), random(3), random(9)] as const;
            return random(4) === 0 ? [column] : random(2) === 0 ? place : [...place, random(2)];
          });
        });
        const rest = {
          sources: ["a.ts", "../lib/b.ts"],
          names: ["one", "two"],
          sourceRoot: ["", "src"][random(2)],
        };
        return JSON.parse(mapOf(lines, rest)) as object;
      };
      const sections = [0, 5, 20].map((line) => ({
        offset: { line, column: line === 5 ? 3 : 0 },
        map: part(),
      }));
      const text = JSON.stringify(round % 2 === 0 ? part() : { version: 3, sections });
      const url = "/srv/app/app.js.map";
      const [ours, theirs] = [new SourceMap(text, url), FlattenMap(text, url)];
      for (let line = 1; line < 26; line++) {
        for (let column = 0; column < 15; column++) {
          const expected = originalPositionFor(theirs, { line, column });
          const found = ours.original({ line, column: column + 1 });
          const place = found && [found.file, found.line, found.column - 1, found.name ?? null];
          const { source, name } = expected;
          expect(place ?? [null, null, null, null]).toEqual([source, expected.line, expected.column, name]);
        }
      }
    }
  });
});
