import { type Command, Option } from "commander";
import type { FunctionFlags } from "./commands/function.js";
import { percentage } from "./options.js";
import { addViewOptions } from "./view-options.js";

const FOOTER = `
NAME is a function's name, file:line where it begins or has ticks, /a regular
expression/ (/…/i in any case), or a part of its name or place. Without a LOG
it is looked for in the only log of the folder.

Exit status: 0 found; 1 no function of that name has ticks; 2 trouble.`;

/** Adds `ticks function`. */
export function addFunctionCommand(program: Command): void {
  const command = program
    .command("function [LOG...]")
    .usage("[options] [LOG...] NAME")
    .description("print what one function costs: tiers, callers, callees, its lines with ticks")
    .addHelpText("after", FOOTER)
    .option("--all", "show all functions that match, not only the hottest")
    .addOption(
      new Option("--min <percent>", "sum up callers and callees with less of the function's ticks")
        .argParser(percentage)
        .default(1),
    )
    .addOption(
      new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"),
    );
  addViewOptions(command);
  command.action(async (words: string[], flags: FunctionFlags) => {
    const { runFunction } = await import("./commands/function.js");
    process.exitCode = await runFunction(words, flags);
  });
}
