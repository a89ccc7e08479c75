import { type Command, Option } from "commander";
import type { TreeFlags } from "./commands/tree.js";
import { percentage, positiveNumber } from "./options.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks tree`. */
export function addTreeCommand(program: Command): void {
  const command = program
    .command("tree [LOG...]")
    .description("print who calls whom, with self and total ticks by function")
    .option("--heavy", "callers below the functions that have ticks of their own")
    .option("--depth <n>", "how many levels (default: all)", positiveNumber)
    .addOption(
      new Option("--min <percent>", "leave out what has less of the ticks").argParser(percentage).default(1),
    )
    .addOption(
      new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"),
    );
  addViewOptions(command);
  command.action(async (logs: string[], flags: TreeFlags) => {
    const { runTree } = await import("./commands/tree.js");
    process.exitCode = await runTree(logs, flags);
  });
}
