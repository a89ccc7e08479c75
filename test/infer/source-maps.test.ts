import { FlattenMap, originalPositionFor } from "@jridgewell/trace-mapping";
import { describe, expect, it } from "vitest";
import {
  SOURCE_MAP_DEPTH,
  SOURCE_MAP_SECTIONS,
  SOURCE_MAP_SEGMENTS,
  SOURCE_MAP_VALUES,
} from "../../src/base/limits.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { FunctionTable } from "../../src/facts/function-table.ts";
import { SourceTexts } from "../../src/facts/source-texts.ts";
import {
  besideScript,
  commentValue,
  dataText,
  MAP_URL_COMMENT,
  MapSegments,
  readMapJson,
  SourceMap,
} from "../../src/infer/source-maps.ts";
import { originalName } from "../../src/infer/source-names.ts";
import type { JsFrame } from "../../src/profile/frame.ts";
import { Script } from "../../src/replay/scripts.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";
import { mapOf, type Segment } from "../helpers/source-map.ts";

//            0         1         2         3         4
//            01234567890123456789012345678901234567890123456789
const SCRIPT = "function a(){return b()};var b=()=>1;class c{constructor(){this.d=2}get e(){return 3}}";
const ORIGINAL = "function first() {\n  return second();\n}\nconst second = () => 1;\n";

/** A log of one tick at an offset of a function of the script. */
function log(
  name: string,
  { start, at }: { start: number; at: number },
  url: string,
  comment: string,
): Buffer {
  const source = `${SCRIPT}${comment}`.replaceAll("\n", "\\n").replaceAll(",", "\\x2C");
  return logOf(
    ...NODE_26,
    `script-source,7,${url},${source}`,
    `code-creation,JS,10,1,0x1000,64,${name} ${url}:1:${start + 1},0xf1,*`,
    `code-source-info,0x1000,7,${start},${SCRIPT.length},C0O${start}C8O${at},,`,
    "tick,0x1008,1,0,0x0,0",
  );
}

const SEGMENTS: Segment[] = [
  [9, 0, 0, 9, 0], // a
  [10, 0, 0, 14], // its parameters
  [13, 0, 1, 2],
  [20, 0, 1, 9],
  [24], // written by the tool
  [29, 0, 3, 6], // b, without a name in the map
  [31, 0, 3, 15],
  [35, 1, 0, 0],
  [43, 0, 4, 6, 1], // c
  [45, 0, 4, 8],
  [56, 0, 5, 13],
  [59, 0, 5, 18],
  [72, 0, 7, 6, 2], // e
  [73, 0, 7, 11],
  [76, 0, 8, 4],
];

