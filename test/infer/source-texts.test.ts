import { describe, expect, it } from "vitest";
import { FunctionTable } from "../../src/facts/function-table.ts";
import { mappedModules, markedModules, wrappedModule } from "../../src/infer/bundled-modules.ts";
import { type CallSite, callSites } from "../../src/infer/call-sites.ts";
import type { InlineStacks } from "../../src/infer/inline-stacks.ts";
import { calledNames, isCallAt, SourceCalls } from "../../src/infer/source-calls.ts";
import { SourceMap } from "../../src/infer/source-maps.ts";
import { roleOf } from "../../src/infer/source-names.ts";
import type { LoggedFunction } from "../../src/replay/logged-functions.ts";
import type { OffsetFrame } from "../../src/replay/replayed-frame.ts";
import { Scripts } from "../../src/replay/scripts.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

/** The calls of a script by their text from the position of the call up to the end of its line. */
function calls(text: string): Record<string, CallSite> {
  const found = callSites(text);
  return Object.fromEntries(
    Array.from(found ?? [], ([offset, site]) => [text.slice(offset).split("\n")[0], site]),
  );
}

const named = (...names: string[]) => ({ definition: undefined, names, isAlias: false });
const alias = (...names: string[]) => ({ definition: undefined, names, isAlias: true });

describe("the calls in a script", () => {
  it("are at the last word of their callee, or else at the parenthesis", () => {
    const text = "a.b.c(1);\nd[0](2);\nnew E(3);\nf`4`;\nx.catch(5);\ng?.(6);";
    expect(Object.keys(calls(text)).sort()).toEqual(
      ["c(1);", "(1);", "(2);", "new E(3);", "f`4`;", "`4`;", "catch(5);", "(5);", "g?.(6);", "(6);"].sort(),
    );
  });

  it("are named after properties, imports and globals", () => {
    const text = [
      'const { one: two, four } = require("x");',
      'import five, { six as seven } from "y";',
      "a.b();",
      "two();",
      "four();",
      "five();",
      "seven();",
      "(0, m.eight)(8);",
      "nine();",
    ].join("\n");
    expect(calls(text)).toMatchObject({
      "b();": named("b"),
      "two();": named("one", "two"),
      "four();": named("four", "four"),
      "five();": named("five", "five"),
      "seven();": named("six", "seven"),
      "(8);": named("eight"),
      "nine();": named("nine"),
    });
  });

  it("are of one function if its name stands for nothing else", () => {
    const text = "function f() {}\nconst g = () => {};\nclass C { constructor() {} }\nf();\ng();\nnew C();";
    const { "f();": f, "g();": g, "new C();": made } = calls(text);
    expect(text.slice(f!.definition!.start, f!.definition!.end)).toBe("function f() {}");
    expect(text.slice(g!.definition!.start, g!.definition!.end)).toBe("() => {}");
    expect(text.slice(made!.definition!.start, made!.definition!.end)).toBe("() {}");
  });

  it.each([
    ["a parameter", "function run(f) {\nf();\n}"],
    ["a parameter of an outer function", "function run(f) { return () => {\nf();\n}; }"],
    ["assigned again", "function f() {}\nf = g;\nf();"],
    ["declared twice", "function f() {}\nvar f = g;\nf();"],
    ["declared in a block", "if (a) { function f() {} }\nf();"],
    ["the result of a call", "const f = g();\nf();"],
    ["an element", "const [f] = g;\nf();"],
    ["of a loop", "for (const f of all) {\nf();\n}"],
    ["caught", "try {} catch (f) {\nf();\n}"],
    ["in a with", "function f() {}\nwith (o) {\nf();\n}"],
    ["beside an eval", "function f() {}\neval(x);\nf();"],
  ])("can be of any function if their name is %s", (_, text) => {
    expect(calls(text)["f();"]).toMatchObject(alias("f"));
  });

  it("can be of a function that they call or are given", () => {
    const { "call(f, 1);": forwarded, "h(f, o.p, ...q);": given } = calls("g.call(f, 1);\nh(f, o.p, ...q);");
    expect(forwarded).toMatchObject(named("call", "g"));
    expect(given!.passed).toEqual(["f", "p", "q"]);
  });

  it("are only those asked for", () => {
    expect(Array.from(callSites("f(); g();", new Set([5]))!.keys())).toEqual([5]);
  });

  it("are found in modules, scripts and functions' bodies of Node", () => {
    expect(calls('#!/usr/bin/env node\nimport a from "a";\nawait f();')["f();"]).toMatchObject(named("f"));
    expect(calls("if (done) return;\nf();")["f();"]).toMatchObject(named("f"));
  });

  it("are unknown where the text is no JavaScript", () => {
    expect(callSites("f(; g()")).toBeUndefined();
  });
});

