import { TicksError } from "../../../errors.js";
import { EXPORTERS } from "../../../exporters/exporters.js";
import { printable } from "../../../views/label.js";
import { nearNames } from "../../../views/near-names.js";

/** An export format on the command line. */
export interface ExportFormat {
  readonly name: string;
  readonly extension: string;
  readonly description: string;
}

/** The format that is made from a log, not from a profile, because it has machine code. */
export const PREPROCESS: ExportFormat = {
  name: "preprocess",
  extension: "preprocess.json",
  description: "the JSON of node --prof-process --preprocess, for speedscope and 0x",
};

/** All formats, in the order of the help. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [...EXPORTERS, PREPROCESS];

/** Other names of formats, and the tools that read them. */
const OTHER_NAMES: Record<string, string> = {
  folded: "collapsed",
  flamegraph: "collapsed",
  inferno: "collapsed",
  chrome: "cpuprofile",
  devtools: "cpuprofile",
  firefox: "gecko",
  perfetto: "chrome-trace",
  trace: "chrome-trace",
  kcachegrind: "callgrind",
  prof: "pprof",
  json: "speedscope",
};

/**
 * Finds a format by its name, or by the extension of a file. Throws a {@link TicksError} with a suggestion.
 */
export function exportFormat(name: string | undefined, file: string | undefined): ExportFormat {
  if (name !== undefined) {
    const format = EXPORT_FORMATS.find((candidate) => candidate.name === name);
    if (format !== undefined) return format;
    const meant = suggestion(name);
    throw new TicksError(
      "BAD_OPTION",
      `unknown --format ${printable(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      `Formats: ${names()}.`,
    );
  }
  const plain = file?.replace(/\.gz$/, "");
  const matching = EXPORT_FORMATS.filter(
    ({ extension }) => file?.endsWith(`.${extension}`) || plain?.endsWith(`.${extension}`),
  );
  const [longest] = matching.sort((a, b) => b.extension.length - a.extension.length);
  if (longest !== undefined) return longest;
  throw new TicksError("BAD_OPTION", "missing --format: which format to export", `Formats: ${names()}.`);
}

function names(): string {
  return EXPORT_FORMATS.map(({ name }) => name).join(", ");
}

/** Returns the format that a user may have meant, by another name or a similar spelling. */
function suggestion(word: string): string | undefined {
  const known = EXPORT_FORMATS.map(({ name }) => name);
  const [near] = nearNames(word, [...known, ...Object.keys(OTHER_NAMES)], 1);
  const name = OTHER_NAMES[near ?? ""] ?? near;
  return name !== undefined && known.includes(name) ? name : undefined;
}
