import { openLog, STDIN } from "../io/input.js";
import { readText, symbolsFileOf } from "../io/symbols-file.js";
import { defaultSources } from "../symbolizer/native/index.js";
import { type RecordedSymbols, readRecordedSymbols } from "../symbolizer/native/recorded.js";
import type { SymbolSource } from "../symbolizer/native/symbol-source.js";
import { printable } from "../views/label.js";

/** The options of every command that reads a log. */
export interface LogFlags {
  nm?: string;
  target?: string;
  apkEmbeddedLibrary?: string;
  forceSymbols?: boolean;
  symbols?: string;
}

/** A log of the command line, opened, with where its names come from. */
export interface LogInput {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly sources: readonly SymbolSource[];
  readonly recorded: RecordedSymbols | undefined;
  readonly target: string | undefined;
  readonly apkEmbeddedLibrary: string | undefined;
  readonly forceSymbols: boolean;
}

/** Opens a log, and the symbols that were saved for it. */
export async function openLogInput(log: string, flags: LogFlags): Promise<LogInput> {
  const saved = flags.symbols ?? symbolsFileOf(log);
  return {
    name: log === STDIN ? "stdin" : log,
    chunks: openLog(log),
    sources: defaultSources({ nm: flags.nm }),
    recorded: saved === undefined ? undefined : readRecordedSymbols(await readText(saved), printable(saved)),
    target: flags.target,
    apkEmbeddedLibrary: flags.apkEmbeddedLibrary,
    forceSymbols: flags.forceSymbols ?? false,
  };
}

/** One line on standard error. */
export function warn(text: string): void {
  process.stderr.write(`ticks: ${text}\n`);
}
