import { describe, expect, it } from "vitest";
import { callSites } from "../../src/infer/call-sites.ts";

/** What takes quadratic time in so many would take longer than a test may. */
const MANY = 100_000;

describe("the calls in a script", () => {
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
