import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { creditInterpreted, shownStacks } from "../../src/profile/shown-stacks.ts";
import { openTreeKernel } from "../../src/profile/tree-kernel.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const STACKS = 12_000;
/** Half of the words are of interpreted functions and their handlers, which move ticks. */
const WORDS = [
  ...Array.from({ length: 12 }, (_, i) => `js:~f${i % 6}@${i}`),
  ...Array.from({ length: 6 }, (_, i) => `js:f${i}`),
  ...["handler:Add", "handler:CallProperty1", "handler:Star", "?", "builtin:ArrayMap", "cpp:g"],
];

/** Random stacks of some ten thousand nodes. */
function largeProfile(seed: number) {
  const random = createRandom(seed);
  const stack = () => Array.from({ length: 1 + random(9) }, () => WORDS[random(WORDS.length)]).join(" ");
  return profileFromStacks(...Array.from({ length: STACKS }, stack));
}

function contentOf({ frames, tree, samples, info }: ReturnType<typeof largeProfile>) {
  return {
    frames,
    tree: [tree.parent, tree.frame].map((column) => column.slice(0, tree.length)),
    samples: [samples.node, samples.vmState, samples.ticks].map((column) => column.slice(0, samples.length)),
    hasShownStacks: info.hasShownStacks,
  };
}

describe("the kernel for the stacks that views show", () => {
  it.each([
    ["shown stacks", shownStacks],
    ["with bytecode handlers apart", (profile) => shownStacks(profile, { separateBytecodes: true })],
    ["over the columns of the profile", (profile) => shownStacks(profile, { overwrites: true })],
    ["with unknown callers", creditInterpreted],
  ] satisfies [string, typeof shownStacks][])("gives the same: %s", async (_, shown) => {
    const profile = largeProfile(1);
    expect(openTreeKernel(profile.tree)).toBeDefined();
    const before = contentOf(profile);
    const expected = await withoutKernels(() => contentOf(shown(largeProfile(1))));
    expect(isDeepStrictEqual(contentOf(shown(profile)), expected)).toBe(true);
    expect(expected.tree[0]!.length).toBeLessThan(before.tree[0]!.length);
  });
});
