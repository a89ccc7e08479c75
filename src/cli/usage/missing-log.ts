import { existsSync, opendirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TicksError } from "../../base/errors.js";
import { printable } from "../../facts/label.js";
import { nearNames } from "../../facts/near-names.js";
import { STDIN } from "../../io/input.js";

/** How many names of a folder are compared. */
const NAMES_LIMIT = 1000;

/** Throws a {@link TicksError} for a log that does not exist, with similar names in its folder. */
export function refuseMissing(log: string): void {
  if (log === STDIN || existsSync(log)) return;
  const near = nearNames(basename(log), namesIn(dirname(log)));
  if (near.length === 0) return; // Opening it says the rest.
  const folder = basename(log) === log ? "" : dirname(log);
  const paths = near.map((name) => printable(join(folder, name)));
  throw new TicksError("NOT_FOUND", `${log}: no such file; did you mean ${paths.join(", ")}?`);
}

function namesIn(folder: string): string[] {
  try {
    const names: string[] = [];
    const entries = opendirSync(folder);
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (names.push(entry.name) >= NAMES_LIMIT) break;
    }
    entries.closeSync();
    return names.sort();
  } catch {
    return []; // There is no such folder, or it cannot be read.
  }
}
