import { TicksError } from "../errors.js";
import { EXPORTERS } from "../exporters/index.js";
import { printable } from "../views/label.js";

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

/** The form of that name, or the one that a file's name tells. Throws a {@link TicksError} that suggests one. */
export function exportFormat(name: string | undefined, file: string | undefined): ExportFormat {
  if (name !== undefined) {
    const format = EXPORT_FORMATS.find((candidate) => candidate.name === name);
    if (format !== undefined) return format;
    const meant = suggestion(name.toLowerCase());
    throw new TicksError(
      "BAD_OPTION",
      `--format ${printable(name)}: no such form of export${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      `There are: ${names()}.`,
    );
  }
  const plain = file?.replace(/\.gz$/, "");
  const told = EXPORT_FORMATS.filter(
    ({ extension }) => file?.endsWith(`.${extension}`) || plain?.endsWith(`.${extension}`),
  );
  const [longest] = told.sort((a, b) => b.extension.length - a.extension.length);
  if (longest !== undefined) return longest;
  throw new TicksError("BAD_OPTION", "--format is missing: what to export to", `There are: ${names()}.`);
}

function names(): string {
  return EXPORT_FORMATS.map(({ name }) => name).join(", ");
}

function suggestion(word: string): string | undefined {
  if (word === "") return undefined;
  const [, other] = Object.entries(OTHER_NAMES).find(([name]) => name.startsWith(word)) ?? [];
  if (EXPORT_FORMATS.some(({ name }) => name === other)) return other;
  const near = EXPORT_FORMATS.map(({ name }) => ({ name, edits: editsBetween(word, name) }))
    .filter(
      ({ name, edits }) => edits <= Math.max(1, name.length / 3) || (word !== "" && name.startsWith(word)),
    )
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.name;
}

/** How many characters are to be put in, left out or changed to make one word of the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of Array.from(a.slice(0, 32)).entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = row[j]! + (character === b[j] ? 0 : 1);
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
