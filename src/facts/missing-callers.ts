import type { MissingCallers, Profile } from "../profile/profile.js";

/** Callers that the stacks of a profile lack, and what to do about it. */
export interface MissingCallersNote {
  readonly callers: number;
  readonly missing: number;
  /** `missing` in percent of `callers`. */
  readonly percent: number;
  /** Whether `node --no-node-snapshot` logs them. */
  readonly isSnapshot: boolean;
}

/** A smaller share of the ticks, in percent, changes no picture. Each start-up has some that load modules. */
const LEAST_PERCENT = 5;
/** The first V8 of a Node with functions in its snapshot, Node 18. */
const FIRST_SNAPSHOT = 10;

/**
 * Returns what the stacks lack; undefined if that changes next to nothing of what reports show.
 *
 * Nearly all stacks of Node 18 and later lack callers above the program: its snapshot has the functions that start the
 * program and dispatch events. Without them the program's functions are outermost, with the same ticks, callees and lines:
 * nothing that a report shows of them changes. Below a function of the program a missing caller does change something: the
 * program seems to call directly what Node calls, in trees, callers and packages. So the note is there if 5 % of the ticks
 * have such a stack. Lines have ticks, not callers: a list of them has no note.
 */
export function missingCallersNote({ info }: Pick<Profile, "info">): MissingCallersNote | undefined {
  const { callers, missing, belowProgram } = info.missingCallers ?? NONE;
  if (belowProgram === 0 || belowProgram * 100 < LEAST_PERCENT * info.ticks) return undefined;
  const isSnapshot = info.v8.some(
    ({ major, embedder }) => major >= FIRST_SNAPSHOT && embedder.startsWith("-node"),
  );
  return { callers, missing, percent: (missing * 100) / callers, isSnapshot };
}

const NONE: MissingCallers = { callers: 0, missing: 0, ticks: 0, belowProgram: 0, interpreted: 0 };
