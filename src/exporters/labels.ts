import { TicksError } from "../errors.js";
import { printable } from "../views/label.js";

/** Labels that every fleet needs. Tables have a column for each, so that all files have the same columns. */
export const USUAL_LABELS = ["service", "env", "region", "deploy", "commit"] as const;

/** Names that tables and profiles use for something else. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["profile", "log", "pid", "isolate", "thread", "thread_kind", "sample", "time_us", "start_us"],
  ...["interval_us", "interval_asked_us", "interval_got_us", "v8", "node", "ticks_version"],
  ...["state", "depth", "function", "key", "source_hash", "file", "line", "function_line", "function_column"],
  ...["tier", "library", "build_id", "origin", "package", "inlined", "self", "total", "ticks"],
]);

const KEY = /^[a-z][a-z0-9_]{0,62}$/;
const LONGEST_VALUE = 1000;
const MOST_LABELS = 100;

/** A label: a key and its value. */
export type Label = readonly [key: string, value: string];

/** Returns labels, sorted by key. */
export function labelsOf(labels: Readonly<Record<string, string>> = {}): Label[] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Throws a {@link TicksError} for a label that cannot be a column of a table. */
export function checkLabels(labels: Readonly<Record<string, string>> = {}): void {
  const all = Object.entries(labels);
  if (all.length > MOST_LABELS) throw new TicksError("BAD_OPTION", `more than ${MOST_LABELS} labels`);
  for (const [key, value] of all) {
    const shown = printable(key);
    if (!KEY.test(key)) {
      throw new TicksError(
        "BAD_OPTION",
        `label ${shown}: not a key`,
        "A key begins with a lower-case letter and has lower-case letters, digits and _: --label env=prod",
      );
    }
    if (TAKEN.has(key))
      throw new TicksError("BAD_OPTION", `label ${shown}: every profile has its own ${shown}`);
    if (value === "" || value.length > LONGEST_VALUE) {
      throw new TicksError("BAD_OPTION", `label ${shown}: a value has 1 to ${LONGEST_VALUE} characters`);
    }
  }
}

/** Adds the label of an option of the form `KEY=VALUE`. Throws a {@link TicksError} if it is none. */
export function withLabel(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) {
    throw new TicksError(
      "BAD_OPTION",
      `--label ${printable(text)}: expected KEY=VALUE`,
      "Try: --label env=prod",
    );
  }
  const labels = { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
  checkLabels(labels);
  return labels;
}
