import { realpathSync } from "node:fs";
import { TicksError } from "../errors.js";
import { STDIN } from "../io/input.js";
import { printable } from "../views/label.js";

/** Throws a {@link TicksError} where an output file is one of the logs that it is made of. */
export function refuseLog(output: string, logs: readonly string[]): void {
  if (logs.some((log) => isSameFile(log, output))) {
    throw new TicksError("BAD_OPTION", `--output ${printable(output)} is the log itself`);
  }
}

function isSameFile(log: string, output: string): boolean {
  try {
    return log !== STDIN && realpathSync(log) === realpathSync(output);
  } catch {
    return false; // One of them is not there: reading or writing it tells.
  }
}
