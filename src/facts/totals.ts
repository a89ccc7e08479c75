import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { GC } from "../profile/vm-state.js";
import type { FlatRow } from "./flat.js";
import type { StackLabels } from "./stack-labels.js";

/**
 * The sums of a report. `js`, `native`, `library` and `unaccounted` sum to the ticks that are not excluded.
 */
export interface Totals {
  /** All ticks, including excluded ones. */
  readonly ticks: Ticks;
  readonly excluded: Ticks;
  /** Ticks with an unknown leaf. */
  readonly unaccounted: Ticks;
  readonly js: Ticks;
  readonly native: Ticks;
  readonly library: Ticks;
  /** All ticks in garbage collection, including excluded ones. They also count in one of the other sums. */
  readonly gc: Ticks;
}

export function totals({ info, samples }: Profile, labels: StackLabels, rows: readonly FlatRow[]): Totals {
  const sums = { js: 0, native: 0, library: 0, unknown: 0 };
  for (const row of rows) sums[row.category] += row.self;
  let unaccounted = 0;
  const { length, node, ticks: counts } = samples;
  const { ofNode, isUnknown } = labels;
  for (let i = 0; i < length; i++) if (isUnknown[ofNode[node[i]!]!] === 1) unaccounted += counts[i]!;
  const { js, native, library } = sums;
  const { ticks, excluded } = info;
  return { ticks, excluded, unaccounted, js, native, library, gc: info.ticksByState[GC] ?? 0 };
}
