import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { filterProfile } from "../../src/facts/filter-profile.ts";
import { originOfFile, originsOf } from "../../src/facts/origin.ts";
import { packageStacks } from "../../src/facts/package-stacks.ts";
import { topOf } from "../../src/facts/top.ts";
import type { JsFrame } from "../../src/profile/frame.ts";
import { KeptStrings, KeyedHash } from "../../src/redact/name-hash.ts";
import { ScriptNames } from "../../src/redact/redactor.ts";
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
    ["/home/me/ticks/dist/record/preload.cjs", "recorder", "ticks record"],
    ["/srv/node_modules/v8-ticks/dist/record/preload.cjs", "recorder", "ticks record"],
    ["C:\\npm\\node_modules\\v8-ticks\\dist\\record\\descriptors.cjs", "recorder", "ticks record"],
    ["/srv/preload.cjs", "app", "app"],
    ["/srv/record/preload.cjs", "app", "app"],
    ["/srv/mydist/record/preload.cjs", "app", "app"],
    ["/srv/node_modules/tracer/record/preload.cjs", "deps", "tracer"],
    ["file:///root/.cache/deno/npm/registry.npmjs.org/tiny-sum/0.1.0/lib/a.js", "deps", "tiny-sum"],
    ["file:///C:/deno/npm/npm.corp.example/@kit/sum/2.0.0-beta.1/index.js", "deps", "@kit/sum"],
    ["https://jsr.io/@std/fs/1.0.0/walk.ts", "deps", "@std/fs"],
    ["https://deno.land/std@0.200.0/fs/walk.ts", "deps", "deno.land/std"],
    ["https://deno.land/x/oak@v12.0.0/mod.ts", "deps", "deno.land/oak"],
    ["ext:deno_web/02_event.js", "node", "deno"],
    ["/srv/ext:own.js", "app", "app"],
    ["/srv/npm/a/index.js", "app", "app"],
    ["internal:fixed_queue", "node", "bun"],
    ["bun:main", "node", "bun"],
    ["InternalBytecode.js", "node", "hermes"],
    ["/root/hermes/build/lib/InternalBytecode/InternalBytecode.js", "node", "hermes"],
    ["/srv/MyInternalBytecode.js", "app", "app"],
    ["electron/js2c/browser_init", "node", "electron"],
    ["node:electron/js2c/sandbox_bundle", "node", "electron"],
    ["chrome://resources/lit/v3_0/lit.rollup.js", "node", "chrome"],
    ["devtools://devtools/bundled/entrypoints/main/main.js", "node", "chrome"],
    ["chrome-extension://abcd/content.js", "app", "app"],
    [undefined, "v8", "v8"],
  ])("%s is of %s %s", (file, kind, name) => {
    expect(originOfFile(file, true)).toEqual({ kind, name });
  });

  it("knows the bare names of Node before 16", () => {
    for (const file of ["fs.js", "internal/url.js", "native array.js", "_stream_writable.js"]) {
      expect(originOfFile(file, false).kind).toBe("node");
    }
    for (const file of ["/srv/fs.js", "worker.js", "tsc.js", "sqlite.js", "fs/mine.js"])
      expect(originOfFile(file, false).kind).toBe("app");
  });
});

describe("what ticks record loads", () => {
  const PRELOAD = "/opt/v8-ticks/dist/record/preload.cjs:1:1@9";
  const profile = profileFromStacks(
    `js:~·${PRELOAD}`,
    `js:~·${PRELOAD} js:~readFileSync·node:fs:400:5@410`,
    `js:~·${PRELOAD} cpp:open`,
    "js:~·/srv/preload.cjs:1:1@3",
  );

  it("is the profiler's work, and no code of the program", () => {
    const { breakdown, packages, app, lines } = topOf(profile, 10);
    const ticksOf = (wanted: string) => breakdown.find(({ category }) => category === wanted)?.ticks ?? 0;
    expect([ticksOf("profiler"), ticksOf("js"), ticksOf("native")]).toEqual([2, 2, 0]);
    expect(packages.rows.map(({ origin, ticks }) => [origin?.kind, ticks])).toEqual([
      ["recorder", 3],
      ["app", 1],
      ["node", 0],
    ]);
    for (const { lines: shown } of [app, lines])
      expect(shown.map(({ file }) => file)).toEqual(["/srv/preload.cjs"]);
  });

  it("has no ticks of what the program calls through it", () => {
    const through = profileFromStacks(
      `js:~start·/srv/app.js:1:1@3 js:~spawn·node:child_process:400:5@410 js:~spawn·${PRELOAD} cpp:fork`,
      `js:~start·/srv/app.js:1:1@3 js:~spawn·node:child_process:400:5@410 js:~spawn·${PRELOAD} js:~isOpen·${PRELOAD} cpp:lstat`,
    );
    const owners = topOf(through, 10).packages.rows.map(({ origin, ticks }) => [origin?.kind, ticks]);
    expect(owners).toEqual([
      ["app", 1],
      ["recorder", 1],
      ["node", 0],
    ]);
  });

  it("is known in a tree of packages", () => {
    expect(originsOf(packageStacks(profile).frames).map(({ kind }) => kind)).toContain("recorder");
  });

  it("is known in a redacted log", () => {
    const names = new ScriptNames({
      hash: new KeyedHash(Buffer.from("key")),
      kept: new KeptStrings(),
      packages: new Set(),
    });
    const kindOf = (file: string) => originOfFile(names.show(file).text, true).kind;
    expect(kindOf("/home/me/node_modules/v8-ticks/dist/record/preload.cjs")).toBe("recorder");
    expect(kindOf("/home/me/dist/preload.cjs")).toBe("app");
    expect(names.show("/home/me/dist/record/preload.cjs").text).not.toMatch(/home|me\b/);
  });
});

