import { type Command, Option } from "commander";
import type { LinesFlags } from "./commands/lines.js";
import { positiveNumber } from "./options.js";
import { addViewOptions } from "./view-options.js";

const FOOTER = `
FILE is a script's full name or the end of its path. Its text is that of the
log. Where the log has none (before Node 16, or of the sources of a source map),
it is that of the file on this machine, if it is under a --source-root.

Exit status: 0 done; 1 no such file has ticks; 2 trouble.`;

/** Adds `ticks lines`. */
export function addLinesCommand(program: Command): void {
  const command = program
    .command("lines [LOG] [FILE]")
    .description("print the hot lines of all scripts, or a script with ticks beside its lines")
    .addHelpText("after", FOOTER)
    .option("--all", "all lines, not only the hottest or those near ticks")
    .addOption(new Option("--limit <n>", "how many hot lines").argParser(positiveNumber).default(20))
    .addOption(
      new Option("--sort <by>", "by the ticks of the line itself, or with what it called")
        .choices(["self", "total"])
        .default("self"),
    )
    .addOption(
      new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"),
    );
  addViewOptions(command);
  command.action(async (log: string | undefined, file: string | undefined, flags: LinesFlags) => {
    const { runLines } = await import("./commands/lines.js");
    process.exitCode = await runLines([log ?? [], file ?? []].flat(), flags);
  });
}
