import { describe, expect, it } from "vitest";
import { stackOf } from "../../src/profile/call-tree.ts";
import { dropUnknownCallers } from "../../src/profile/unknown-callers.ts";
import { labelOf } from "../../src/views/label.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("dropUnknownCallers", () => {
  it("keeps unknown addresses only where ticks are in them, and every tick", () => {
    const { frames, tree, samples, info } = dropUnknownCallers(
      profileFromStacks("js:a ? ? js:b", "js:a js:b", "js:a ? js:b ?", "?", "js:a ? js:b ? ?"),
    );
    const stacks = Array.from({ length: samples.length }, (_, i) => {
      const labels = Array.from(stackOf(tree, samples.node[i]!), (frame) => labelOf(frames[frame]!));
      return `${labels.reverse().join(" ")}: ${samples.ticks[i]}`;
    });
    expect(stacks).toEqual(["JS: *a JS: *b: 2", "JS: *a JS: *b UNKNOWN: 2", "UNKNOWN: 1"]);
    expect(info.excluded).toBe(0);
  });

  it("gives a profile back that has none", () => {
    const profile = profileFromStacks("js:a js:b ?", "?");
    expect(dropUnknownCallers(profile)).toBe(profile);
  });
});
