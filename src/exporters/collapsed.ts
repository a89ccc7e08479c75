import { columnOf } from "../profile/columns.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { oncePerLongLabel, printable, unmarkedLabelOf } from "../views/label.js";
import { numberedStacks, selfTicks } from "./export-stacks.js";
import { foldedLines } from "./folded-lines.js";

/**
 * Writes stacks as lines, `root;caller;leaf 12`: the labels of the frames, and the ticks of the stack. As in
 * inferno and `stackcollapse-perf.pl`, a name ends in `_[i]` for an inlined function and in `_[j]` for other
 * code that V8 made; `;` in a name becomes `:`. Stacks with the same labels are one line.
 */
export function* collapsed(profile: Profile): Iterable<Uint8Array> {
  const numbers = new Map<string, number>();
  const labelOfFrame = oncePerLongLabel(shownLabel);
  const ofFrame = columnOf(Int32Array, profile.frames, (frame) => {
    const name = `${labelOfFrame(frame)}${annotationOf(frame)}`;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  const stacks = numberedStacks(profile, ofFrame);
  const ticks = selfTicks(profile, stacks);
  const names = Array.from(numbers.keys());
  yield* foldedLines(stacks.tree, names, (leaf) => (ticks[leaf] === 0 ? undefined : `${ticks[leaf]}`));
}

function shownLabel(frame: Frame): string {
  return printable(unmarkedLabelOf(frame)).replaceAll(";", ":");
}

function annotationOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return frame.inlined ? "_[i]" : "_[j]";
    case "code":
      return "_[j]";
    case "native":
    case "unknown":
      return "";
  }
}
