import { describe, expect, it } from "vitest";
import type { LoggedFunction } from "../../src/recorder/logged-functions.ts";
import type { OffsetFrame } from "../../src/recorder/recorded-frame.ts";
import { Scripts } from "../../src/recorder/scripts.ts";
import type { InlineStacks } from "../../src/symbolizer/inline-stacks.ts";
import { SourceCalls } from "../../src/symbolizer/source-calls.ts";

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
    const found = Array.from({ length: 1000 }, () => {
      const frame = { code: { function: functionOf("f", 0, TEXT.length) } } as OffsetFrame;
      return calls.callAt(frame, functionOf("called", 0, 1));
    });
    expect([found[0], found.at(-1)]).toEqual(["somewhere", "none"]);
    expect(taken()).toBeLessThanOrEqual(2 ** 25 + TEXT.length);
  });
});
