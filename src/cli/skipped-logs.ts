import { TicksError, type TicksErrorCode } from "../errors.js";
import { printable } from "../views/label.js";
import type { GivenLog } from "./log-paths.js";
import { warn } from "./terminal.js";

/** What is wrong with a log itself, so that the others of its folder are still worth reading. */
const FAULTS_OF_LOGS: readonly TicksErrorCode[] = [
  "EMPTY",
  "NOT_A_LOG",
  "NOT_FOUND",
  "NOT_READABLE",
  "BAD_COMPRESSION",
];
/** More logs that cannot be read are counted, not listed. */
const LISTED_LIMIT = 5;

/**
 * Reads logs one after the other; the result is what kept those of folders from being read. Throws a {@link TicksError}
 * where a log that was named itself cannot be read, or none at all.
 */
export async function readEach(
  logs: readonly GivenLog[],
  read: (log: GivenLog) => Promise<void>,
): Promise<readonly TicksError[]> {
  const faults: TicksError[] = [];
  for (const log of logs) {
    try {
      await read(log);
    } catch (error) {
      if (!(error instanceof TicksError) || !FAULTS_OF_LOGS.includes(error.code)) throw error;
      if (log.folder === undefined || log.isNamed || logs.length === 1) throw error;
      faults.push(error);
    }
  }
  if (faults.length < logs.length) return faults;
  warnSkipped(faults);
  throw new TicksError("NO_LOG", `none of ${faults.length} logs can be read`);
}

/** Warns of the logs that were skipped, with the reason. */
export function warnSkipped(faults: readonly TicksError[]): void {
  for (const { message } of faults.slice(0, LISTED_LIMIT)) warn(`left out: ${printable(message)}`);
  const more = faults.length - LISTED_LIMIT;
  if (more > 0) warn(`left out: ${more} more logs that cannot be read`);
}
