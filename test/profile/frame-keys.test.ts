import { describe, expect, it } from "vitest";
import { type Frame, frameKey, type JsFrame, TIERS } from "../../src/profile/frame.ts";
import { type FrameKey, frameKeys, frameTexts, functionKeys } from "../../src/profile/frame-keys.ts";

const NAMES = ["", "0", "1", "a /a.js:1:1", "b /a.js:1:1", "x".repeat(300), `${"x".repeat(299)}y`];
const MARKS: Partial<JsFrame>[] = [
  {},
  { inlined: true },
  { lacksColumn: true },
  { inferred: true },
  { inferredLine: true },
  { byOldCompilers: true },
  { loop: 1 },
  { loop: 2, inlined: true },
];

const JS = NAMES.flatMap((name) =>
  [0, 1, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32].flatMap((line) =>
    ["JS", "Script"].flatMap((type) =>
      TIERS.flatMap((tier) =>
        MARKS.map((marks): Frame => ({ kind: "js", type, tier, name, line, inlined: false, ...marks })),
      ),
    ),
  ),
);
const OTHERS = NAMES.flatMap((name): Frame[] => [
  { kind: "code", type: "Builtin", name, duplicate: 0 },
  { kind: "code", type: "Stub", name, duplicate: 0 },
  { kind: "code", type: "Stub", name, duplicate: 1 },
  { kind: "native", library: name, symbol: undefined },
  { kind: "native", library: name, symbol: "" },
  { kind: "native", library: "libc", symbol: name },
  { kind: "unknown", reason: "no-pc" },
  { kind: "unknown", reason: "unmapped" },
]);
const FRAMES = [...JS, ...OTHERS];

/** Expects keys to be equal exactly where texts are. */
function expectSameAs(keyOf: (frame: Frame) => FrameKey, textOf: (frame: Frame) => string): void {
  const byText = new Map<string, FrameKey>();
  const byKey = new Map<FrameKey, string>();
  for (const frame of [...FRAMES, ...FRAMES.toReversed().map((frame) => ({ ...frame }))]) {
    const [key, text] = [keyOf(frame), textOf(frame)];
    expect(byText.get(text) ?? key, text).toBe(key);
    expect(byKey.get(key) ?? text, text).toBe(text);
    byText.set(text, key);
    byKey.set(key, text);
  }
}

describe("the keys of frames", () => {
  it("are equal exactly for the same frame", () => {
    expectSameAs(frameKeys(), frameKey);
    expectSameAs(frameTexts(), frameKey);
    expect(new Set(FRAMES.map(frameKey)).size).toBeGreaterThan(JS.length);
  });

  it("do not differ with where the script begins in the name", () => {
    const keyOf = frameKeys();
    const frame: Frame = { kind: "js", type: "JS", tier: "~", name: "a b:1:1", line: 1, inlined: false };
    expect(keyOf({ ...frame, scriptAt: 2 })).toBe(keyOf(frame));
  });

  it("are short, however long the names are", () => {
    const [textOf, keyOf] = [frameTexts(), frameKeys()];
    for (const frame of FRAMES) {
      expect(textOf(frame).length).toBeLessThan(300);
      expect(String(keyOf(frame)).length).toBeLessThan(300);
    }
  });
});

it("the keys of functions are equal exactly for frames of one function", () => {
  expectSameAs(functionKeys(), (frame) => {
    switch (frame.kind) {
      case "js":
        return JSON.stringify(["js", frame.name]);
      case "code":
        return JSON.stringify(["code", frame.type, frame.name]);
      case "native":
        return JSON.stringify(["native", frame.library, frame.symbol ?? null]);
      case "unknown":
        return "unknown";
    }
  });
});
