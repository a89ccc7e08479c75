import { TicksError, type TicksErrorCode } from "../errors.js";
import { printable } from "../views/label.js";
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
      if (!isErrorOfLog(error)) throw error;
      if (log.folder === undefined || log.isNamed || logs.length === 1) throw error;
      errors.push(error);
    }
  }
  if (errors.length < logs.length) return errors;
  warnSkipped(errors);
  throw new TicksError("NO_LOG", `cannot read any of the ${errors.length} logs`);
}

/** Warns about the logs that were skipped, and says why. */
export function warnSkipped(errors: readonly TicksError[]): void {
  for (const { message } of errors.slice(0, LISTED_LIMIT)) warn(`skipped: ${printable(message)}`);
  const more = errors.length - LISTED_LIMIT;
  if (more > 0) warn(`skipped: ${more} more unreadable logs`);
}
