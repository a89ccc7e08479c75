import { describe, expect, it } from "vitest";
import { stableFiles } from "../../src/profile/stable-files.ts";

const namesOf = (...files: readonly string[]) => files.map(stableFiles(files));

describe("stableFiles", () => {
  it("names files from the folder of all files, whatever it is called", () => {
    const files = ["src/app.js", "lib/a.js"];
    for (const root of ["/srv/release-41", "/srv/release-42/current", "file:///home/me/shop", "C:\\shop"])
      expect(namesOf(...files.map((file) => `${root}/${file}`))).toEqual(files);
    expect(namesOf("/srv/release-42/app.js")).toEqual(["app.js"]);
  });

  it("names files from the outermost folder with packages around all files", () => {
    const packages = ["/srv/r1/node_modules/express/index.js", "/srv/r1/src/node_modules/a/a.js"];
    expect(namesOf("/srv/r1/src/app.js", ...packages).slice(0, 1)).toEqual(["src/app.js"]);
    // A tool that is installed elsewhere says nothing of the program's root.
    expect(namesOf("/srv/r1/src/app.js", "/usr/lib/node_modules/tool/x.js")).toEqual(["app.js", "tool/x.js"]);
  });

  it("names files of packages from the innermost package on", () => {
    expect(
      namesOf(
        "/r/node_modules/.pnpm/debug@4.3.4/node_modules/debug/src/node.js",
        "file:///r/node_modules/@scope/a%20b/lib/x.js?v=12#top",
        "C:\\r\\node_modules\\express\\lib\\router.js",
      ),
    ).toEqual(["debug/src/node.js", "@scope/a b/lib/x.js", "express/lib/router.js"]);
  });

  it("leaves names that are not paths, and drops what changes with contents", () => {
    expect(namesOf("node:fs", "evalmachine.<anonymous>", "", "fs.js", "wasm://wasm/9f3a")).toEqual([
      "node:fs",
      "evalmachine.<anonymous>",
      "",
      "fs.js",
      "wasm",
    ]);
    expect(namesOf("webpack://shop/./src/a.ts", "file:///app/100%.js")).toEqual(["shop/src/a.ts", "100%.js"]);
  });

  it("names a file outside the root from where their paths part", () => {
    const stableFile = stableFiles(["/srv/r1/dist/app.js", "/srv/r1/dist/b/x.js"]);
    expect(stableFile("/srv/r1/src/app.ts")).toBe("src/app.ts");
  });
});
