import { describe, expect, it } from "vitest";
import { stackOf } from "../../src/profile/call-tree.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { creditInterpreted, shownStacks } from "../../src/profile/shown-stacks.ts";
import { labelOf } from "../../src/views/label.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** The stacks of a profile with their ticks, root first, with the lines of functions. */
function stacksOf({ frames, tree, samples }: Profile): string[] {
  return Array.from({ length: samples.length }, (_, i) => {
    const labels = Array.from(stackOf(tree, samples.node[i]!), (number) => {
      const frame = frames[number]!;
      return labelOf(frame) + (frame.kind === "js" && frame.line > 0 ? `@${frame.line}` : "");
    });
    return `${labels.reverse().join(" ")}: ${samples.ticks[i]}`;
  });
}

describe("unknown callers", () => {
  it("go, but unknown addresses with ticks of their own stay, and every tick", () => {
    const shown = shownStacks(
      profileFromStacks("js:a ? ? js:b", "js:a js:b", "js:a ? js:b ?", "?", "js:a ? js:b ? ?"),
    );
    expect(stacksOf(shown)).toEqual(["JS: *a JS: *b: 2", "JS: *a JS: *b UNKNOWN: 2", "UNKNOWN: 1"]);
    expect(shown.info.excluded).toBe(0);
  });

  it("leave a profile alone that has none", () => {
    const profile = profileFromStacks("js:a js:b ?", "?");
    expect(shownStacks(profile)).toBe(profile);
  });
});

describe("ticks of bytecode handlers", () => {
  const profile = profileFromStacks(
    "js:~a@3 handler:Add",
    "js:~a@4 handler:Add",
    "js:~a@4 handler:CallProperty1",
    "js:~a@4 handler:CallProperty1",
    "js:~a@4 js:~b handler:Star",
    "js:~a@5",
  );

  it("are those of the interpreted function, with a line if the handler saves its position", () => {
    expect(stacksOf(shownStacks(profile))).toEqual([
      "JS: ~a: 2",
      "JS: ~a@4: 2",
      "JS: ~a@4 JS: ~b: 1",
      "JS: ~a@5: 1",
    ]);
  });

  it("leave no handler behind, and no node without ticks", () => {
    const { frames, tree } = shownStacks(profile);
    expect(new Set(frames.map(labelOf))).toEqual(new Set(["JS: ~a", "JS: ~b"]));
    // The root, `a` at two lines and without one, and `b`.
    expect(tree.length).toBe(5);
  });

  it("go to the same frame as those of a function that has no line", () => {
    const shown = shownStacks(profileFromStacks("js:~a@3 handler:Add", "js:~a", "js:~a handler:Ldar"));
    expect(stacksOf(shown)).toEqual(["JS: ~a: 3"]);
    expect(shown.tree.length).toBe(2);
  });

  it("stay if the function is unknown, compiled or not there", () => {
    const others = profileFromStacks("js:~a ? handler:Add", "js:^a handler:Add", "handler:Add");
    expect(stacksOf(shownStacks(others))).toEqual([
      "JS: ~a BytecodeHandler: Add: 1",
      "JS: ^a BytecodeHandler: Add: 1",
      "BytecodeHandler: Add: 1",
    ]);
  });

  it("are not credited a second time, to what is left of a stack", () => {
    const once = shownStacks(profileFromStacks("js:~a ? handler:Add", "js:~a handler:Ldar"));
    expect(shownStacks(once)).toBe(once);
    expect(creditInterpreted(once)).toBe(once);
    // Two logs are two threads.
    const merged = shownStacks(mergeProfiles([once, once]));
    expect(new Set(stacksOf(merged))).toEqual(new Set(["JS: ~a BytecodeHandler: Add: 1", "JS: ~a: 1"]));
  });

  it("are functions of their own if wanted, in every later view too", () => {
    const separate = shownStacks(profile, { separateBytecodes: true });
    expect(stacksOf(separate)).toEqual(stacksOf(profile));
    expect(shownStacks(separate)).toBe(separate);
  });

  it("keep their times", () => {
    const timeline = { length: 3, sample: Int32Array.of(1, 0, 2), timestamp: Float64Array.of(1, 2, 3) };
    const timed = { ...profileFromStacks("js:~a handler:Add", "js:~a handler:Ldar", "js:~b"), timeline };
    const shown = shownStacks(timed);
    expect(stacksOf(shown)).toEqual(["JS: ~a: 2", "JS: ~b: 1"]);
    expect(Array.from(shown.timeline!.sample.subarray(0, shown.timeline!.length))).toEqual([0, 0, 1]);
  });

  it("are credited alone, with unknown callers in place", () => {
    const credited = creditInterpreted(profileFromStacks("js:~a handler:Add", "js:~a ? js:b"));
    expect(stacksOf(credited)).toEqual(["JS: ~a: 1", "JS: ~a UNKNOWN JS: *b: 1"]);
  });
});
