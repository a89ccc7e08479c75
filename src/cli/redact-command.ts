import { type Command, Option } from "commander";
import { addRedactorOptions, type RedactCommandFlags } from "./redact-options.js";

const DETAILS = `
What stays: ticks, times, addresses, lines and columns, tiers, inlining, deoptimizations, the
names of V8, Node and public libraries, the depth of paths. What goes: source texts and maps,
and every other name, which becomes a hash.

Prints what strings of the original are left: read it before you send anything.
With --check: exit status 1 if something else is left, or if a number differs.`;

/** Adds `ticks redact`. */
export function addRedactCommand(program: Command): void {
  const command = program
    .command("redact <LOG|DIR> [REDACTED]")
    .description("write a log without names and sources of the program, to send to others")
    .addHelpText("after", DETAILS)
    .option(
      "-o, --output <file|dir>",
      "where to write it, compressed if it ends in .gz; a new folder for DIR",
    )
    .option("--check", "check that REDACTED has no other strings, and the numbers of LOG");
  addRedactorOptions(command);
  command.addOption(new Option("--format <name>", "output format").choices(["text", "json"]).default("text"));
  command.action(async (log: string, redacted: string | undefined, flags: RedactCommandFlags) => {
    const run = flags.check
      ? (await import("./commands/redact/redact-check.js")).runRedactCheck
      : (await import("./commands/redact.js")).runRedact;
    process.exitCode = await run(log, redacted, flags);
  });
}
