import { badOption } from "../base/errors.js";
import { LOG, LOGS, moment, named, TICK, TICKS, text } from "../base/text.js";
import type { Micros } from "../base/units.js";
import type { CodeKind, ProfileFilter } from "../facts/filter-profile.js";
import { printable } from "../facts/label.js";
import type { UnmatchedFilter } from "../facts/unmatched-filters.js";
import type { LabelFilter } from "../inputs/read-options.js";
import { clampedTime } from "../profile/clamped-numbers.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { isIdle, VM_STATES, type VmStateName, vmState } from "../profile/vm-state.js";
import { plainly, spoken } from "../render/spoken.js";
import type { TickRangeOptions } from "../replay/tick-range.js";
import type { LogFlags } from "./log-input.js";

/** The options that filter a profile. */
export interface FilterFlags {
  focus?: RegExp[];
  ignore?: RegExp[];
  hide?: RegExp[];
  only?: CodeKind[];
  state?: VmStateName[];
  /** Whether ticks that waited count; undefined for no, unless they are in a state that is asked for. */
  idle?: boolean;
  from?: number;
  to?: number;
}

/** Whether the user left out a part of the logs: ticks of some code, threads, labels or times. */
export function leavesOut(
  flags: FilterFlags & Pick<LogFlags, "tagfocus" | "tagignore"> & { readonly thread?: unknown },
): boolean {
  const { focus, ignore, only, state, thread, from, to, tagfocus, tagignore } = flags;
  const all = [focus, ignore, only, state, thread, from, to, tagfocus, tagignore];
  return all.some((flag) => flag !== undefined);
}

/** Returns which samples the flags ask for by their labels; undefined for all. */
export function labelFilter({
  tagfocus: focus,
  tagignore: ignore,
}: Pick<LogFlags, "tagfocus" | "tagignore">): LabelFilter | undefined {
  return focus === undefined && ignore === undefined ? undefined : { focus, ignore };
}

export function profileFilter({ focus, ignore, hide, only, state, idle }: FilterFlags): ProfileFilter {
  // Who asks for a state gets it.
  return { focus, ignore, hide, only, states: state, idle: idle ?? state !== undefined };
}

/** Returns the VM states to keep, idle or not, where `Atomics.wait` counts; undefined for all. */
export function keptStates({ state, idle }: Pick<FilterFlags, "state" | "idle">): VmStateName[] | undefined {
  return idle === false ? (state ?? VM_STATES).filter((name) => !isIdle(vmState(name))) : state;
}

/**
 * Returns the range of time that the flags ask for. Throws a {@link TicksError} if it ends before it begins.
 */
export function timeRange({ from, to }: FilterFlags): Pick<TickRangeOptions, "from" | "to"> {
  if (from !== undefined && to !== undefined && from > to) {
    throw badOption(`--from ${from} ms is after --to ${to} ms`);
  }
  return { from, to };
}

/** Throws a {@link TicksError} if the logs have ticks, but none in a range of time: it says which times they have. */
export function refuseEmptyRange(
  info: Pick<ProfileInfo, "ticks" | "rangeRows" | "logs" | "input">,
  { from, to }: TickRangeOptions = {},
): void {
  const { ticks, rangeRows, logs } = info;
  const { times } = rangeRows;
  if (ticks > 0 || times === undefined) return;
  const [first, last] = times.map(clampedTime) as [Micros, Micros];
  const [begin, end] = [moment(first, "ms"), moment(last, "ms")];
  const where =
    from !== undefined && from > last / 1000
      ? text`--from ${String(from)} ms is after the end of the ${LOG}: its last ${TICK} is at ${end}`
      : to !== undefined && to < first / 1000
        ? text`--to ${String(to)} ms is before the start of the ${LOG}: its first ${TICK} is at ${begin}`
        : from !== undefined && to !== undefined
          ? text`no ${TICK} is between --from ${String(from)} ms and --to ${String(to)} ms`
          : undefined;
  if (where === undefined) return; // Another option left out the ticks.
  const whose =
    logs.length === 1 ? text`${named(logs[0]!)} has` : text`The ${String(logs.length)} ${LOGS} have`;
  const hint = text`${whose} ${TICKS} from ${begin} to ${end}.`;
  throw badOption(plainly(where, info), spoken(hint, printable, info));
}

/** Returns the values of a filter that match nothing in a profile. */
export async function findUnmatched(
  profile: Profile,
  filter: ProfileFilter,
): Promise<readonly UnmatchedFilter[]> {
  const { focus, ignore, hide, only } = filter;
  if ([focus, ignore, hide, only].every((values) => values === undefined)) return [];
  const { unmatchedFilters } = await import("../facts/unmatched-filters.js"); // Most runs have no filter.
  return unmatchedFilters(profile, filter);
}
