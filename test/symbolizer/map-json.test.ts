import { describe, expect, it } from "vitest";
import { SOURCE_MAP_DEPTH, SOURCE_MAP_SECTIONS, SOURCE_MAP_VALUES } from "../../src/limits.ts";
import { readMapJson } from "../../src/symbolizer/source-maps.ts";

const MAP = { version: 3, sources: ["a"], names: [], mappings: "AAAA" };
const section = (line: unknown, column: unknown, rest: object = { map: MAP }) => ({
  offset: { line, column },
  ...rest,
});
const nested = (depth: number): object =>
  depth === 0 ? MAP : { version: 3, sections: [section(0, 0, { map: nested(depth - 1) })] };

describe("readMapJson", () => {
  it.each([
    ["no map", []],
    ["null", null],
    ["another version", { ...MAP, version: 2 }],
    ["no version", { ...MAP, version: undefined }],
    ["a file that is a number", { ...MAP, file: 1 }],
    ["sources that are no array", { ...MAP, sources: "a" }],
    ["no sources", { ...MAP, sources: undefined }],
    ["a source that is an object", { ...MAP, sources: [{}] }],
    ["a name that is a number", { ...MAP, names: [1] }],
    ["a text that is a number", { ...MAP, sourcesContent: [123] }],
    ["texts that are an object", { ...MAP, sourcesContent: { length: 1e9 } }],
    ["a root that is an array", { ...MAP, sourceRoot: ["a"] }],
    ["mappings that are arrays", { ...MAP, mappings: [[null], [null]] }],
    ["no mappings", { ...MAP, mappings: undefined }],
    ["sections that are no array", { version: 3, sections: null }],
    ["a section that is null", { version: 3, sections: [null] }],
    ["a section without an offset", { version: 3, sections: [{ map: MAP }] }],
    ["a section without a map", { version: 3, sections: [section(0, 0, {})] }],
    ["a section elsewhere", { version: 3, sections: [section(0, 0, { map: MAP, url: "a.map" })] }],
    ["a line before 0", { version: 3, sections: [section(-1, 0)] }],
    ["a line that is no whole number", { version: 3, sections: [section(0.5, 0)] }],
    ["a line past 2^31", { version: 3, sections: [section(2 ** 31, 0)] }],
    ["a column that is a text", { version: 3, sections: [section(0, "0")] }],
    ["sections out of order", { version: 3, sections: [section(2, 0), section(1, 0)] }],
    ["sections that are too deep", nested(SOURCE_MAP_DEPTH + 1)],
    ["too many sections", { version: 3, sections: Array(SOURCE_MAP_SECTIONS + 1).fill(section(0, 0)) }],
  ])("refuses %s", (_, map) => {
    expect(() => readMapJson(JSON.stringify(map))).toThrow(Error);
  });

  it("refuses what is no JSON, however deep", () => {
    for (const text of ["", "{", ")]}'", "[".repeat(1e6), `{"version":3,"sources":${"[".repeat(1e5)}`]) {
      expect(() => readMapJson(text)).toThrow(Error);
    }
    expect(() => readMapJson(`${"[".repeat(1e5)}${"]".repeat(1e5)}`)).toThrow("too deep");
    expect(() => readMapJson(`[${"[],".repeat(SOURCE_MAP_VALUES)}[]]`)).toThrow("too many values");
  });

  it("reads maps, behind what keeps them from being run, and those in sections", () => {
    const part = { line: 0, column: 0, sources: ["a"], sourcesContent: [], sourceRoot: "", mappings: "AAAA" };
    expect(readMapJson(`)]}'\n${JSON.stringify(MAP)}`)).toEqual([{ ...part, names: [] }]);
    const odd = { ...MAP, names: ['"[[', "\\", '\\"', '[\\\\"{'.repeat(1000)] };
    expect(readMapJson(JSON.stringify(odd))[0]!.names).toEqual(odd.names);
    const more = { ...MAP, version: "3", sourcesContent: null, sources: [null], x_other: {} };
    expect(readMapJson(JSON.stringify(more))).toEqual([{ ...part, sources: [null], names: [] }]);
    expect(readMapJson(JSON.stringify(nested(SOURCE_MAP_DEPTH)))).toEqual([{ ...part, names: [] }]);
    const inner = { version: 3, sections: [section(0, 4), section(2, 1)] };
    const outer = { version: 3, sections: [section(0, 0), section(3, 10, { map: inner })] };
    expect(readMapJson(JSON.stringify(outer)).map(({ line, column }) => [line, column])).toEqual([
      [0, 0],
      [3, 14],
      [5, 1],
    ]);
  });
});
