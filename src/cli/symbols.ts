import { createWriteStream } from "node:fs";
import { STDIN } from "../io/input.js";
import { writeLines } from "../io/output.js";
import { recordSymbols } from "../record-symbols.js";
import { writeRecordedSymbols } from "../symbolizer/native/recorded.js";
import { printable } from "../views/label.js";
import { type LogFlags, openLogInput } from "./log-input.js";
import { warn } from "./terminal.js";

export interface SymbolsFlags extends LogFlags {
  output?: string;
  all?: boolean;
}

/** Runs `ticks symbols`; the result is the exit status. */
export async function runSymbols(log: string, flags: SymbolsFlags): Promise<number> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const libraries = await recordSymbols(chunks, { ...input, all: flags.all });
  const output = flags.output ?? (log === STDIN ? STDIN : `${log}.symbols`);
  const lines = writeRecordedSymbols(libraries);
  if (output === STDIN) {
    await writeLines(process.stdout, lines);
    return 0;
  }
  const file = createWriteStream(output);
  await writeLines(file, lines);
  await new Promise((resolve) => file.end(resolve));
  const functions = libraries.reduce((sum, { table }) => sum + table.length, 0);
  warn(`${functions} symbols of ${libraries.length} libraries written to ${printable(output)}`);
  return 0;
}
