import { type Command, Option } from "commander";
import type { DoctorFlags } from "./commands/doctor.js";
import { addSymbolOptions, colorOption, percentage, threadOption } from "./options.js";

/** Adds `ticks doctor`. */
export function addDoctorCommand(program: Command): void {
  const command = program
    .command("doctor [LOG...]")
    .description("check log quality and symbol coverage, and advise")
    .addOption(new Option("--format <name>", "output format").choices(["text", "json"]).default("text"))
    .addOption(colorOption())
    .addOption(
      new Option("--max-unknown <percent>", "exit with 1 when more of the ticks have no function")
        .argParser(percentage)
        .default(5),
    )
    .addOption(threadOption());
  addSymbolOptions(command);
  command.action(async (logs: string[], flags: DoctorFlags) => {
    const { runDoctor } = await import("./commands/doctor.js");
    process.exitCode = await runDoctor(logs, flags);
  });
}
