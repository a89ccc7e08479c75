import { describe, expect, it } from "vitest";
import { shortFiles } from "../../src/views/short-files.ts";

const short = (...files: string[]) => Array.from(shortFiles(files).values());

describe("the short names of files", () => {
  it("are base names where these differ", () => {
    expect(short("/srv/app/src/a.js", "/srv/app/test/b.js")).toEqual(["a.js", "b.js"]);
    expect(short("/srv/app/main.js")).toEqual(["main.js"]);
  });

  it("have as many folders as equal base names need", () => {
    expect(short("/p/x/lib/index.js", "/p/y/lib/index.js", "/p/src/index.js", "/p/a.js")).toEqual([
      "x/lib/index.js",
      "y/lib/index.js",
      "src/index.js",
      "a.js",
    ]);
  });

  it("leave out the folder that all lie in", () => {
    expect(short("/srv/app/index.js", "/srv/app/lib/index.js")).toEqual(["index.js", "lib/index.js"]);
  });

  it("begin with the package, the innermost one", () => {
    expect(
      short(
        "/srv/node_modules/express/lib/router.js",
        "/srv/node_modules/.pnpm/a@1/node_modules/@scope/a/index.js",
        "C:\\srv\\node_modules\\b\\index.js",
        "/srv/index.js",
      ),
    ).toEqual(["express/lib/router.js", "@scope/a/index.js", "b/index.js", "index.js"]);
  });

  it("tell two copies of a package apart", () => {
    expect(
      short("/srv/node_modules/ms/index.js", "/srv/node_modules/debug/node_modules/ms/index.js"),
    ).toEqual(["ms/index.js", "debug/node_modules/ms/index.js"]);
    const store = "/srv/node_modules/.pnpm";
    expect(
      short(`${store}/ms@2.0.0/node_modules/ms/index.js`, `${store}/ms@2.1.3/node_modules/ms/index.js`),
    ).toEqual(["ms@2.0.0/node_modules/ms/index.js", "ms@2.1.3/node_modules/ms/index.js"]);
  });

  it("end where a path of packages in packages ends", () => {
    const files = ["/node_modules/a/node_modules/b/index.js", "/x/node_modules/b/index.js", "/b/index.js"];
    expect(new Set(short(...files)).size).toBe(3);
    expect(short("/node_modules/node_modules/b/x", "/a/b/node_modules/@s/node_modules/b/x")).toEqual([
      "node_modules/b/x",
      "@s/node_modules/b/x",
    ]);
  });

  it("are Node's own as they are", () => {
    expect(
      short("node:fs", "node:internal/fs/utils", "/srv/fs.js", "internal/url.js", "", "wasm://wasm/7f"),
    ).toEqual(["node:fs", "node:internal/fs/utils", "fs.js", "internal/url.js", "", "wasm://wasm/7f"]);
  });

  it("are read off URLs and Windows paths too", () => {
    expect(
      short(
        "file:///srv/my%20app/a.mjs",
        "file:///C:/w/b.mjs",
        "C:\\w\\c.js",
        "\\\\host\\share\\d.js",
        "/srv/100%/e\\f.js",
      ),
    ).toEqual(["a.mjs", "b.mjs", "c.js", "d.js", "e\\f.js"]);
    expect(short("file:///srv/100%.mjs", "https://host/x.js?v=1", "webpack://app/./src/y.ts")).toEqual([
      "100%.mjs",
      "x.js?v=1",
      "y.ts",
    ]);
  });

  it("are whole where nothing shorter tells files apart", () => {
    expect(short("file:///srv/a.js", "/srv/a.js")).toEqual(["file:///srv/a.js", "/srv/a.js"]);
    expect(short("fs.js", "/srv/fs.js")).toEqual(["fs.js", "/srv/fs.js"]);
  });

  it("do not depend on the order, and a file given twice is one", () => {
    const files = ["/p/x/lib/index.js", "/p/lib/index.js", "/p/y/lib/index.js", "/p/index.js"];
    const forward = shortFiles([...files, ...files]);
    const backward = shortFiles(files.toReversed());
    expect(forward.size).toBe(4);
    for (const file of files) expect(backward.get(file)).toBe(forward.get(file));
    expect(new Set(forward.values()).size).toBe(4);
  });
});
