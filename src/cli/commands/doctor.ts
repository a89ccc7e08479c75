import { type Command, Option } from "commander";
import { writeLines } from "../../io/output.js";
import type { Reporter } from "../../reporters/process/reporter.js";
import { coverageOf } from "../../views/coverage.js";
import { loadProfile } from "../load-profile.js";
import type { LoadFlags } from "../log-input.js";
import {
  addFormatOptions,
  addSymbolOptions,
  colorOption,
  type Format,
  type FormatFlags,
  percentage,
  threadOption,
} from "../options.js";
import { type ColorFlag, jsonLayout, styleOf } from "../terminal.js";

interface DoctorFlags extends LoadFlags, FormatFlags {
  color: ColorFlag;
  maxUnknown: number;
}

/** Adds the options and the action of `ticks doctor`. */
export function configure(command: Command): void {
  command
    .addOption(colorOption())
    .addOption(
      new Option(
        "--max-unknown <percent>",
        "exit with 1 if more than this percentage of the ticks has no function",
      )
        .argParser(percentage)
        .default(5),
    )
    .addOption(threadOption());
  addFormatOptions(command, ["text", "json", "md"]);
  addSymbolOptions(command);
  command.action(async (logs: string[], flags: DoctorFlags) => {
    process.exitCode = await runDoctor(logs, flags);
  });
}

/** Runs `ticks doctor`. Returns the exit status: 1 if too many ticks have no function. */
async function runDoctor(args: readonly string[], flags: DoctorFlags): Promise<number> {
  const { profile } = await loadProfile(args, flags);
  const reporter = await reporterOf(flags.format);
  const options = { style: await styleOf(flags.color), ...jsonLayout(flags) };
  await writeLines(process.stdout, reporter.report(profile, options));
  const { unknown, ticks } = coverageOf(profile);
  return ticks > 0 && (unknown * 100) / ticks > flags.maxUnknown ? 1 : 0;
}

async function reporterOf(format: Format): Promise<Reporter> {
  if (format === "json") return (await import("../../reporters/doctor/json.js")).doctorJson;
  if (format === "md") return (await import("../../reporters/doctor/markdown.js")).doctorMarkdown;
  return (await import("../../reporters/doctor/text.js")).doctorText;
}
