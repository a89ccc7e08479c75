import { TicksError } from "../../errors.js";
import { EXPORTERS } from "../../exporters/exporters.js";
import { STDIN } from "../../io/input.js";
import { type Chunks, joinLines, writeChunks, writeFile } from "../../io/output.js";
import type { Ticks } from "../../profile/units.js";
import { vmState } from "../../profile/vm-state.js";
import { TickRange } from "../../recorder/tick-range.js";
import { printable } from "../../views/label.js";
import { timeRange } from "../filter-options.js";
import { loadView, tellProblems } from "../load-profile.js";
import { inputFiles, logsOrDefault } from "../log-input.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { type RedactFlags, redactedBy, refuseIdleOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";
import { tellDumpFaults } from "../warnings.js";
import { type ExportFormat, exportFormat, PREPROCESS } from "./export/export-formats.js";

export interface ExportFlags extends ViewFlags, RedactFlags {
  format?: string;
  output?: string;
}

/** What stands for standard output. */
const STDOUT = "-";

/** Runs `ticks export`; the result is the exit status. */
export async function runExport(args: readonly string[], flags: ExportFlags): Promise<number> {
  const format = exportFormat(flags.format, flags.output);
  refuseIdleOptions(flags);
  const logs = await logsOrDefault(args);
  const output = outputOf(logs, format, flags.output);
  if (output.path !== STDOUT) checkOutput(output, inputFiles(logs, flags));
  if (format === PREPROCESS) return exportPreprocess(logs, flags, output);
  const exporter = EXPORTERS.find(({ name }) => name === format.name)!;
  // Those of the command line, not of its folders: they say what the logs are called together.
  const named = args.length > 0 ? args : logs;
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(named, view, { timeline: exporter.needsTimeline });
  const { ticks, excluded } = loaded.profile.info;
  await write(exporter.export(await redactedBy(loaded.profile, flags)), {
    format,
    output,
    ticks: ticks - excluded,
  });
  tellProblems(loaded);
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
  const range = new TickRange(timeRange(flags));
  const states = flags.state?.map(vmState);
  const { lines, ticks, faults } = await preprocess(
    log,
    flags,
    ({ timestamp, vmState: state }) => range.includes(timestamp) && (states?.includes(state) ?? true),
  );
  await write(joinLines(lines), { format: PREPROCESS, output, ticks });
  tellDumpFaults(faults);
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
