import type { Command } from "commander";
import { EXPORT_FORMATS } from "./commands/export/export-formats.js";
import type { ExportFlags } from "./commands/export.js";
import { addRedactOptions } from "./redact-options.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks export` to the program. */
export function addExportCommand(program: Command): void {
  const command = program
    .command("export [LOG...]")
    .description("write a profile for another tool: flame graphs, DevTools, Firefox, speedscope, …")
    .addHelpText("after", formatsHelp)
    .option("--format <name>", "what to write (default: what the name of the -o file says)")
    .option(
      "-o, --output <file>",
      "where to write it, - for standard output, compressed where it ends in .gz (default: standard output; LOG.EXTENSION where that is a terminal)",
    );
  addViewOptions(command);
  addRedactOptions(command);
  command.action(async (logs: string[], flags: ExportFlags) => {
    const { runExport } = await import("./commands/export.js");
    process.exitCode = await runExport(logs, flags);
  });
}

function formatsHelp(): string {
  const width = Math.max(...EXPORT_FORMATS.map(({ name }) => name.length));
  const lines = EXPORT_FORMATS.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
  return `\nFormats:\n${lines.join("\n")}`;
}