const REST = { sources: ["src/app.ts", "src/other.ts"], names: ["first", "Third", "size"] };
const MAP = mapOf([SEGMENTS], { ...REST, sourcesContent: [ORIGINAL, null] });
const INLINE = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(MAP).toString("base64")}`;

async function frameOf(bytes: Buffer, files: Record<string, string> = {}): Promise<JsFrame> {
  const readSourceMap = async (path: string) => files[path];
  const { frames } = await profileOf(bytes, { inlines: true, readSourceMap });
  return frames[0] as JsFrame;
}

describe("source maps", () => {
  describe("without the text of the source", () => {
    const rest = { sources: ["/srv/app.ts"], names: ["first"] };
    const map = mapOf(
      [SEGMENTS.filter(([, source]) => source !== 1).map((one) => one.slice(0, 4) as never)],
      rest,
    );
    const comment = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
    const text = "// A type.\nfunction first() {}\n";
    const asked: string[] = [];
    const readSourceMap = async (path: string) => {
      asked.push(path);
      return path === "/srv/app.ts" ? text : undefined;
    };

    it.each(["/srv/app.js", "/srv/app.ts"])("have that of the file, which %s is made of", async (url) => {
      asked.length = 0;
      const profile = await profileOf(log("a", { start: 10, at: 20 }, url, comment), {
        inlines: true,
        readSourceMap,
      });
      expect(profile.frames[0]).toMatchObject({ name: "a /srv/app.ts:1:15", line: 2 });
      const texts = new SourceTexts(profile.sources, () => undefined);
      expect(texts.lineOf("/srv/app.ts", 2)).toBe("function first() {}");
      expect(texts.linesOf("/srv/app.ts")!.origin).toBe("disk");
      expect(asked).toEqual(["/srv/app.ts"]);
    });

    it("have lines of the source where the start of a function is not in the map", async () => {
      const bytes = log("", { start: 0, at: 20 }, "/srv/app.ts", comment);
      const { frames, sources } = await profileOf(bytes, {
        inlines: true,
        readSourceMap: async () => undefined,
      });
      expect(frames[0]).toMatchObject({ line: 2 });
      expect(sources.map(({ file }) => file)).toEqual([]);
    });
  });

  it.each([
    ["a function by the name that the map has", "a", 10, 20, "first /srv/src/app.ts:1:15", 2],
    ["a function by its name in the original text", "b", 31, 31, "second /srv/src/app.ts:4:16", 4],
    ["a constructor by its class", "c", 56, 59, "Third /srv/src/app.ts:6:14", 6],
    ["an accessor as one", "get e", 73, 76, "get size /srv/src/app.ts:8:12", 9],
  ])("show %s", async (_, name, start, at, expected, line) => {
    expect(await frameOf(log(name, { start, at }, "/srv/app.js", INLINE))).toMatchObject({
      name: expected,
      line,
    });
  });

  it("leave a line of another file unknown", async () => {
    const frame = await frameOf(log("b", { start: 31, at: 35 }, "/srv/app.js", INLINE));
    expect(frame).toMatchObject({ name: "second /srv/src/app.ts:4:16", line: 0 });
  });

  it("leave what a tool wrote as it is", async () => {
    const frame = await frameOf(log("helper", { start: 24, at: 24 }, "/srv/app.js", INLINE));
    expect(frame).toMatchObject({ name: "helper /srv/app.js:1:25", line: 1 });
  });

  it("show the top level of a module at the start of its only source", async () => {
    const at = (map: string) =>
      frameOf(log("", { start: 0, at: 20 }, "/srv/app.js", "\n//# sourceMappingURL=app.js.map"), {
        "/srv/app.js.map": map,
      });
    const one = { sources: ["src/app.ts"], names: REST.names };
    const segments = SEGMENTS.filter(([, source]) => source !== 1);
    expect(await at(mapOf([segments], one))).toMatchObject({ name: " /srv/src/app.ts:1:1", line: 2 });
    // A bundle has no source of its own.
    expect(await at(MAP)).toMatchObject({ name: " /srv/app.js:1:1", line: 1 });
    const mapped: Segment[] = [[0, 0, 4, 2], ...segments];
    expect(await at(mapOf([mapped], one))).toMatchObject({ name: " /srv/src/app.ts:5:3" });
  });

  it.each([
    [
      "/srv/app.js",
      "\n//# sourceMappingURL=maps/app.js.map\n",
      "/srv/maps/app.js.map",
      "/srv/maps/src/app.ts",
    ],
    ["/srv/app.js", "\n/*# sourceMappingURL=app.map */", "/srv/app.map", "/srv/src/app.ts"],
    ["/srv/app.js", "", "/srv/app.js.map", "/srv/src/app.ts"],
    [
      "file:///srv/app.mjs",
      "\n//# sourceMappingURL=a%20b.map",
      "file:///srv/a%20b.map",
      "file:///srv/src/app.ts",
    ],
    ["C:\\\\srv\\\\app.js", "\n//# sourceMappingURL=app.map", "C:\\srv\\app.map", "src/app.ts"],
  ])("of %s with %j are at %s", async (url, comment, path, source) => {
    const frame = await frameOf(log("a", { start: 10, at: 20 }, url, comment), { [path]: MAP });
    expect(frame.name).toMatch(/^first /);
    expect(frame.name).toContain(source);
  });

  it("bring the original texts that they hold", async () => {
    const { sources } = await profileOf(log("a", { start: 10, at: 20 }, "/srv/app.js", INLINE), {
      inlines: true,
      readSourceMap: async () => undefined,
    });
    expect(sources).toEqual([{ file: "/srv/src/app.ts", text: ORIGINAL }]);
  });

  it.each([
    ["not JSON", "broken-source-map"],
    ["{}", "broken-source-map"],
    ['{"version":3,"sources":5,"mappings":""}', "broken-source-map"],
    ["", "broken-source-map"],
    [undefined, "missing-source-map"],
  ])("that are %j are one fault, and the script is shown", async (text, code) => {
    const bytes = log("a", { start: 10, at: 20 }, "/srv/app.js", "\n//# sourceMappingURL=app.map");
    const profile = await profileOf(bytes, { inlines: true, readSourceMap: async () => text });
    expect(profile.info.diagnostics.map((fault) => `${fault.code} ${fault.count} ${fault.line}`)).toEqual([
      `${code} 1 3`,
    ]);
    expect(profile.frames[0]).toMatchObject({ name: "a /srv/app.js:1:11", line: 1 });
  });

  it("name deoptimized functions and their places", async () => {
    const url = "/srv/app.js";
    const deopt = `code-deopt,5,64,0x1000,-1,20,deopt-eager,<${url}:1:21> inlined at <${url}:1:25>,why`;
    const bytes = Buffer.concat([log("a", { start: 10, at: 20 }, url, INLINE), logOf(deopt)]);
    const { deopts } = await profileOf(bytes, {
      inlines: true,
      deopts: true,
      readSourceMap: async () => undefined,
    });
    expect(deopts?.entries).toMatchObject([
      {
        function: "first /srv/src/app.ts:1:15",
        // Column 25 is what the tool wrote.
        position: "</srv/src/app.ts:2:10> inlined at </srv/app.js:1:25>",
      },
    ]);
  });

  it("are not asked for of Node's scripts, and may be missing in packages", async () => {
    const asked: string[] = [];
    const readSourceMap = async (path: string) => {
      asked.push(path);
      return undefined;
    };
    for (const url of ["node:fs", "/srv/node_modules/kit/index.js"]) {
      const bytes = log("a", { start: 10, at: 20 }, url, "\n//# sourceMappingURL=index.js.map");
      const { info } = await profileOf(bytes, { inlines: true, readSourceMap });
      expect(info.diagnostics).toEqual([]);
    }
    expect(asked).toEqual(["/srv/node_modules/kit/index.js.map"]);
  });
});

describe.each(["node-20-bundle", "node-26-bundle"])("%s", (name) => {
  it("shows the functions and lines of a TypeScript program that was bundled and minified", async () => {
    const options = { inlines: true, readSourceMap: async () => undefined };
    const [mapped, plain] = await Promise.all([
      fixtureProfile(name, options),
      fixtureProfile(name, { inlines: true }),
    ]);
    const rows = (profile: typeof mapped) => {
      const table = new FunctionTable(profile.frames);
      const { self } = Analysis.of(profile).functionTicks;
      return table.functions
        .map(({ title, file, line }, i) => ({ name: title, file, line, self: self[i]! }))
        .filter(({ file, self }) => file?.startsWith("/srv/app/") && self > 0)
        .sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));
    };
    const [ours, theirs] = [rows(mapped), rows(plain)];
    expect(theirs.every(({ file, line }) => file === "/srv/app/bundle.js" && line === 1)).toBe(true);
    // The same ticks, by what test/programs/bundle/*.ts call them and where.
    expect(ours.map(({ self }) => self)).toEqual(theirs.map(({ self }) => self));
    const minified: Record<string, string> = { u: "dotProduct vector.ts:7", s: "vectorLength vector.ts:11" };
    Object.assign(minified, { c: "sortNumbers main.ts:5", shadePoints: "shadePoints vector.ts:19" });
    for (const [i, { name: short, self }] of theirs.entries()) {
      const expected = minified[short];
      const found = ours.find((row) => `${row.name} ${row.file?.slice(9)}:${row.line}` === expected);
      if (expected !== undefined) expect(found?.self, `${short} ${i}`).toBe(self);
    }
    expect(theirs.filter(({ name: short }) => minified[short] !== undefined).length).toBeGreaterThanOrEqual(
      3,
    );
  });

  it("has every line in the original text", async () => {
    const profile = await fixtureProfile(name, { inlines: true, readSourceMap: async () => undefined });
    const texts = new Map(profile.sources.map(({ file, text }) => [file, text.split("\n")]));
    const lines = profile.frames.filter(
      (frame) => frame.kind === "js" && / \/srv\/app\/vector\.ts:/.test(frame.name),
    );
    expect(lines.length).toBeGreaterThan(2);
    for (const frame of lines as JsFrame[]) {
      const text = texts.get("/srv/app/vector.ts")![frame.line - 1];
      if (frame.line > 0) expect(text, frame.name).toMatch(/[a-z]/);
    }
  });
});

describe("readMapJson", () => {
  const MAP = { version: 3, sources: ["a"], names: [], mappings: "AAAA" };
  const section = (line: unknown, column: unknown, rest: object = { map: MAP }) => ({
    offset: { line, column },
    ...rest,
  });
  const nested = (depth: number): object =>
    depth === 0 ? MAP : { version: 3, sections: [section(0, 0, { map: nested(depth - 1) })] };

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
      for (const line of [-1, 0, 1, 9]) expect(segments.find(line, 5)).toBeUndefined();
    }
  });

  it("are found at their column, and after it", () => {
    const segments = new MapSegments("EAAA,EAAC,AAAC,IAAC;;C", BOUNDS);
    const found = [1, 2, 3, 4, 5, 8, 99].map((column) => segments.find(0, column)?.[3]);
    // Of those at one column the first is exact, the last reaches on.
    expect(found).toEqual([undefined, 0, 0, 1, 2, 3, 3]);
    expect(segments.find(1, 0)).toBeUndefined();
    expect(segments.find(2, 1)).toEqual([1]);
  });

  it("are sorted where a tool did not", () => {
    const { lines } = new MapSegments("IAAA,FAAC,CAAC", BOUNDS);
    expect(lines[0]!.map(([column, , , sourceColumn]) => [column, sourceColumn])).toEqual([
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
    for (let round = 0; round < 50; round++) {
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
      const places = Array.from({ length: 25 * 15 }, (_, i) => [1 + Math.floor(i / 15), i % 15] as const);
      const found = places.map(([line, column]) => {
        const place = ours.original({ line, column: column + 1 });
        return place && [place.file, place.line, place.column - 1, place.name ?? null].join();
      });
      const expected = places.map(([line, column]) => {
        const place = originalPositionFor(theirs, { line, column });
        const shown = [place.source, place.line, place.column, place.name].map((part) => part ?? "");
        return place.source === null ? undefined : shown.join();
      });
      expect(found).toEqual(expected);
    }
  });
});

function mapUrl(text: string): string | undefined {
  const bytes = new Uint8Array(Buffer.from(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")));
  const script = new Script({ type: "script-source", id: 1, url: "a.js", source: bytes }, 1);
  return commentValue(MAP_URL_COMMENT, script.occurrences(MAP_URL_COMMENT));
}

describe("the last comment that names a source map", () => {
  it.each([
    ["f();\n//# sourceMappingURL=a.map", "a.map"],
    ["f();\n//@ sourceMappingURL=a.map\n\n \t", "a.map"],
    ["f();\n//#sourceMappingURL=a.map", "a.map"],
    ["/*# sourceMappingURL=a.map */", "a.map"],
    ["/*# sourceMappingURL=a.map*/\n", "a.map"],
    ["//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", "b.map"],
    ["", undefined],
    ["sourceMappingURL=a.map", undefined],
    ["// sourceMappingURL=a.map", undefined],
    ["//# sourceMappingURL=", undefined],
    ["//# sourceMappingURL='a.map'", undefined],
    ["//# sourceMappingURL=a.map b", undefined],
    ["//# sourceMappingURL=a.map\nf()", "a.map"],
    ["(function () {//# sourceMappingURL=a.map\n}})", "a.map"],
    ["//# sourceMappingURL=a.map\r\n}", "a.map"],
    ["//# sourceMappingURL=a.map\nsourceMappingURL=", "a.map"],
    ["//# sourceMappingURL=a.map\n//# sourceMappingURL=\nf()", "a.map"],
    ["//# sourceMappingURL=a.map\ns = '//# sourceMappingURL=' + url", "a.map"],
    ["//# sourceMappingURL=a.map\ns = `\n//# sourceMappingURL=$" + "{url}\n`", "a.map"],
    ["//# sourceMappingURL=a.map\neval('f()\\n//# sourceMappingURL=b.map\\n')", "a.map"],
    [
      "//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map\nf() //@ sourceMappingURL= c.map \n}})",
      "c.map",
    ],
  ])("of %j is %j", (source, url) => {
    expect(mapUrl(source)).toBe(url);
  });

  it("takes no longer for spaces without an end", () => {
    const spaces = " ".repeat(10e6);
    expect(mapUrl(`//# sourceMappingURL=a${spaces}x`)).toBeUndefined();
    expect(mapUrl(`//# sourceMappingURL=a${spaces}`)).toBe("a");
    expect(mapUrl(`//#${spaces}sourceMappingURL=a`)).toBeUndefined();
  });

  it("takes no longer for many that are none", () => {
    for (const one of ["//#sourceMappingURL= ", "//# sourceMappingURL=a 1 ", "//# sourceMappingURL='\n"]) {
      expect(mapUrl(one.repeat(100_000))).toBeUndefined();
    }
  });
});

