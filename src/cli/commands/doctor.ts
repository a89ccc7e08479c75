import { type Command, Option } from "commander";
import { REPORTS } from "../../reports/reports.js";
import { coverageOf, isSampled } from "../../views/coverage.js";
import { filterProfile } from "../../views/filter-profile.js";
import { addIdleOptions, profileFilter } from "../filter-options.js";
import { loadProfile } from "../load-profile.js";
import type { LoadFlags } from "../log-input.js";
import {
  addFormatOptions,
  addSymbolOptions,
  colorOption,
  type FormatFlags,
  noColorOption,
  percentage,
  threadOption,
} from "../options.js";
import { printReport } from "../print-report.js";
import { type ColorFlag, warn } from "../terminal.js";

interface DoctorFlags extends LoadFlags, FormatFlags {
  color: ColorFlag;
  maxUnknown: number;
  idle: boolean;
}

/** Adds the options and the action of `ticks doctor`. */
export function configure(command: Command): void {
  command
    .addOption(colorOption())
    .addOption(noColorOption())
    .addOption(
      new Option(
        "--max-unknown <percent>",
        "exit with 1 if more than this percentage of the ticks has no function, or if there are none",
      )
        .argParser(percentage)
        .default(5),
    )
    .addOption(threadOption());
  addIdleOptions(command, { isCounted: true });
  addFormatOptions(command, ["text", "json", "md"]);
  addSymbolOptions(command);
  command.action(async (logs: string[], flags: DoctorFlags) => {
    process.exitCode = await runDoctor(logs, flags);
  });
}

/** Runs `ticks doctor`. Returns the exit status: 1 if too many ticks have no function, or if there are none. */
async function runDoctor(args: readonly string[], flags: DoctorFlags): Promise<number> {
  const loaded = await loadProfile(args, flags, { mayLackTicks: true, inlines: true, timeline: true });
  const profile = filterProfile(loaded.profile, profileFilter({ idle: flags.idle }));
  await printReport(REPORTS.doctor, profile, flags);
  const { unknown, ticks } = coverageOf(profile);
  if (ticks === 0) {
    warn(
      isSampled(profile.info)
        ? `${profile.info.title} has no ticks`
        : `${profile.info.title} was recorded without --prof: code, deopts and ICs, no samples`,
    );
    return 1;
  }
  return (unknown * 100) / ticks > flags.maxUnknown ? 1 : 0;
}
