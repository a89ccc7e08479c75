import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { labelOf, oncePerLongLabel, printable } from "../views/label.js";
import { exportStacks, selfTicks } from "./export-stacks.js";

/**
 * Writes stacks as lines, `root;caller;leaf 12`: the labels of the frames, and the ticks of the stack. As in
 * inferno and `stackcollapse-perf.pl`, a name ends in `_[i]` for an inlined function and in `_[j]` for other
 * code that V8 made; `;` in a name becomes `:`. Stacks with the same labels are one line.
 */
export function* collapsed(profile: Profile): Iterable<string> {
  const { frames, tree } = profile;
  const numbers = new Map<string, number>();
  const labelOfFrame = oncePerLongLabel(shownLabel);
  const ofFrame = Int32Array.from(frames, (frame) => {
    const name = `${labelOfFrame(frame)}${annotationOf(frame)}`;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  const stacks = exportStacks(profile, (node) => ofFrame[tree.frame[node]!]!);
  const ticks = selfTicks(profile, stacks);
  yield* foldedLines(stacks.tree, Array.from(numbers.keys()), (leaf) =>
    ticks[leaf] === 0 ? undefined : `${ticks[leaf]}`,
  );
}

/**
 * Yields a line for each node with a count: `root;caller;leaf 12`, in pieces. The tree's frames are indexes into
 * `names`; `countOf` returns undefined for a node without one.
 */
export function* foldedLines(
  { parent, frame, length }: CallTree,
  names: readonly string[],
  countOf: (leaf: number) => string | undefined,
): Iterable<string> {
  const leafNames = names.map(withoutCount);
  for (let leaf = ROOT + 1; leaf < length; leaf++) {
    const count = countOf(leaf);
    if (count === undefined) continue;
    const callers: number[] = [];
    for (let node = parent[leaf]!; node !== ROOT; node = parent[node]!) callers.push(frame[node]!);
    let piece = "";
    for (const caller of callers.reverse()) {
      piece += `${names[caller]};`;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
    yield `${piece}${leafNames[frame[leaf]!]} ${count}\n`;
  }
}

/** A stack can be longer than a string may be, so it is written in pieces of about this length. */
const PIECE_LENGTH = 1 << 16;

function shownLabel(frame: Frame): string {
  return printable(labelOf(frame)).replaceAll(";", ":");
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

/**
 * Joins a number at the end of a leaf's name to the name. Readers would take it for ticks: two numbers are
 * the two sides of a difference.
 */
function withoutCount(name: string): string {
  let start = name.length;
  while (start > 0 && !SPACE.test(name[start - 1]!)) start--;
  const last = name.slice(start);
  return start > 0 && COUNT.test(last) ? `${name.slice(0, start).trimEnd()}_${last}` : name;
}

const SPACE = /\s/;
const COUNT = /^\d+(?:\.\d*)?$/;
