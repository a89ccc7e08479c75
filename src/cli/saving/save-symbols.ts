import { TicksError } from "../../base/errors.js";
import { printable } from "../../facts/label.js";
import { STDIN } from "../../io/input.js";
import { joinLines, writeFile, writeLines } from "../../io/output.js";
import { type RecordSymbolsOptions, recordSymbols } from "../../load/record-symbols.js";
import { writeRecordedSymbols } from "../../native/recorded-symbols.js";
import { type LogFlags, type LogInput, openLogInput, type SharedInput } from "../log-input.js";
import type { OutputFile } from "../output-file.js";
import { warn } from "../terminal.js";

export interface SaveSymbolsOptions {
  readonly flags: LogFlags;
  readonly shared: SharedInput;
  /** Whether to save all symbols, not only those that the log needs. */
  readonly all?: boolean | undefined;
  /** Called with each library that has a problem, of which nothing is saved. Default: none. */
  readonly onProblem?: RecordSymbolsOptions["onProblem"];
}

/** How much was saved. */
interface SavedCount {
  readonly functions: number;
  readonly libraries: number;
}

/** Saves the symbols of a log in a file, or writes them to standard output. */
export async function saveSymbols(
  log: string,
  { path, isTyped }: OutputFile,
  { flags, shared, all, onProblem }: SaveSymbolsOptions,
): Promise<SavedCount> {
  const { chunks, ...input } = await openToSave(log, flags, shared);
  const libraries = await recordSymbols(chunks, { ...input, all, onProblem });
  const lines = writeRecordedSymbols(libraries);
  if (path === STDIN) await writeLines(process.stdout, lines);
  else await writeFile(path, joinLines(lines), { name: printable(path), isTyped });
  return {
    functions: libraries.reduce((sum, { table }) => sum + table.length, 0),
    libraries: libraries.filter(({ table }) => table.length > 0).length,
  };
}

/** Opens a log. Skips damaged symbols beside it with a warning, since this run replaces them. */
async function openToSave(log: string, flags: LogFlags, shared: SharedInput): Promise<LogInput> {
  try {
    return await openLogInput(log, flags, shared);
  } catch (error) {
    if (!(error instanceof TicksError) || error.code !== "BAD_SYMBOLS") throw error;
    warn(`skipped: ${printable(error.message)}`);
    return openLogInput(log, flags, { ...shared, recorded: new Map() });
  }
}
