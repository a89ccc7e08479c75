import { describe, expect, it } from "vitest";
import { originOfFile, originsOf } from "../../src/views/origin.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("originOfFile", () => {
  it.each([
    ["/srv/app/index.js", "app", "app"],
    ["file:///srv/app/index.mjs", "app", "app"],
    ["node:internal/fs/utils", "node", "node"],
    ["/srv/node_modules/express/lib/router.js", "deps", "express"],
    ["/srv/node_modules/@scope/kit/index.js", "deps", "@scope/kit"],
    ["/srv/node_modules/.pnpm/ms@2.1.3/node_modules/ms/index.js", "deps", "ms"],
    ["/srv/node_modules/a/node_modules/b/index.js", "deps", "b"],
    ["C:\\srv\\node_modules\\@scope\\kit\\index.js", "deps", "@scope/kit"],
    ["/srv/node_modules.js", "app", "app"],
    ["vm.js", "app", "app"],
    [undefined, "v8", "v8"],
  ])("%s is of %s %s", (file, kind, name) => {
    expect(originOfFile(file, true)).toEqual({ kind, name });
  });

  it("knows the bare names of Node before 16", () => {
    for (const file of ["fs.js", "internal/url.js", "native array.js", "_stream_writable.js"]) {
      expect(originOfFile(file, false).kind).toBe("node");
    }
    expect(originOfFile("/srv/fs.js", false).kind).toBe("app");
  });
});

describe("originsOf", () => {
  it("takes bare names for the program's where Node's have a scheme", () => {
    const { frames } = profileFromStacks("js:f·node:fs:1:2 js:g·eval.js:1:2 builtin:Add cpp:main ?");
    expect(originsOf(frames).map(({ name }) => name)).toEqual(["node", "app", "v8", "node", "unknown"]);
    expect(originsOf(frames.slice(1))[0]!.name).toBe("node");
  });

  it("takes WebAssembly for the program's, but not the stubs around it", () => {
    const { frames } = profileFromStacks("js:wasm-function[2] js:wasm-to-js");
    expect(originsOf(frames).map(({ name }) => name)).toEqual(["app", "v8"]);
  });
});