/** Whether there is a call at `^` in the second line of a picture. */
const at = (text: string, mark: string) => isCallAt(text, mark.indexOf("^"));

describe("a call in the text of a script", () => {
  it("is at its last name, or at its parenthesis", () => {
    expect(at("f(1)", "^")).toBe(true);
    expect(at("a.b.c (1)", "    ^")).toBe(true);
    expect(at("list[i](1)", "       ^")).toBe(true);
    expect(at("a.b?.(1)", "  ^")).toBe(true);
    expect(at("tag`x`", "^")).toBe(true);
    expect(at("größe(1)", "^")).toBe(true);
  });

  it("is not at what V8 calls by itself", () => {
    expect(at("a.got + 1", "  ^")).toBe(false);
    expect(at("new Point(1)", "^")).toBe(false);
    expect(at("super(1)", "^")).toBe(false);
    expect(at("a + b", "  ^")).toBe(false);
    expect(at("x", " ^")).toBe(false);
    expect(isCallAt("f(1)", -5)).toBe(false);
  });

  it("is unknown at a statement", () => {
    expect(at("for (const a of b) f(a)", "^")).toBeUndefined();
    expect(at("while (f()) g()", "^")).toBeUndefined();
  });
});

describe("the names that a text calls", () => {
  it("leave out what is constructed or declared", () => {
    const text = "function f(x) { g(x); a.h (1); new P(i(x)); new a.b.Q(2); return j?.(x) + k.l; }";
    expect(Array.from(calledNames(text)).sort()).toEqual(["g", "h", "i", "j"]);
  });

  it("leave out a name that is both", () => {
    expect(Array.from(calledNames("P(1); new P(2)"))).toEqual([]);
  });

  it("are found in linear time in a long text", () => {
    for (const text of ["a".repeat(2e6), "a ".repeat(1e6), " ".repeat(2e6), "new a.".repeat(3e5)]) {
      expect(calledNames(text).size).toBe(0);
    }
  });
});

const TEXT = "called(x); ".repeat(100_000);

function functionOf(name: string, start: number, end: number): LoggedFunction {
  return { name: `${name} /a.js:1:1`, script: 1, start, end, bytecodePositions: "" };
}

/** Calls of a program whose positions are not known, and how many units of its script were taken from it. */
function callsOf(): { calls: SourceCalls; taken: () => number } {
  const scripts = new Scripts();
  scripts.add({ type: "script-source", id: 1, url: "/a.js", source: new Uint8Array(Buffer.from(TEXT)) }, 1);
  const script = scripts.get(1)!;
  let taken = 0;
  const { slice } = script;
  script.slice = (start, end) => {
    const text = slice.call(script, start, end);
    taken += text.length;
    return text;
  };
  const stacks = { callAt: () => undefined } as unknown as InlineStacks;
  return { calls: new SourceCalls(scripts, stacks), taken: () => taken };
}