describe("dataText", () => {
  it("reads base64 and escapes", () => {
    expect(dataText("data:application/json;charset=utf-8;base64,e30=")).toBe("{}");
    expect(dataText("data:application/json,%7B%7d,")).toBe("{},");
  });

  it("refuses what has no data, and escapes that are none", () => {
    for (const url of ["data:", "data:application/json", "data:,%", "data:,%ff"]) {
      expect(() => dataText(url)).toThrow(Error);
    }
  });
});

describe("besideScript", () => {
  it.each([
    ["/srv/app.js", "../a.map", "/a.map"],
    ["/srv/app.js", "/maps/./a.map", "/maps/a.map"],
    ["/srv/app.js", "https://example.org/a.map", "https://example.org/a.map"],
    ["C:\\srv\\app.js", "maps/a.map", "C:\\srv\\maps\\a.map"],
    ["file:///srv/app.mjs", "../a.map", "file:///a.map"],
    ["app.js", "a.map", "a.map"],
  ])("of %s, %s is %s", (script, named, place) => {
    expect(besideScript(script, named)).toBe(place);
  });

  it("refuses URLs and escapes that are none", () => {
    expect(() => besideScript("/srv/app.js", "%")).toThrow(Error);
    expect(() => besideScript("file://[", "a.map")).toThrow(Error);
  });
});

