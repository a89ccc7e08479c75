import { basename, extname } from "node:path";
import { badOption, type TicksError } from "../../base/errors.js";
import { inTicks, named, type Text, text } from "../../base/text.js";
import { type Exporter, type ExportOptions, parsedLabels } from "../../exports/export-options.js";
import { EXPORTERS } from "../../exports/exporters.js";
import { printable } from "../../facts/label.js";
import { nearNames } from "../../facts/near-names.js";
import { STDIN } from "../../io/input.js";
import { type Chunks, joinLines, writeChunks, writeFile } from "../../io/output.js";
import type { Unit } from "../../render/spoken.js";
import { refuseUntimed, sampleCount } from "../../reports/words.js";
import { PREPROCESS } from "../commands.js";
import { keptStates, timeRange } from "../filter-options.js";
import { loadView, warnProblems } from "../load-profile.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault, onlyOneLog } from "../log-paths.js";
import type { ViewFlags } from "../options.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { type RedactFlags, redactedBy, refuseUnusedOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import { warnDoubts, warnDumpProblems, warnIdle } from "../warnings.js";

interface ExportFlags extends ViewFlags, RedactFlags, LabelFlags {
  format?: string;
  output?: string;
}

/** The name of standard output on the command line. */
const STDOUT = "-";

/** Runs `ticks export`. Returns the exit status. */
export async function runExport(args: readonly string[], flags: ExportFlags): Promise<number> {
  const format = exportFormat(flags.format, flags.output);
  refuseUnusedOptions(flags);
  const logs = await logsOrDefault(args, flags);
  const output = outputOf(logs, format, flags.output);
  if (output.path !== STDOUT) checkOutput(output, inputFiles(logs, flags));
  if (format === PREPROCESS) return exportPreprocess(logs, flags, output);
  const exporter = EXPORTERS.find(({ name }) => name === format.name)!;
  const options = exportOptions(flags, exporter);
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, {
    timeline: exporter.needsTimeline,
    deopts: exporter.showsDeopts && "events",
    identities: exporter.keepsLabels,
    lines: exporter.lacksLines !== true,
  });
  // Formats of time alone refuse memory themselves.
  if (exporter.needsTimeline && loaded.profile.info.memory === undefined)
    refuseUntimed(loaded.profile, "what ran when");
  const chunks = exporter.export(await redactedBy(loaded.profile, flags), options);
  await write(chunks, { format, output, what: sampleCount(loaded.profile), unit: loaded.profile.info });
  warnProblems(loaded);
  warnIdle(loaded.profile);
  if (process.stderr.isTTY) warnDoubts(loaded.profile, "missing-callers");
  if (exporter.needsTimeline) warnDoubts(loaded.profile, "no-times");
  return 0;
}

/** Options that change stacks or select threads. They do not work on machine code, which this format has. */
const NOT_FOR_PREPROCESS = ["focus", "ignore", "hide", "only", "thread"] as const;

async function exportPreprocess(
  [log = STDIN, ...others]: readonly string[],
  flags: ExportFlags,
  output: OutputFile,
): Promise<number> {
  if (others.length > 0) {
    throw onlyOneLog("--format preprocess");
  }
  exportOptions(flags, { ...PREPROCESS, keepsLabels: false });
  if (flags.redact) {
    throw badOption(
      "--format preprocess does not support --redact",
      "Redact the log first, then export the copy: ticks redact LOG -o FILE",
    );
  }
  const unsupported = NOT_FOR_PREPROCESS.find((name) => flags[name] !== undefined);
  if (unsupported !== undefined) {
    throw badOption(`--format preprocess does not support --${unsupported}`);
  }
  const { preprocess } = await import("../log-dumps.js");
  const { lines, ticks, problems } = await preprocess(log, flags, {
    range: timeRange(flags),
    states: keptStates(flags),
  });
  await write(joinLines(lines), { format: PREPROCESS, output, what: inTicks(ticks) });
  warnDumpProblems(problems);
  return 0;
}

/** Where to write, in which format. */
interface Target {
  readonly format: ExportFormat;
  readonly output: OutputFile;
  /** What the file has, for the message: `1,234 ticks`. */
  readonly what: Text;
  /** What it counts. Default: ticks. */
  readonly unit?: Unit;
}

async function write(
  chunks: Chunks,
  { format, output: { path, isTyped }, what, unit }: Target,
): Promise<void> {
  if (path === STDOUT) return writeChunks(process.stdout, chunks);
  const name = printable(path);
  const isCompressed = path.endsWith(".gz") && !format.extension.endsWith("gz");
  await writeFile(path, chunks, { name, isTyped, isCompressed });
  warn(text`wrote ${what} to ${named(name)}`, unit);
}

/**
 * Returns where to write: the file that the user named, else standard output, or a file in the current folder on a terminal.
 */
function outputOf(
  logs: readonly string[],
  { extension }: ExportFormat,
  named: string | undefined,
): OutputFile {
  const path = named ?? (process.stdout.isTTY ? fileHere(logs, extension) : STDOUT);
  return { path, isTyped: named !== undefined };
}

/** Returns `LOG.EXTENSION` in the current folder, or `ticks.EXTENSION` for several logs or standard input. */
function fileHere([log = STDIN, ...others]: readonly string[], extension: string): string {
  const isOne = log !== STDIN && others.length === 0;
  return `${isOne ? basename(log).replace(/\.(?:gz|zst|br)$/, "") : "ticks"}.${extension}`;
}

/** An export format on the command line. */
interface ExportFormat {
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
function exportFormat(name: string | undefined, file: string | undefined): ExportFormat {
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
  return badOption(`${message}\n${list.join("\n")}`, "What they are for: ticks export --help");
}

/** Returns the format that a user may have meant, by another name or a similar spelling. */
function suggestion(word: string): string | undefined {
  const known = EXPORT_FORMATS.map(({ name }) => name);
  const [near] = nearNames(word, [...known, ...Object.keys(OTHER_NAMES)], 1);
  const name = OTHER_NAMES[near ?? ""] ?? near;
  return name !== undefined && known.includes(name) ? name : undefined;
}

/** The options that say where a profile is from. */
interface LabelFlags {
  /** Each `KEY=VALUE`. */
  label?: string[];
  start?: string;
}

/** A date with a time and its offset: without one it would depend on where it is read. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function time(text: string): Date {
  const date = new Date(text);
  if (!TIME.test(text) || Number.isNaN(date.getTime()) || date.getTime() <= 0) {
    throw badOption(
      `--start ${printable(text)}: not a time`,
      "Write a date, a time and its offset: --start 2026-01-31T12:00:00Z",
    );
  }
  return date;
}

/** Returns what the flags say of a profile. Throws a {@link TicksError} if the format has no place for it. */
function exportOptions(flags: LabelFlags, format: Pick<Exporter, "name" | "keepsLabels">): ExportOptions {
  const labels = flags.label && parsedLabels(flags.label);
  const start = flags.start === undefined ? undefined : time(flags.start);
  if (format.keepsLabels) return { labels, start };
  const unused = labels !== undefined ? "--label" : start !== undefined ? "--start" : undefined;
  if (unused === undefined) return {};
  const able = EXPORTERS.filter(({ keepsLabels }) => keepsLabels).map(({ name }) => name);
  throw badOption(
    `--format ${format.name} has no place for ${unused}`,
    `These formats have: ${able.join(", ")}`,
  );
}
