import { writeLines } from "../../io/output.js";
import { doctorJson, doctorText } from "../../reporters/doctor/text.js";
import { trust } from "../../views/trust.js";
import { loadProfile } from "../load-profile.js";
import type { LoadFlags } from "../log-input.js";
import { type ColorFlag, styleOf } from "../terminal.js";

export interface DoctorFlags extends LoadFlags {
  format: "text" | "json";
  color: ColorFlag;
  maxUnknown: number;
}

/** Runs `ticks doctor`; the result is the exit status: 1 when too many ticks have no function. */
export async function runDoctor(args: readonly string[], flags: DoctorFlags): Promise<number> {
  const { profile } = await loadProfile(args, flags);
  const reporter = flags.format === "json" ? doctorJson : doctorText;
  await writeLines(process.stdout, reporter.report(profile, { style: await styleOf(flags.color) }));
  const { unknown, ticks } = trust(profile);
  return ticks > 0 && (unknown * 100) / ticks > flags.maxUnknown ? 1 : 0;
}
