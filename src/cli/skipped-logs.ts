import { TicksError, type TicksErrorCode } from "../base/errors.js";
import { printable } from "../facts/label.js";
import type { GivenLog } from "./log-paths.js";
import { warn } from "./terminal.js";

/** Errors that concern one log only: the others of its folder can still be read. */
const LOG_ERRORS: readonly TicksErrorCode[] = [
  "EMPTY",
  "NOT_A_LOG",
  "NOT_FOUND",
  "NOT_READABLE",
  "BAD_COMPRESSION",
];
/** Returns whether an error concerns one log only. */
export function isErrorOfLog(error: unknown): error is TicksError {
  return error instanceof TicksError && LOG_ERRORS.includes(error.code);
}

/** Returns whether an error is that of a log which can be left out: one of several, in a folder. */
export function maySkip(error: unknown, log: GivenLog, logs: number): error is TicksError {
  return isErrorOfLog(error) && log.folder !== undefined && !log.isNamed && logs > 1;
}

/** Why a log was left out. */
export type SkippedLog = Pick<TicksError, "message">;

/** How many skipped logs are listed; more are only counted. */
const LISTED_LIMIT = 5;

/**
 * Reads logs one after the other. Returns the errors of logs in folders that could not be read. Throws a
 * {@link TicksError} if a log that the user named cannot be read, or if no log can.
 */
export async function readEach(
  logs: readonly GivenLog[],
  read: (log: GivenLog) => Promise<void>,
): Promise<readonly TicksError[]> {
  const errors: TicksError[] = [];
  for (const log of logs) {
    try {
      await read(log);
    } catch (error) {
      if (!maySkip(error, log, logs.length)) throw error;
      errors.push(error);
    }
  }
  if (errors.length === logs.length) refuseAll(errors);
  return errors;
}

/** Throws a {@link TicksError}, after a warning about each log: none can be read. */
export function refuseAll(errors: readonly SkippedLog[]): never {
  warnSkipped(errors);
  throw new TicksError("NO_LOG", `cannot read any of the ${errors.length} logs`);
}

/** Warns about the logs that were skipped, and says why. */
export function warnSkipped(errors: readonly SkippedLog[]): void {
  for (const { message } of errors.slice(0, LISTED_LIMIT)) warn(`skipped: ${printable(message)}`);
  const more = errors.length - LISTED_LIMIT;
  if (more > 0) warn(`skipped: ${more} more unreadable logs`);
}
