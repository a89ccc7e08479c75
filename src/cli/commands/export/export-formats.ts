import { TicksError } from "../../../errors.js";
import { EXPORTERS } from "../../../exporters/exporters.js";
import { printable } from "../../../views/label.js";
import { nearNames } from "../../../views/near-names.js";

/** What the command line needs to know of a form of export. */
export interface ExportFormat {
  readonly name: string;
  readonly extension: string;
  readonly description: string;
}

/** The form that is made of a log, not of a profile: machine code is in it. */
export const PREPROCESS: ExportFormat = {
  name: "preprocess",
  extension: "preprocess.json",
  description: "the JSON of node --prof-process --preprocess, for speedscope and 0x",
};

/** Every form, in the order of the help. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [...EXPORTERS, PREPROCESS];

/** What people call forms, other than by their names. */
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

/** The form of that name, or the one that a file's name ends in. Throws a {@link TicksError} that suggests one. */
export function exportFormat(name: string | undefined, file: string | undefined): ExportFormat {
  if (name !== undefined) {
    const format = EXPORT_FORMATS.find((candidate) => candidate.name === name);
    if (format !== undefined) return format;
    const meant = suggestion(name);
    throw new TicksError(
      "BAD_OPTION",
      `--format ${printable(name)}: no such form of export${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      `There are: ${names()}.`,
    );
  }
  const plain = file?.replace(/\.gz$/, "");
  const matching = EXPORT_FORMATS.filter(
    ({ extension }) => file?.endsWith(`.${extension}`) || plain?.endsWith(`.${extension}`),
  );
  const [longest] = matching.sort((a, b) => b.extension.length - a.extension.length);
  if (longest !== undefined) return longest;
  throw new TicksError("BAD_OPTION", "--format is missing: what to export to", `There are: ${names()}.`);
}

function names(): string {
  return EXPORT_FORMATS.map(({ name }) => name).join(", ");
}

/** The form that a word may mean: by what people call it, or by how it is spelled. */
function suggestion(word: string): string | undefined {
  const known = EXPORT_FORMATS.map(({ name }) => name);
  const [near] = nearNames(word, [...known, ...Object.keys(OTHER_NAMES)], 1);
  const name = OTHER_NAMES[near ?? ""] ?? near;
  return name !== undefined && known.includes(name) ? name : undefined;
}