/** A map that gives every place of the first line the name `found`. */
const map = new SourceMap(
  JSON.stringify({
    version: 3,
    sources: ["a.ts"],
    names: ["found"],
    mappings: Array.from({ length: 300 }, (_, i) => (i === 0 ? "AAAAA" : "CAAAA")).join(),
  }),
  "/srv/a.js",
);

/** The identifier that a script, up to a function's start, is found to give the function. */
function identifier(script: string): string | undefined {
  let found: string | undefined;
  originalName(
    { script, start: script.length, name: "logged" },
    {
      map,
      positionAt: (offset) => {
        found = /^[\p{ID_Continue}$]+/u.exec(script.slice(offset))?.[0];
        return map.original({ line: 1, column: offset + 1 });
      },
      classBefore: (offset) => script.lastIndexOf("class", offset),
    },
  );
  return found;
}

describe("the name of a function", () => {
  it.each([
    ["function f", "f"],
    ["{ method ", "method"],
    ["async  *gen", "gen"],
    ["let f = function ", "f"],
    ["{ f: async function* ", "f"],
    ["f=async ", "f"],
    ["f = ", "f"],
    ["𝒳y = ", "𝒳y"],
    ["1a", "a"],
    ["class C{constructor", "C"],
    ["let D=class extends E{constructor", "D"],
    ["x.y=function\n*\n", "y"],
    ["return function", undefined],
    ["a * ", undefined],
    ["a == ", undefined],
    ["(", undefined],
    ["1", undefined],
    ["xfunction = 2 * asyncfunction", "asyncfunction"],
    ["constructor", undefined],
    ["", undefined],
  ])("after %j is %j", (script, expected) => {
    expect(identifier(script)).toBe(expected);
  });
});
