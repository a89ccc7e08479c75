import { columnOf } from "../profile/columns.js";
import { type Frame, isInferred } from "../profile/frame.js";
import { functionKeys } from "../profile/frame-keys.js";
import { mergeRows } from "../profile/merged-rows.js";
import { mergedTree, singleFrames } from "../profile/merged-tree.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";
import { setOrigins } from "./origin.js";

/** The stacks of a profile by function. */
export interface StacksByFunction {
  /** The profile with one frame for each function. Its samples are of all threads together, and it has no timeline. */
  readonly profile: Profile;
  /** The functions of the table, by the frames of {@link profile}. */
  readonly table: FunctionTable;
  /** By sample of the whole profile: the one that it was merged into. */
  readonly rows: Int32Array;
}

/**
 * Merges the stacks of a profile that differ only in what the functions of a table leave out: lines, tiers, and
 * whether a function was inlined; and the samples of these. There are far fewer of them, so lists of functions are best
 * made from these.
 */
export function stacksByFunction(profile: Profile, { functions, ofFrame }: FunctionTable): StacksByFunction {
  const frames = functions.map(({ frame }) => frame);
  const origins = functions.map(({ origin }) => origin);
  setOrigins(frames, origins);
  const table = { functions, ofFrame: columnOf(Int32Array, functions, (_, id) => id) };
  return { ...mergeStacks(profile, frames, ofFrame), table };
}

/**
 * Merges stacks and samples as {@link stacksByFunction} does, but frames that are inlined stay apart from those that are not, and so
 * do inferred ones: all that a tree of functions tells.
 */
export function stacksOfCalls(profile: Profile): Profile {
  const keyOf = functionKeys();
  const known = new Map<string, number>();
  const frames: Frame[] = [];
  const ofFrame = columnOf(Int32Array, profile.frames, (frame) => {
    const marks = `${frame.kind === "js" && frame.inlined ? "i" : ""}${isInferred(frame) ? "?" : ""}`;
    const key = `${marks}\0${keyOf(frame)}`;
    let number = known.get(key);
    if (number === undefined) {
      number = frames.push(frame) - 1;
      known.set(key, number);
    }
    return number;
  });
  return mergeStacks(profile, frames, ofFrame).profile;
}

/** Merges the stacks of a profile that are equal with other frames. `ofFrame` has the new number of each frame. */
function mergeStacks(
  profile: Profile,
  frames: readonly Frame[],
  ofFrame: Int32Array,
): Pick<StacksByFunction, "profile" | "rows"> {
  const { samples } = profile;
  const { length } = samples;
  const node = samples.node.slice(0, length);
  const { tree, isShared } = mergedTree(profile.tree, singleFrames(ofFrame), node);
  // A node has one sample for each thread.
  const mayMerge = profile.info.threads.length > 1 ? isShared.fill(1) : isShared;
  const merged = mergeRows(
    {
      length,
      node,
      vmState: samples.vmState.slice(0, length),
      thread: new Uint16Array(length),
      ticks: samples.ticks.slice(0, length),
    },
    mayMerge,
  );
  const left = { timeline: undefined, deopts: undefined, ics: undefined };
  return { profile: { ...profile, frames, tree, samples: merged.samples, ...left }, rows: merged.numbers };
}