describe("originsOf", () => {
  it("takes bare names for the program's where Node's have a scheme", () => {
    const { frames } = profileFromStacks("js:f·node:fs:1:2 js:g·util.js:1:2 builtin:Add cpp:main ?");
    expect(originsOf(frames).map(({ name }) => name)).toEqual(["node", "app", "v8", "node", "unknown"]);
    expect(originsOf(frames.slice(1))[0]!.name).toBe("node");
  });

  it("takes code without a file for that of the packages that call it, and for the program's if it calls it itself", () => {
    const kit = (name: string) => `js:${name}·/srv/node_modules/${name}/index.js:1:2`;
    const ownerOf = (...callers: string[]) => {
      const { frames, origins } = Analysis.of(
        profileFromStacks(...callers.map((caller) => `${caller} js:made·<eval·#1>:1:1`.trim())),
      );
      return origins[frames.findIndex((frame) => frame.kind === "js" && frame.name.startsWith("made"))];
    };
    const of = (name: string, kind = "deps") => ({ kind, name });
    expect(ownerOf(kit("bundler"), `${kit("bundler")} js:emit·node:events:1:2`)).toEqual(of("bundler"));
    expect(ownerOf(kit("bundler"), kit("minifier"), kit("bundler"))).toEqual(of("(made-at-run-time)"));
    expect(ownerOf(kit("bundler"), "js:plugin·/srv/app.js:1:2")).toEqual(of("app", "app"));
    expect(ownerOf("")).toEqual(of("app", "app"));
    // A profile has frames of a function at lines, and one without a line that is on no stack.
    const at = profileFromStacks(`${kit("bundler")} js:made·<eval·#1>:1:1@2`);
    const made = at.frames.find((frame) => frame.kind === "js" && frame.line === 2) as JsFrame;
    const { origins } = Analysis.of({ ...at, frames: [...at.frames, { ...made, line: 0 }] });
    expect(origins.map(({ name }) => name)).toEqual(["bundler", "bundler", "bundler"]);
  });

  it("counts such code with its package in all that asks for packages", () => {
    const profile = profileFromStacks(
      "js:run·/srv/app.js:1:2@3 js:build·/srv/node_modules/bundler/index.js:9:2@9 js:made·<eval·#1>:1:1@2",
      "js:run·/srv/app.js:1:2@3",
    );
    const { packages, app } = topOf(profile, 10);
    expect(packages.rows.map(({ origin, ticks }) => [origin?.name, ticks])).toEqual([
      ["app", 1],
      ["bundler", 1],
    ]);
    expect(app.lines.map(({ file, ticks }) => [file, ticks])).toEqual([["/srv/app.js", 2]]);
    expect(originsOf(packageStacks(profile).frames).map(({ name }) => name)).toContain("bundler");
    const kept = filterProfile(profile, { only: ["app"] });
    expect(kept.frames.map((frame) => frame.kind === "js" && frame.name)).toEqual(["run /srv/app.js:1:2"]);
  });

  it("takes WebAssembly for Node's if only a part of Node calls it, such as its stripper of TypeScript", () => {
    const stripper = "js:transform·node:internal/deps/amaro/dist/index:1:9";
    const kinds = (...stacks: string[]) => {
      const { frames, origins } = Analysis.of(profileFromStacks(...stacks));
      return origins.flatMap(({ kind }, i) => (frames[i]!.kind === "js" && kind !== "v8" ? kind : []));
    };
    expect(kinds(`${stripper} builtin:JSToWasmWrapper js:wasm-function[2] js:wasm-function[3]`)).toEqual([
      "node",
      "node",
      "node",
    ]);
    expect(kinds("js:f·/srv/a.js:1:2 js:wasm-function[2]", "js:wasm-function[3]")).toEqual([
      "app",
      "app",
      "app",
    ]);
    expect(kinds(`${stripper} js:wasm-function[2]`, "js:f·/srv/a.js:1:2 js:wasm-function[2]")).toEqual([
      "node",
      "app",
      "app",
    ]);
  });

  it("takes WebAssembly for the program's, but not the stubs around it", () => {
    const { frames } = profileFromStacks("js:wasm-function[2] js:wasm-to-js");
    expect(originsOf(frames).map(({ name }) => name)).toEqual(["app", "v8"]);
  });
});
