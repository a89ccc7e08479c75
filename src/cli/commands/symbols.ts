import type { Command } from "commander";
import { TicksError } from "../../errors.js";
import { STDIN } from "../../io/input.js";
import { joinLines, writeFile, writeLines } from "../../io/output.js";
import { recordSymbols } from "../../record-symbols.js";
import { writeRecordedSymbols } from "../../symbols/recorded-symbols.js";
import { printable } from "../../views/label.js";
import {
  givenSymbolFiles,
  type LogFlags,
  type LogInput,
  openLogInput,
  openSharedInput,
  type SharedInput,
} from "../log-input.js";
import { type GivenLog, givenLogs } from "../log-paths.js";
import { addSymbolOptions } from "../options.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { readEach, warnSkipped } from "../skipped-logs.js";
import { warn } from "../terminal.js";

interface SymbolsFlags extends LogFlags {
  output?: string;
  all?: boolean;
}

/** Adds the options and the action of `ticks symbols`. */
export function configure(command: Command): void {
  command
    .option("-o, --output <file>", "write to this file, - for standard output (default: LOG.symbols)")
    .option("--all", "save all symbols, not only those that the log needs");
  addSymbolOptions(command);
  command.action(async (log: string, flags: SymbolsFlags) => {
    process.exitCode = await runSymbols(log, flags);
  });
}

/** Runs `ticks symbols`. Each log of a folder gets its own file. Returns the exit status. */
async function runSymbols(arg: string, flags: SymbolsFlags): Promise<number> {
  const logs = await givenLogs([arg]);
  if (flags.output !== undefined && logs.length > 1) {
    throw new TicksError(
      "BAD_OPTION",
      "-o works with one log only",
      "Leave -o out: each log gets its own LOG.symbols.",
    );
  }
  // The symbols beside a log are read too, but this command may overwrite them: it has written them.
  const inputs = { logs: logs.map(({ path }) => path), symbols: givenSymbolFiles(flags) };
  for (const log of inputs.logs) {
    const output = outputOf(log, flags.output);
    if (output.path !== STDIN) checkOutput(output, inputs);
  }
  const shared = await openSharedInput(flags);
  const save = async ({ path }: GivenLog) =>
    saveSymbols(await openToSave(path, flags, shared), outputOf(path, flags.output), flags);
  warnSkipped(await readEach(logs, save));
  return 0;
}

function outputOf(log: string, asked: string | undefined): OutputFile {
  return { path: asked ?? (log === STDIN ? STDIN : `${log}.symbols`), isTyped: asked !== undefined };
}

/** Opens a log. Skips damaged symbols beside it with a warning, since this run replaces them. */
async function openToSave(log: string, flags: SymbolsFlags, shared: SharedInput): Promise<LogInput> {
  try {
    return await openLogInput(log, flags, shared);
  } catch (error) {
    if (!(error instanceof TicksError) || error.code !== "BAD_SYMBOLS") throw error;
    warn(`skipped: ${printable(error.message)}`);
    return openLogInput(log, flags, { ...shared, recorded: new Map() });
  }
}

async function saveSymbols(
  { chunks, ...input }: LogInput,
  { path, isTyped }: OutputFile,
  { all }: SymbolsFlags,
): Promise<void> {
  const libraries = await recordSymbols(chunks, { ...input, all });
  const lines = writeRecordedSymbols(libraries);
  if (path === STDIN) {
    await writeLines(process.stdout, lines);
    return;
  }
  const name = printable(path);
  await writeFile(path, joinLines(lines), { name, isTyped });
  const functions = libraries.reduce((sum, { table }) => sum + table.length, 0);
  warn(`wrote ${functions} symbols of ${libraries.length} libraries to ${name}`);
}
