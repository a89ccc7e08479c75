import { describe, expect, it } from "vitest";
import { type CallSite, callSites } from "../../src/symbolizer/baseline-lines.ts";

/** The calls of a script by their text from the position of the call up to the end of its line. */
function calls(text: string): Record<string, CallSite> {
  const found = callSites(text);
  return Object.fromEntries(
    Array.from(found ?? [], ([offset, site]) => [text.slice(offset).split("\n")[0], site]),
  );
}

const named = (...names: string[]) => ({ definition: undefined, names, isAlias: false });
const alias = (...names: string[]) => ({ definition: undefined, names, isAlias: true });

/** What takes quadratic time in so many would take longer than a test may. */
const MANY = 100_000;

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

  it.each([
    ["brackets", (n: number) => "[".repeat(n)],
    ["calls", (n: number) => `${"f(".repeat(n)}${")".repeat(n)}`],
    ["sums", (n: number) => `x${"+f()".repeat(n)}`],
    ["chains", (n: number) => `x${".f()".repeat(n)}`],
    ["blocks", (n: number) => `${"{let a;".repeat(n)}f()${"}".repeat(n)}`],
    ["declarations", (n: number) => `var ${Array.from({ length: n }, (_, i) => `v${i}`).join()};f()`],
    ["functions", (n: number) => "function f(){}f();".repeat(n)],
    ["comments", (n: number) => `f${"/**/".repeat(n)}()`],
    ["classes", (n: number) => `${"class A{m(){".repeat(n)}f()${"}}".repeat(n)}`],
  ])("cost linear time in many or deep %s", (_, make) => {
    callSites(make(MANY));
  });

  it.each([
    ["too long", `f();${" ".repeat(16 * 2 ** 20)}`],
    ["of too many parts", "f();".repeat(2 ** 19)],
    ["with a number that is too long", `f(${"9".repeat(5000)}n);`],
  ])("are not looked for in a text %s", (_, text) => {
    expect(callSites(text)).toBeUndefined();
  });
});
