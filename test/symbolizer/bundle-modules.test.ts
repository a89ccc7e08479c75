import { describe, expect, it } from "vitest";
import { Scripts } from "../../src/recorder/scripts.ts";
import { mappedModules, markedModules, wrappedModule } from "../../src/symbolizer/function-sources.ts";
import { SourceMap } from "../../src/symbolizer/source-maps.ts";

/** The file of the module at the first place of a word. */
function moduleAt(text: string, word: string): string | undefined {
  return markedModules(text, "/srv/out.js")?.(text.indexOf(word))?.file;
}

describe("the modules of a bundle", () => {
  it.each([
    ["esbuild", "// src/a.js\nfirst();\n// node_modules/b/index.js\nsecond();\n"],
    [
      "esbuild in a function",
      "(() => {\n  // src/a.js\n  first();\n\n  // node_modules/b/index.js\n  second();\n})();",
    ],
    ["webpack", ";// ./src/a.js\nfirst();\n;// CONCATENATED MODULE: ./node_modules/b/index.js\nsecond();\n"],
    [
      "rolldown",
      "//#region src/a.js\nfirst();\n//#endregion\n//#region ../node_modules/b/index.js\nsecond();\n",
    ],
  ])("are known by the comments of %s", (_, text) => {
    expect(moduleAt(text, "first")).toBe("/srv/out.js/src/a.js");
    expect(moduleAt(text, "second")).toBe("/srv/out.js/node_modules/b/index.js");
  });

  it("are not taken from other comments", () => {
    expect(markedModules("// see a.js\n// a b.js\n  // x.js and y.js\ncode();", "/srv/out.js")).toBe(
      undefined,
    );
    expect(markedModules("// a.js\ncode();", "/srv/out.js")).toBe(undefined);
  });

  it("are found in a line of any length, in linear time", () => {
    const text = `${"// ".repeat(200_000)}\n// a.js\n// b.js\ncode()`;
    expect(moduleAt(text, "code")).toBe("/srv/out.js/b.js");
  });

  it("are known by a source map of several sources", () => {
    const source = "first();\nsecond();\nboot();\n";
    const scripts = new Scripts();
    scripts.add(
      { type: "script-source", id: 1, url: "/srv/out.js", source: new Uint8Array(Buffer.from(source)) },
      1,
    );
    const sources = ["src/a.js", "webpack://x/./node_modules/b/i.js", "webpack://x/webpack/bootstrap"];
    const map = { version: 3, sources, names: [], mappings: "AAAA;ACAA;ACAA" };
    const find = mappedModules(new SourceMap(JSON.stringify(map), "/srv/out.js.map"), scripts, 1);
    expect(find?.(0)).toEqual({ file: "/srv/src/a.js", start: 0 });
    expect(find?.(source.indexOf("second") + 3)).toMatchObject({ start: source.indexOf("second") });
    expect(find?.(source.indexOf("boot"))).toBe(undefined);
    const single = { ...map, sources: sources.slice(0, 1), mappings: "AAAA" };
    expect(mappedModules(new SourceMap(JSON.stringify(single), "/srv/out.js.map"), scripts, 1)).toBe(
      undefined,
    );
  });

  it("are known by the names of their wrappers", () => {
    expect(wrappedModule("node_modules/a/index.js", "/srv/out.js")).toBe(
      "/srv/out.js/node_modules/a/index.js",
    );
    expect(wrappedModule("./src/b.tsx", "/srv/out.js")).toBe("/srv/out.js/src/b.tsx");
    expect(wrappedModule("206", "/srv/out.js")).toBe("/srv/out.js#206");
    for (const name of ["", "f", "Module._load", "process.on.x", "a/b", "GET /users.js"])
      expect(wrappedModule(name, "/srv/out.js")).toBe(undefined);
  });
});
