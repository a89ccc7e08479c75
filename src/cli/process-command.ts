import type { Command } from "commander";
import { addProcessOptions, type ProcessFlags } from "./options.js";

/** Adds `ticks process`, which is the command where none is named; `footer` ends its help. */
export function addProcessCommand(program: Command, footer: string): void {
  const command = program
    .command("process [LOG...]", { isDefault: true })
    .description(
      "print the report of one log, or of several or a folder of them together (the default command)",
    )
    .addHelpText("after", footer);
  addProcessOptions(command, ["text", "json"]);
  command.action(async (logs: string[], flags: ProcessFlags) => {
    const { runProcess } = await import("./commands/process.js");
    process.exitCode = await runProcess(logs, flags);
  });
}
