import { columnOf, reaching } from "../base/columns.js";
import { Numbers, valueAt } from "../base/maps.js";
import { oncePerLongLabel, printable, unmarkedLabelOf } from "../facts/label.js";
import { stableKeys } from "../facts/stable-key.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import { inWholeUnits, ProfileMerger } from "../profile/merge.js";
import type { MemoryUnit, Profile } from "../profile/profile.js";
import { SampleTableBuilder } from "../profile/sample-table.js";
import { numberedStacks, selfTicks } from "./export-stacks.js";

/** Text is passed on in pieces of about this length. */
const PIECE_LENGTH = 1 << 16;

/**
 * Yields a line for each node with a count: `root;caller;leaf 12`, many at a time. The tree's frames are indexes into
 * `names`; `countOf` returns undefined for a node without one.
 */
export function* foldedLines(
  { parent, frame, length }: CallTree,
  names: readonly string[],
  countOf: (leaf: number) => string | undefined,
): Iterable<string> {
  const callers = names.map((name) => `${name};`);
  const leaves = new Map<number, string>();
  let stack = new Int32Array(256);
  let text = "";
  for (let leaf = ROOT + 1; leaf < length; leaf++) {
    const count = countOf(leaf);
    if (count === undefined) continue;
    let depth = 0;
    for (let node = parent[leaf]!; node !== ROOT; node = parent[node]!) {
      stack = reaching(stack, depth);
      stack[depth++] = frame[node]!;
    }
    while (depth > 0) {
      text += callers[stack[--depth]!]!;
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = "";
    }
    const name = frame[leaf]!;
    const leafName = valueAt(leaves, name, () => withoutCount(names[name]!));
    text += `${leafName} ${count}\n`;
  }
  yield text;
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

/**
 * Writes stacks as lines, `root;caller;leaf 12`: the labels of the frames, and the ticks of the stack, or microseconds where samples
 * weigh their time. As in inferno and `stackcollapse-perf.pl`, a name ends in `_[i]` for an inlined function and in `_[j]` for other
 * code that V8 made; `;` in a name becomes `:`. Stacks with the same labels are one line.
 */
export function* collapsed(given: Profile): Iterable<string> {
  const profile = inWholeUnits(given);
  const names = new Numbers();
  const labelOfFrame = oncePerLongLabel(foldedLabel);
  const ofFrame = columnOf(Int32Array, profile.frames, (frame) =>
    names.of(`${labelOfFrame(frame)}${annotationOf(frame)}`),
  );
  const stacks = numberedStacks(profile, ofFrame);
  const ticks = selfTicks(profile, stacks);
  yield* foldedLines(stacks.tree, names.keys, (leaf) => (ticks[leaf] === 0 ? undefined : `${ticks[leaf]}`));
}

function foldedLabel(frame: Frame): string {
  return foldedName(unmarkedLabelOf(frame));
}

/** Returns a name for a line that ends at `;`, and that begins with no `::`, which would be a command to GitHub. */
function foldedName(name: string): string {
  return printable(name)
    .replaceAll(";", ":")
    .replace(/^\s*::/, ":\\x3a");
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

/** The stacks of two sets of runs. */
export interface StackDifference {
  /** Its threads are the sides, and its ticks are means over the runs of a side, in `unit`; they can be fractions. */
  readonly profile: Profile;
  /** By thread of the profile. */
  readonly sides: readonly ("before" | "after")[];
  /** `ppm`: millionths of all ticks; `µs`: microseconds of CPU time; else bytes or objects. */
  readonly unit: "ppm" | "µs" | MemoryUnit;
  /** What the sides are, line by line. */
  readonly title: readonly string[];
}

/** A run of one side. */
interface WeighedRun {
  readonly profile: Profile;
  /** What a tick is, in the unit of the difference. */
  readonly factor: number;
}

/** Merges the runs of both sides. A function of both keeps the identity that it has after. */
export function stackDifference(
  before: readonly WeighedRun[],
  after: readonly WeighedRun[],
  rest: Pick<StackDifference, "unit" | "title">,
): StackDifference {
  const merger = new ProfileMerger({ byName: true });
  merger.add(meanOf(after));
  merger.add(meanOf(before));
  return { profile: merger.finish(), sides: ["after", "before"], ...rest };
}

/** Returns the mean of runs as a profile of one thread. */
function meanOf(runs: readonly WeighedRun[]): Profile {
  const merger = new ProfileMerger({ byName: true });
  for (const { profile, factor } of runs) {
    const { samples } = profile;
    const counts = samples.ticks.subarray(0, samples.length);
    const ticks = columnOf(Float64Array, counts, (count) => (count * factor) / runs.length);
    const info = { ...profile.info, tickTime: undefined, memory: undefined };
    merger.add({ ...profile, info, samples: { ...samples, ticks }, timeline: undefined, deopts: undefined });
  }
  const merged = merger.finish();
  const builder = new SampleTableBuilder();
  for (let i = 0; i < merged.samples.length; i++) {
    builder.add(merged.samples.node[i]!, merged.samples.vmState[i]!, merged.samples.ticks[i]!);
  }
  const thread = { ...merged.info.threads[0]!, name: "", log: "" };
  return { ...merged, samples: builder.finish(), info: { ...merged.info, threads: [thread] } };
}

/**
 * Returns a function that rounds numbers so that their sum is that of the numbers before, rounded: what a number
 * loses the next one gets.
 */
export function roundedSums(): (value: number) => number {
  let [exact, given] = [0, 0];
  return (value) => {
    exact += value;
    const rounded = Math.round(exact) - given;
    given += rounded;
    return rounded;
  };
}

/**
 * Writes a difference as `difffolded.pl` does: `root;caller;leaf BEFORE AFTER`, for `flamegraph.pl` and
 * `inferno-flamegraph`. Frames are named by the stable keys of their functions, without lines and tiers, so that
 * the same stack is one line; `;` in a name becomes `:`. The numbers of each side sum to what it has.
 *
 * Source: FlameGraph, difffolded.pl.
 */
export function* difffolded({ profile, sides }: StackDifference): Iterable<string> {
  const { samples } = profile;
  const { table, keys } = stableKeys(profile);
  const names = new Numbers();
  const ofFunction = keys.map(({ key }) => names.of(foldedName(key)));
  const ofFrame = table.ofFrame.map((of) => ofFunction[of]!);
  const stacks = numberedStacks(profile, ofFrame);
  const values = {
    before: new Float64Array(stacks.tree.length),
    after: new Float64Array(stacks.tree.length),
  };
  for (let i = 0; i < samples.length; i++)
    values[sides[samples.thread[i]!]!][stacks.nodeOf[i]!]! += samples.ticks[i]!;
  const [before, after] = [roundedSums(), roundedSums()];
  // Ticks without any frame cannot be a line.
  values.before[ROOT] = 0;
  values.after[ROOT] = 0;
  yield* foldedLines(stacks.tree, names.keys, (leaf) => {
    const counts = [before(values.before[leaf]!), after(values.after[leaf]!)];
    return counts.every((count) => count === 0) ? undefined : counts.join(" ");
  });
}
