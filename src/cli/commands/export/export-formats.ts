import { extname } from "node:path";
import { TicksError } from "../../../errors.js";
import { EXPORTERS } from "../../../exporters/exporters.js";
import { printable } from "../../../views/label.js";
import { nearNames } from "../../../views/near-names.js";
import { PREPROCESS } from "../../commands.js";

/** An export format on the command line. */
export interface ExportFormat {
  readonly name: string;
  readonly extension: string;
  readonly description: string;
}

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
    throw withFormats(
      `unknown --format ${printable(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  const plain = file?.replace(/\.gz$/, "");
  const matching = EXPORT_FORMATS.filter(
    ({ extension }) => file?.endsWith(`.${extension}`) || plain?.endsWith(`.${extension}`),
  );
  const [longest] = matching.sort((a, b) => b.extension.length - a.extension.length);
  if (longest !== undefined) return longest;
  const extension = extname(plain ?? "");
  throw withFormats(
    extension === ""
      ? "missing --format: which format to export"
      : `no format has the extension ${printable(extension)}: add --format, or use one of these extensions`,
  );
}

/** Returns an error that lists the formats with their extensions. */
function withFormats(message: string): TicksError {
  const width = Math.max(...EXPORT_FORMATS.map(({ name }) => name.length));
  const list = EXPORT_FORMATS.map(({ name, extension }) => `  ${name.padEnd(width)}  .${extension}`);
  return new TicksError(
    "BAD_OPTION",
    `${message}\n${list.join("\n")}`,
    "What they are for: ticks export --help",
  );
}

/** Returns the format that a user may have meant, by another name or a similar spelling. */
function suggestion(word: string): string | undefined {
  const known = EXPORT_FORMATS.map(({ name }) => name);
  const [near] = nearNames(word, [...known, ...Object.keys(OTHER_NAMES)], 1);
  const name = OTHER_NAMES[near ?? ""] ?? near;
  return name !== undefined && known.includes(name) ? name : undefined;
}
