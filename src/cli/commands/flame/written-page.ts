import { TicksError } from "../../../errors.js";
import { STDIN } from "../../../io/input.js";
import { writeChunks, writeFile } from "../../../io/output.js";
import { printable } from "../../../views/label.js";
import type { ViewFlags } from "../../options.js";
import type { RedactFlags } from "../../redact-options.js";
import { warn } from "../../terminal.js";

/** The options of `ticks flame`. */
export interface FlameFlags extends ViewFlags, RedactFlags {
  output?: string;
  open?: boolean;
  source?: boolean;
  rename?: string[];
  by: "function" | "package";
}

/** Throws a {@link TicksError} for a page that cannot be opened. */
export function refuseUnwritable({ open, output }: FlameFlags): void {
  if (open && output === STDIN)
    throw new TicksError("BAD_OPTION", "--open does not work with -o -", "Leave one of them out.");
}

/** Where a page goes. */
export interface PageTarget {
  /** A path, or `-` for standard output. */
  readonly output: string;
  /** Whether the user typed the path. */
  readonly isTyped: boolean;
  /** What the page has, for the message: `1,234 ticks`. */
  readonly what: string;
}

/** Writes a page, given in parts, and says so unless it goes to standard output. */
export async function writePage(
  parts: Iterable<string>,
  { output, isTyped, what }: PageTarget,
): Promise<void> {
  if (output === STDIN) {
    await writeChunks(process.stdout, parts);
    return;
  }
  const name = printable(output);
  let bytes = 0;
  const counted = function* () {
    for (const part of parts) {
      bytes += Buffer.byteLength(part);
      yield part;
    }
  };
  await writeFile(output, counted(), { name, isTyped });
  warn(`wrote ${what} to ${name} (${Math.max(1, Math.round(bytes / 1000))} KB)`);
}
