import { describe, expect, it } from "vitest";
import type { JsFrame } from "../../src/profile/frame.ts";
import { Analysis } from "../../src/views/analysis.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
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
