import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { CATEGORIES } from "../profile/categories.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import { isWait, VM_STATES } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { categories } from "./breakdown.js";
import type { ProfiledFunction } from "./function-table.js";

export interface ThreadTotals extends Omit<ThreadInfo, "ticks"> {
  /**
   * The ticks of its samples. Over all threads, they sum to the ticks of the profile that are not excluded.
   */
  readonly ticks: Ticks;
  /** Its ticks in range that a filter left out. */
  readonly excluded: Ticks;
  /** `ticks` by VM state, indexed as `VM_STATES`. */
  readonly states: readonly Ticks[];
  /** `ticks` by what they were doing, indexed as `CATEGORIES`. */
  readonly categories: readonly Ticks[];
  /** Those of `ticks` in which it waited: it was idle or in `Atomics.wait`. */
  readonly waited: Ticks;
  /** The function with most self ticks in which it did not wait; undefined without such ticks. */
  readonly hottest: HottestFunction | undefined;
}

/** A function and its self ticks in one thread. */
export interface HottestFunction {
  readonly function: ProfiledFunction;
  readonly self: Ticks;
}

/** Returns the threads of a profile, in the order of their numbers. */
export function threadTotals(profile: Profile): ThreadTotals[] {
  const { tree, samples, info } = profile;
  const { functions, ofFrame } = Analysis.of(profile).table;
  const states = info.threads.map(() => new Array<Ticks>(VM_STATES.length).fill(0));
  const ofCategory = info.threads.map(() => new Array<Ticks>(CATEGORIES.length).fill(0));
  const category = categories(profile);
  const self = info.threads.map(() => new Map<number, Ticks>());
  for (let i = 0; i < samples.length; i++) {
    const thread = samples.thread[i]!;
    const ticks = samples.ticks[i]!;
    const leaf = ofFrame[tree.frame[samples.node[i]!]!]!;
    states[thread]![samples.vmState[i]!]! += ticks;
    ofCategory[thread]![category[i]!]! += ticks;
    if (!isWait(samples.vmState[i]!)) addTo(self[thread]!, leaf, ticks);
  }
  return info.threads.map((thread, i) => {
    const ticks = states[i]!.reduce((sum, inState) => sum + inState, 0);
    const waited = states[i]!.reduce((sum, inState, state) => (isWait(state) ? sum + inState : sum), 0);
    const hottest = hottestOf(self[i]!, functions);
    return {
      ...thread,
      ticks,
      excluded: thread.ticks - ticks,
      waited,
      states: states[i]!,
      categories: ofCategory[i]!,
      hottest,
    };
  });
}

/** Returns the function with most ticks; on a tie, the first by title, position and ID. */
function hottestOf(
  self: ReadonlyMap<number, Ticks>,
  functions: readonly ProfiledFunction[],
): HottestFunction | undefined {
  let best: number | undefined;
  for (const [id, ticks] of self) {
    if (ticks === 0) continue;
    const lead = best === undefined ? 1 : ticks - self.get(best)!;
    if (lead < 0) continue;
    const order = lead > 0 ? -1 : compareFunctions(functions[id]!, functions[best!]!);
    if (order < 0 || (order === 0 && id < best!)) best = id;
  }
  return best === undefined ? undefined : { function: functions[best]!, self: self.get(best)! };
}

/** Compares by title, file, line and column, all as strings. */
function compareFunctions(a: ProfiledFunction, b: ProfiledFunction): number {
  return (
    compareTexts(a.title, b.title) ||
    compareTexts(a.file ?? "", b.file ?? "") ||
    compareTexts(String(a.line ?? 0), String(b.line ?? 0)) ||
    compareTexts(String(a.column ?? 0), String(b.column ?? 0))
  );
}
