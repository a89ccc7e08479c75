import { createWriteStream } from "node:fs";
import { TicksError } from "../errors.js";
import { STDIN } from "../io/input.js";
import { writeLines } from "../io/output.js";
import { recordSymbols } from "../record-symbols.js";
import { writeRecordedSymbols } from "../symbolizer/native/recorded.js";
import { printable } from "../views/label.js";
import { givenLogs } from "./given-logs.js";
import { readEach, tellLeftOut } from "./left-out.js";
import { type LogFlags, openLogInput, openSharedInput, type SharedInput } from "./log-input.js";
import { warn } from "./terminal.js";

export interface SymbolsFlags extends LogFlags {
  output?: string;
  all?: boolean;
}

/** Runs `ticks symbols`; the result is the exit status. Each log of a folder gets a file of its own. */
export async function runSymbols(arg: string, flags: SymbolsFlags): Promise<number> {
  const logs = await givenLogs([arg]);
  if (flags.output !== undefined && logs.length > 1) {
    throw new TicksError(
      "BAD_OPTION",
      "-o takes the symbols of one log",
      "Leave it out: each log gets LOG.symbols.",
    );
  }
  const shared = await openSharedInput(flags);
  tellLeftOut(await readEach(logs, ({ path }) => saveSymbols(path, flags, shared)));
  return 0;
}

async function saveSymbols(log: string, flags: SymbolsFlags, shared: SharedInput): Promise<void> {
  const { chunks, ...input } = await openLogInput(log, flags, shared);
  const libraries = await recordSymbols(chunks, { ...input, all: flags.all });
  const output = flags.output ?? (log === STDIN ? STDIN : `${log}.symbols`);
  const lines = writeRecordedSymbols(libraries);
  if (output === STDIN) {
    await writeLines(process.stdout, lines);
    return;
  }
  const file = createWriteStream(output);
  await writeLines(file, lines);
  await new Promise((resolve) => file.end(resolve));
  const functions = libraries.reduce((sum, { table }) => sum + table.length, 0);
  warn(`${functions} symbols of ${libraries.length} libraries written to ${printable(output)}`);
}
