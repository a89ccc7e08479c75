import type { Command } from "commander";
import type { SymbolsFlags } from "./commands/symbols.js";
import { addSymbolOptions } from "./options.js";

/** Adds `ticks symbols`. */
export function addSymbolsCommand(program: Command): void {
  const command = program
    .command("symbols <LOG>")
    .description("save the C++ symbols that a log needs, so that it can be processed on any machine")
    .option("-o, --output <file>", "where to write them, - for standard output (default: LOG.symbols)")
    .option("--all", "save all symbols, not only those that the log's ticks touch");
  addSymbolOptions(command);
  command.action(async (log: string, flags: SymbolsFlags) => {
    const { runSymbols } = await import("./commands/symbols.js");
    process.exitCode = await runSymbols(log, flags);
  });
}