describe("SourceCalls", () => {
  it("tell whether a function calls a name somewhere, each function searched once", () => {
    const { calls, taken } = callsOf();
    const frame = { code: { function: functionOf("f", 11, 33) } } as OffsetFrame;
    for (let i = 0; i < 9; i++) {
      expect(calls.callAt(frame, functionOf("o.called", 0, 1))).toBe("somewhere");
      expect(calls.callAt(frame, functionOf("other", 0, 1))).toBe("none");
    }
    expect(taken()).toBe(22);
  });

  it("take no more from scripts than they search, however many functions share a text", () => {
    const { calls, taken } = callsOf();
    const found = Array.from({ length: 200 }, () => {
      const frame = { code: { function: functionOf("f", 0, TEXT.length) } } as OffsetFrame;
      return calls.callAt(frame, functionOf("called", 0, 1));
    });
    expect([found[0], found.at(-1)]).toEqual(["somewhere", "none"]);
    expect(taken()).toBeLessThanOrEqual(2 ** 25 + TEXT.length);
  });
});

/** The functions of a log whose scripts have a text, as `name | file`. */
async function functionsOf(scripts: readonly string[], names: readonly string[]): Promise<string[]> {
  const rows = [
    ...scripts.map((url, i) => `script-source,${i + 1},${url},text`),
    ...names.map((name, i) => `code-creation,JS,10,1,0x${i + 1}000,256,${name},0xf${i},~`),
    ...names.map((_, i) => `tick,0x${i + 1}010,${i + 1},0,0x0,0`),
  ];
  const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true });
  return new FunctionTable(frames).functions.map(({ name, file }) => `${name} | ${file}`);
}

describe("a function with spaces in its name", () => {
  it("is split by the script that the log knows", async () => {
    const scripts = ["app.js", "my script.js", "D:\\srv\\a b.js", "http://x/a /b.js"];
    const names = [
      "GET /users app.js:10:5",
      "run my script.js:1:1",
      " my script.js:2:1",
      "C:\\x D:\\srv\\a b.js:1:1",
      "get http://y http://x/a /b.js:1:1",
      "other /srv/c.js:1:1",
    ];
    expect((await functionsOf(scripts, names)).sort()).toEqual([
      " | my script.js",
      "C:\\x | D:\\srv\\a b.js",
      "GET /users | app.js",
      "get http://y | http://x/a /b.js",
      "other | /srv/c.js",
      "run | my script.js",
    ]);
  });

  it.each([
    ["positions", "C0O1C8O2", true],
    ["positions, without lines", "C0O1C8O2", false],
    ["no positions", "", true],
    ["no positions, without lines", "", false],
  ])("is split so whatever the log has of its code: %s", async (_, positions, lines) => {
    const rows = [
      "script-source,1,my script.js,text",
      "code-creation,JS,10,1,0x1000,256,inner my script.js:1:3,0xf1,~",
      "code-creation,JS,10,1,0x2000,256,run my script.js:1:1,0xf2,*",
      `code-source-info,0x2000,1,0,4,${positions},F0O2,S0xf1`,
      "tick,0x2004,1,0,0x0,0",
      "tick,0x200c,2,0,0x0,0",
    ];
    const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true, lines });
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatchObject({ kind: "js", scriptAt: 4 });
  });

  it("splits what is inlined, too", async () => {
    const rows = [
      "script-source,1,my script.js,text",
      "code-creation,JS,10,1,0x1000,256,inner my script.js:1:3,0xf1,~",
      "code-creation,JS,10,1,0x2000,256,run my script.js:1:1,0xf2,*",
      "code-source-info,0x2000,1,0,4,C0O1C8O2I0,F0O2,S0xf1",
      "tick,0x200c,2,0,0x0,0",
    ];
    const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true });
    expect(frames.map((frame) => frame.kind === "js" && [frame.name, frame.scriptAt])).toEqual([
      ["run my script.js:1:1", 4],
      ["inner my script.js:1:3", 6],
    ]);
  });

  it("is found in time that does not grow with the number of scripts", () => {
    const scripts = new Scripts();
    for (let i = 1; i < 5000; i++)
      scripts.add({ type: "script-source", id: i, url: "x".repeat(i), source: new Uint8Array() }, i);
    const start = process.cpuUsage().user;
    for (let i = 0; i < 300; i++) expect(scripts.startIn(" ".repeat(5000))).toBe(-1);
    expect(process.cpuUsage().user - start).toBeLessThan(600_000);
    expect(scripts.startIn(`a ${"x".repeat(4000)}`)).toBe(2);
    expect(scripts.startIn("xx")).toBe(0);
    expect(scripts.startIn("yxx")).toBe(-1);
  });
});

