import { expect, it } from "vitest";
import { shownStacks } from "../../src/profile/shown-stacks.ts";
import { expectEqual } from "../helpers/equal.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** Half of the words are of interpreted functions and their handlers, which move ticks. */
const WORDS = [
  ...Array.from({ length: 12 }, (_, i) => `js:~f${i % 6}@${i}`),
  ...Array.from({ length: 6 }, (_, i) => `js:f${i}`),
  ...["handler:Add", "handler:CallProperty1", "handler:Star", "?", "builtin:ArrayMap", "cpp:g"],
];

function randomProfile() {
  const random = createRandom(1);
  const stack = () => Array.from({ length: 1 + random(9) }, () => WORDS[random(WORDS.length)]).join(" ");
  return profileFromStacks(...Array.from({ length: 3000 }, stack));
}

function columnsOf({ frames, tree, samples }: ReturnType<typeof randomProfile>) {
  return [
    frames,
    ...[tree.parent, tree.frame].map((column) => column.slice(0, tree.length)),
    ...[samples.node, samples.vmState, samples.ticks].map((column) => column.slice(0, samples.length)),
  ];
}

it("are the same where the columns of the profile are overwritten", () => {
  const profile = randomProfile();
  const shown = shownStacks(profile);
  expectEqual(columnsOf(shownStacks(randomProfile(), { overwrites: true })), columnsOf(shown));
  expectEqual(columnsOf(profile), columnsOf(randomProfile()));
  expect(shown.tree.length).toBeLessThan(profile.tree.length);
});
