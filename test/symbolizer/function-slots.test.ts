import { describe, expect, it } from "vitest";
import type { LoggedFunction } from "../../src/recorder/logged-functions.ts";
import { Scripts } from "../../src/recorder/scripts.ts";
import { FunctionSlots } from "../../src/symbolizer/baseline-lines.ts";

function logged(name: string, start: number, end: number, script = 7): LoggedFunction {
  return { name: `${name} /a.js:1:1`, script, start, end, bytecodePositions: "" };
}

/** Returns whether the text of a script may tell where `f`, from 100 to 200, calls a function. */
function mayTell(callee: LoggedFunction, text = ""): boolean {
  const caller = logged("f", 100, 200);
  const source = { name: caller.name, line: () => 1, column: () => 0, isLongLine: () => false };
  const slots = new FunctionSlots(caller, source, new Scripts());
  slots.expect(new Set([callee]));
  return slots.mayTell((name) => text.includes(name));
}

describe("FunctionSlots.mayTell", () => {
  it("is true for functions of the script that a name can stand for", () => {
    expect(mayTell(logged("callee", 300, 400))).toBe(true);
    expect(mayTell(logged("a", 300, 400))).toBe(true);
    expect(mayTell(logged("", 300, 400))).toBe(true);
  });

  it("is false for modules of a bundle, which are named by their paths", () => {
    expect(mayTell(logged("lib/client-h1.js", 300, 400))).toBe(false);
    expect(mayTell(logged("src/a b.ts", 300, 400))).toBe(false);
  });

  it("is true for what the function itself contains, whatever its name", () => {
    expect(mayTell(logged("lib/client-h1.js", 120, 150))).toBe(true);
    expect(mayTell(logged("lib/client-h1.js", -1, -1))).toBe(true);
  });

  it("depends on the text for functions of other scripts, and not for what JavaScript calls itself", () => {
    expect(mayTell(logged("other", 0, 10, 8), "x.other()")).toBe(true);
    expect(mayTell(logged("other", 0, 10, 8), "x.another()".replace("other", ""))).toBe(false);
    expect(mayTell(logged("toString", 300, 400), "toString")).toBe(false);
  });
});
