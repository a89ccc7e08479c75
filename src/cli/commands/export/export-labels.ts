import { TicksError } from "../../../errors.js";
import { type Exporter, type ExportOptions, withLabel } from "../../../exporters/export-options.js";
import { EXPORTERS } from "../../../exporters/exporters.js";
import { printable } from "../../../views/label.js";

/** The options that say where a profile is from. */
export interface LabelFlags {
  /** Each `KEY=VALUE`. */
  label?: string[];
  start?: string;
}

/** A date with a time and its offset: without one it would depend on where it is read. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function time(text: string): Date {
  const date = new Date(text);
  if (!TIME.test(text) || Number.isNaN(date.getTime()) || date.getTime() <= 0) {
    throw new TicksError(
      "BAD_OPTION",
      `--start ${printable(text)}: not a time`,
      "Write a date, a time and its offset: --start 2026-01-31T12:00:00Z",
    );
  }
  return date;
}

/** Returns what the flags say of a profile. Throws a {@link TicksError} if the format has no place for it. */
export function exportOptions(
  flags: LabelFlags,
  format: Pick<Exporter, "name" | "keepsLabels">,
): ExportOptions {
  const labels = flags.label?.reduce((all, text) => withLabel(text, all), {});
  const start = flags.start === undefined ? undefined : time(flags.start);
  if (format.keepsLabels) return { labels, start };
  const unused = labels !== undefined ? "--label" : start !== undefined ? "--start" : undefined;
  if (unused === undefined) return {};
  const able = EXPORTERS.filter(({ keepsLabels }) => keepsLabels).map(({ name }) => name);
  throw new TicksError(
    "BAD_OPTION",
    `--format ${format.name} has no place for ${unused}`,
    `These formats have: ${able.join(", ")}`,
  );
}
