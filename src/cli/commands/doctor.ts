import { type Command, Option } from "commander";
import { writeLines } from "../../io/output.js";
import { trust } from "../../views/trust.js";
import { loadProfile } from "../load-profile.js";
import type { LoadFlags } from "../log-input.js";
import { addSymbolOptions, colorOption, percentage, threadOption } from "../options.js";
import { type ColorFlag, styleOf } from "../terminal.js";

interface DoctorFlags extends LoadFlags {
  format: "text" | "json";
  color: ColorFlag;
  maxUnknown: number;
}

/** Adds the options and the action of `ticks doctor`. */
export function configure(command: Command): void {
  command
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
    process.exitCode = await runDoctor(logs, flags);
  });
}

/** Runs `ticks doctor`; the result is the exit status: 1 when too many ticks have no function. */
async function runDoctor(args: readonly string[], flags: DoctorFlags): Promise<number> {
  const { profile } = await loadProfile(args, flags);
  const { doctorJson, doctorText } = await import("../../reporters/doctor/text.js");
  const reporter = flags.format === "json" ? doctorJson : doctorText;
  await writeLines(process.stdout, reporter.report(profile, { style: await styleOf(flags.color) }));
  const { unknown, ticks } = trust(profile);
  return ticks > 0 && (unknown * 100) / ticks > flags.maxUnknown ? 1 : 0;
}
