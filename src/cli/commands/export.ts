import type { Command } from "commander";
import { TicksError } from "../../errors.js";
import { EXPORTERS } from "../../exporters/exporters.js";
import { STDIN } from "../../io/input.js";
import { type Chunks, joinLines, writeChunks, writeFile } from "../../io/output.js";
import type { Ticks } from "../../profile/units.js";
import { printable } from "../../views/label.js";
import { timeRange } from "../filter-options.js";
import { loadView, warnProblems } from "../load-profile.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault } from "../log-paths.js";
import { addViewOptions, type ViewFlags } from "../options.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { addRedactOptions, type RedactFlags, redactedBy, refuseIdleOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import { warnDumpFaults } from "../warnings.js";
import { EXPORT_FORMATS, type ExportFormat, exportFormat, PREPROCESS } from "./export/export-formats.js";

interface ExportFlags extends ViewFlags, RedactFlags {
  format?: string;
  output?: string;
}

/** What stands for standard output. */
const STDOUT = "-";

/** Adds the options and the action of `ticks export`. */
export function configure(command: Command): void {
  command
    .addHelpText("after", formatsHelp)
    .option("--format <name>", "what to write (default: what the name of the -o file says)")
    .option(
      "-o, --output <file>",
      "where to write it, - for standard output, compressed where it ends in .gz (default: standard output; LOG.EXTENSION where that is a terminal)",
    );
  addViewOptions(command);
  addRedactOptions(command);
  command.action(async (logs: string[], flags: ExportFlags) => {
    process.exitCode = await runExport(logs, flags);
  });
}

function formatsHelp(): string {
  const width = Math.max(...EXPORT_FORMATS.map(({ name }) => name.length));
  const lines = EXPORT_FORMATS.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
  return `\nFormats:\n${lines.join("\n")}`;
}

/** Runs `ticks export`; the result is the exit status. */
async function runExport(args: readonly string[], flags: ExportFlags): Promise<number> {
  const format = exportFormat(flags.format, flags.output);
  refuseIdleOptions(flags);
  const logs = await logsOrDefault(args);
  const output = outputOf(logs, format, flags.output);
  if (output.path !== STDOUT) checkOutput(output, inputFiles(logs, flags));
  if (format === PREPROCESS) return exportPreprocess(logs, flags, output);
  const exporter = EXPORTERS.find(({ name }) => name === format.name)!;
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, { timeline: exporter.needsTimeline });
  const { ticks, excluded } = loaded.profile.info;
  await write(exporter.export(await redactedBy(loaded.profile, flags)), {
    format,
    output,
    ticks: ticks - excluded,
  });
  warnProblems(loaded);
  return 0;
}

/** The options that change stacks or pick threads: machine code, which this form has, is past them. */
const NOT_OF_PREPROCESS = ["focus", "ignore", "hide", "only", "thread"] as const;

async function exportPreprocess(
  [log = STDIN, ...others]: readonly string[],
  flags: ExportFlags,
  output: OutputFile,
): Promise<number> {
  if (others.length > 0) {
    throw new TicksError("BAD_OPTION", "--format preprocess takes one log", "Run it once for each of them.");
  }
  if (flags.redact) {
    throw new TicksError(
      "BAD_OPTION",
      "--format preprocess has no --redact",
      "Redact the log first, then export that: ticks redact LOG -o FILE",
    );
  }
  const unknown = NOT_OF_PREPROCESS.find((name) => flags[name] !== undefined);
  if (unknown !== undefined) {
    throw new TicksError("BAD_OPTION", `--format preprocess writes whole stacks: it has no --${unknown}`);
  }
  const { preprocess } = await import("../log-dumps.js");
  const { lines, ticks, faults } = await preprocess(log, flags, {
    range: timeRange(flags),
    states: flags.state,
  });
  await write(joinLines(lines), { format: PREPROCESS, output, ticks });
  warnDumpFaults(faults);
  return 0;
}

/** What is written, and where. */
interface Target {
  readonly format: ExportFormat;
  readonly output: OutputFile;
  readonly ticks: Ticks;
}

async function write(chunks: Chunks, { format, output: { path, isTyped }, ticks }: Target): Promise<void> {
  if (path === STDOUT) return writeChunks(process.stdout, chunks);
  const name = printable(path);
  const isCompressed = path.endsWith(".gz") && !format.extension.endsWith("gz");
  await writeFile(path, chunks, { name, isTyped, isCompressed });
  warn(`${ticks} ticks written to ${name}`);
}

/** Where to write: what was asked for; else standard output, or a file beside the log where that is a terminal. */
function outputOf(
  logs: readonly string[],
  { extension }: ExportFormat,
  asked: string | undefined,
): OutputFile {
  const path = asked ?? (process.stdout.isTTY ? fileBeside(logs, extension) : STDOUT);
  return { path, isTyped: asked !== undefined };
}

/** `LOG.EXTENSION`; in the current folder for several logs, and for standard input. */
function fileBeside([log = STDIN, ...others]: readonly string[], extension: string): string {
  const isOne = log !== STDIN && others.length === 0;
  return `${isOne ? log.replace(/\.(?:gz|zst)$/, "") : "ticks"}.${extension}`;
}
