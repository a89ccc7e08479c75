import { type Command, InvalidArgumentError, Option } from "commander";
import type { TopFlags } from "./commands/top.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks top`. */
export function addTopCommand(program: Command): void {
  const command = program
    .command("top [LOG...]")
    .description(
      "print one page of what to look at: where the ticks went, heavy stacks, hot functions and lines",
    )
    .addOption(new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"))
    .option("-n, --limit <n>", "how many rows each list has, up to 1000", rows, 10);
  addViewOptions(command);
  command.action(async (logs: string[], flags: TopFlags) => {
    const { runTop } = await import("./commands/top.js");
    process.exitCode = await runTop(logs, flags);
  });
}

function rows(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError("It is not a whole number from 1 to 1000.");
  return number;
}
