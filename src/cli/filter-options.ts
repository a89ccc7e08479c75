import { type Command, InvalidArgumentError, Option } from "commander";
import { TicksError } from "../errors.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { soundTime } from "../profile/sound-numbers.js";
import { isIdle, VM_STATES, type VmStateName, vmState } from "../profile/vm-state.js";
import type { TickRangeOptions } from "../recorder/tick-range.js";
import { CODE_KINDS, type CodeKind, type ProfileFilter } from "../views/filter-profile.js";
import { printable } from "../views/label.js";
import { nearNames } from "../views/near-names.js";
import type { UnmatchedFilter } from "../views/unmatched-filters.js";

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

/** Whether the user left out a part of the logs: ticks of some code, threads or times. */
export function leavesOut(flags: FilterFlags & { readonly thread?: unknown }): boolean {
  const { focus, ignore, only, state, thread, from, to } = flags;
  return [focus, ignore, only, state, thread, from, to].some((flag) => flag !== undefined);
}

/** Adds the options that filter a profile. */
export function addFilterOptions(command: Command): void {
  command
    .optionsGroup("Filters (RE is a regular expression; /RE/i ignores case; repeatable):")
    .option("--focus <re>", "keep only stacks with a frame whose label or file matches", patterns("--focus"))
    .option("--ignore <re>", "drop stacks with a matching frame", patterns("--ignore"))
    .option("--hide <re>", "hide matching frames and credit their callers", patterns("--hide"))
    .addOption(
      new Option("--only <kind>", "keep only these frames; they absorb their callees")
        .choices(CODE_KINDS)
        .argParser(words(CODE_KINDS, "kind")),
    )
    .addOption(
      new Option("--state <name>", "keep only ticks in this V8 state")
        .choices(VM_STATES.filter((name) => name !== "unknown"))
        .argParser(words(VM_STATES, "state")),
    )
    .option("--from <ms>", "drop ticks before this time, in milliseconds since the log began", milliseconds)
    .option("--to <ms>", "drop ticks after this time", milliseconds);
}

/** Returns the filter that the flags ask for. */
export function profileFilter({ focus, ignore, hide, only, state, idle }: FilterFlags): ProfileFilter {
  // Who asks for a state gets it.
  return { focus, ignore, hide, only, states: state, idle: idle ?? state !== undefined };
}

/** Returns the VM states to keep, idle or not, where `Atomics.wait` counts; undefined for all. */
export function keptStates({ state, idle }: Pick<FilterFlags, "state" | "idle">): VmStateName[] | undefined {
  return idle === false ? (state ?? VM_STATES).filter((name) => !isIdle(vmState(name))) : state;
}

/**
 * Adds `--idle` and `--no-idle`. The one that is the default is hidden: most commands leave out ticks that waited. Those that show
 * what happened when count them.
 */
export function addIdleOptions(
  command: Command,
  { isCounted }: { readonly isCounted: boolean } = { isCounted: false },
): void {
  const count = new Option(
    "--idle",
    "count ticks that waited, idle or in Atomics.wait (default: they are left out of shares)",
  );
  const leaveOut = new Option("--no-idle", "leave out ticks that waited, idle or in Atomics.wait");
  command
    .addOption(isCounted ? count.default(true).hideHelp() : count)
    .addOption(isCounted ? leaveOut : leaveOut.hideHelp());
}

/**
 * Returns the range of time that the flags ask for. Throws a {@link TicksError} if it ends before it begins.
 */
export function timeRange({ from, to }: FilterFlags): Pick<TickRangeOptions, "from" | "to"> {
  if (from !== undefined && to !== undefined && from > to) {
    throw new TicksError("BAD_OPTION", `--from ${from} is after --to ${to}`);
  }
  return { from, to };
}

/** Throws a {@link TicksError} if the logs have ticks, but none in a range of time: it says which times they have. */
export function refuseEmptyRange(
  { ticks, rangeRows, logs }: Pick<ProfileInfo, "ticks" | "rangeRows" | "logs">,
  { from, to }: TickRangeOptions = {},
): void {
  const { times } = rangeRows;
  if (ticks > 0 || times === undefined) return;
  const [first, last] = times.map((time) => soundTime(time) / 1000) as [number, number];
  const [begin, end] = [`${first.toFixed(1)} ms`, `${last.toFixed(1)} ms`];
  const where =
    from !== undefined && from > last
      ? `--from ${from} is after the end of the log: its last tick is at ${end}`
      : to !== undefined && to < first
        ? `--to ${to} is before the start of the log: its first tick is at ${begin}`
        : from !== undefined && to !== undefined
          ? `no tick is between --from ${from} and --to ${to}`
          : undefined;
  if (where === undefined) return; // Another option left out the ticks.
  const whose = logs.length === 1 ? `${printable(logs[0]!)} has` : `The ${logs.length} logs have`;
  throw new TicksError("BAD_OPTION", where, `${whose} ticks from ${begin} to ${end}.`);
}

/** Returns the values of a filter that match nothing in a profile. */
export async function findUnmatched(
  profile: Profile,
  filter: ProfileFilter,
): Promise<readonly UnmatchedFilter[]> {
  const { focus, ignore, hide, only } = filter;
  if ([focus, ignore, hide, only].every((values) => values === undefined)) return [];
  const { unmatchedFilters } = await import("../views/unmatched-filters.js"); // Most runs have no filter.
  return unmatchedFilters(profile, filter);
}

/** A pattern with flags: `/router/i`. */
const WITH_FLAGS = /^\/(.+)\/([imsu]+)$/s;

/** Returns a reader of the regular expressions of an option. */
export function patterns(flag: string): (text: string, previous?: RegExp[]) => RegExp[] {
  return (text, previous = []) => {
    const [, source = text, flags = ""] = WITH_FLAGS.exec(text) ?? [];
    try {
      return [...previous, new RegExp(source, flags)];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const reason = printable(error.message.replace(/^Invalid regular expression: /, ""));
      throw new TicksError(
        "BAD_OPTION",
        `${flag}: invalid regular expression: ${reason}`,
        String.raw`To match one of ( ) [ ] { } * + ? . | ^ $ literally, write \ before it.`,
      );
    }
  };
}

/** Returns a reader of one of several words, or of several with commas between them. */
function words<Word extends string>(
  known: readonly Word[],
  what: string,
): (text: string, previous?: Word[]) => Word[] {
  return (text, previous = []) => {
    const found = text.split(",").map((part) => {
      const name = part.trim();
      const word = known.find((one) => one === name);
      if (word !== undefined) return word;
      const near = nearNames(name, known, 1);
      const hint = near.length > 0 ? `Did you mean ${near[0]}?` : `Allowed choices are ${known.join(", ")}.`;
      throw new InvalidArgumentError(`Unknown ${what} ${printable(name)}. ${hint}`);
    });
    return [...previous, ...found];
  };
}

function milliseconds(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError("Expected a number of milliseconds.");
  return number;
}
