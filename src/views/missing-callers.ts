import type { MissingCallers, Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";

/** Callers that the stacks of a profile lack, and what to do about it. */
export interface MissingCallersNote {
  readonly callers: number;
  readonly missing: number;
  /** `missing` in percent of `callers`. */
  readonly percent: number;
  /** Ticks of bytecode handlers whose function is missing. */
  readonly interpreted: Ticks;
  /** Whether `node --no-node-snapshot` logs them. */
  readonly isSnapshot: boolean;
}

/** A smaller share of missing callers, in percent, changes no picture. */
const LEAST_PERCENT = 1;
/** The first V8 of a Node with functions in its snapshot, Node 18. */
const FIRST_SNAPSHOT = 10;

/** Returns what the stacks lack; undefined if that is next to nothing. */
export function missingCallersNote({ info }: Pick<Profile, "info">): MissingCallersNote | undefined {
  const { callers, missing, interpreted } = info.missingCallers ?? NONE;
  const percent = callers === 0 ? 0 : (missing * 100) / callers;
  if (percent < LEAST_PERCENT) return undefined;
  const isSnapshot = info.v8.some(
    ({ major, embedder }) => major >= FIRST_SNAPSHOT && embedder.startsWith("-node"),
  );
  return { callers, missing, percent, interpreted, isSnapshot };
}

const NONE: MissingCallers = { callers: 0, missing: 0, ticks: 0, interpreted: 0 };

/** Returns the note as a line of text. */
export function missingCallersText(note: MissingCallersNote): string {
  const { callers, missing, percent, isSnapshot } = note;
  const what = `${missing} of ${callers} callers (${percent.toFixed(1)}%) are missing`;
  return isSnapshot
    ? `${what}: functions of Node's startup snapshot. Record with --no-node-snapshot to see them.`
    : `${what}: the log has no rows of their code.`;
}
