import { describe, expect, it } from "vitest";
import { calledNames, isCallAt } from "../../src/symbolizer/source-calls.ts";

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