/** The role of the function whose parameters begin at `@`. */
function role(text: string, isCut = false): string | undefined {
  return roleOf(text.slice(0, text.indexOf("@")), isCut);
}

describe("what a function without a name is for", () => {
  it.each([
    ["app.get('/auth', @(req, res) => {})", "app.get('/auth') handler"],
    ['app.get("/auth", check, async @(req) => {})', "app.get('/auth') handler"],
    ["app.get('/a', check({ deep: [1, ')'] }), async function @(req) {})", "app.get('/a') handler"],
    ["server.on(\n  'request',\n  function* @() {})", "server.on('request') handler"],
    ["setInterval(@() => {}, 5)", "setInterval callback"],
    ["promise.then(@x => x)", "promise.then callback"],
    ["load(1).then(@x => x)", "load().then callback"],
    ["http.createServer(function @(req) {})", "http.createServer callback"],
    ["new Promise(@(resolve) => {})", "new Promise callback"],
    ["list\n  .filter(Boolean)\n  .map(@x => x)", "list.filter().map callback"],
    ["this.queue?.push(@() => {})", "this.queue.push callback"],
    ["handlers[name].add(@() => {})", "handlers[…].add callback"],
    ["[1, 2].map(@x => x)", "[…].map callback"],
    ["(await load()).then(@x => x)", "(…).then callback"],
    ["`a`.replace(@x => x)", "….replace callback"],
    ["t.forEach((@e=>e))", "t.forEach callback"],
    ["router.use([log, @(req) => {}])", "router.use callback"],
    ["table[key] = @() => {}", "table[…]"],
    ["module.exports = function @() {}", "module.exports"],
    ["cache.get ??= @() => {}", "cache.get"],
    ["app.get('/x', // it's (odd\n  @(req) => {})", "app.get('/x') handler"],
    ['text.replace(/[("]/g, @(all) => all)', "text.replace callback"],
  ])("%s", (text, expected) => {
    expect(role(text)).toBe(expected);
  });

  it.each([
    "(@() => {})()",
    "(function @() {})()",
    "return @() => {}",
    "if (@() => {}) {}",
    "x => @y => x + y",
    "a === @() => {}",
    "[@() => {}]",
    "function f(g, @() => {}) {}",
    "@() => {}",
  ])("is not known of %s", (text) => {
    expect(role(text)).toBeUndefined();
  });

  it("shows that a name goes on before what was read", () => {
    expect(role("Table.each(@() => {})", true)).toBe("…Table.each callback");
  });

  it("cuts long callees and texts", () => {
    expect(role(`get('/${"a".repeat(50)}', @() => {})`)).toBe(`get('/${"a".repeat(38)}…') handler`);
    expect(role(`${"abcdefghij.".repeat(9)}on(@() => {})`)).toMatch(/^….{30,60} callback$/);
  });

  it.each(["(", "[", ")", "'", "`", "/", "//", "a.", ",(", "((", " \n", "async ", "new "])(
    "ends on %s again and again",
    (part) => {
      const text = part.repeat(100_000).slice(-2000);
      const start = process.cpuUsage().user;
      for (let i = 0; i < 50; i++) roleOf(`${text}(`, true);
      expect(process.cpuUsage().user - start).toBeLessThan(5_000_000);
    },
  );
});

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
