import type { PageData } from "../../flame-page/page-data.js";
import type { CallTree } from "../../profile/call-tree.js";
import type { Profile, SourceText } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import { stableKeys } from "../../views/stable-key.js";
import { gcStacks } from "./gc-stacks.js";
import { oldTiers } from "./page-data.js";
import { type FrameRow, frameRows, keptFrames, type PageFunction } from "./page-frames.js";

/** A function of a run. */
export interface RunFunction extends PageFunction {
  /** Its stable key; undefined for garbage collection and idle time as a whole. */
  readonly key: string | undefined;
}

/** The stacks of one run, without what only its log means. They can be sent from one thread to another. */
export interface RunStacks {
  readonly functions: readonly RunFunction[];
  readonly frames: readonly FrameRow[];
  /** Its frame numbers are indices into `frames`; that of the root is -1. */
  readonly tree: CallTree;
  /** Self ticks by node. */
  readonly ticks: Float64Array;
  /** All ticks in the tree. */
  readonly total: Ticks;
  /** The ticks that a filter left out. */
  readonly excluded: Ticks;
  readonly kindTitles: PageData["kindTitles"];
  readonly sources: readonly SourceText[];
}

/** Returns the stacks of a run for a page that compares it with others. */
export function runStacks(profile: Profile): RunStacks {
  const { samples, sources, info } = profile;
  const { tree, node } = gcStacks(profile);
  const { table, keys } = stableKeys(profile);
  const kept = keptFrames(profile.frames, tree);
  const { functions, ids, frames } = frameRows(profile.frames, kept.frames, table);
  const frame = kept.number;
  frame[0] = -1;
  const ticks = new Float64Array(tree.length);
  for (const [i, at] of node.entries()) ticks[at]! += samples.ticks[i]!;
  return {
    functions: functions.map((fn, i) => ({ ...fn, key: keys[ids[i]!]?.key })),
    frames,
    tree: { length: tree.length, parent: tree.parent, frame },
    ticks,
    total: ticks.reduce((sum, count) => sum + count, 0),
    excluded: info.excluded,
    kindTitles: oldTiers(profile),
    sources,
  };
}
