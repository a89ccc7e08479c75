import { REPORTS } from "../../reports/reports.js";
import { coverageOf, isSampled } from "../../views/coverage.js";
import { filterProfile } from "../../views/filter-profile.js";
import { profileFilter } from "../filter-options.js";
import { loadProfile } from "../load-profile.js";
import type { LoadFlags } from "../log-input.js";
import type { FormatFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { type ColorFlag, warn } from "../terminal.js";

interface DoctorFlags extends LoadFlags, FormatFlags {
  color: ColorFlag;
  maxUnknown: number;
  idle: boolean;
}

/** Runs `ticks doctor`. Returns the exit status: 1 if too many ticks have no function, or if there are none. */
export async function runDoctor(args: readonly string[], flags: DoctorFlags): Promise<number> {
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
