import { TicksError } from "../../errors.js";
import type { Profile } from "../../profile/profile.js";
import { REPORTS } from "../../reports/reports.js";
import { printable } from "../../views/label.js";
import { startupOf } from "../../views/startup.js";
import type { Until } from "../../views/startup-mark.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { ListFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { usualEnd } from "../startup-end.js";
import { warnIdle } from "../warnings.js";

interface StartupFlags extends ListFlags {
  until: Until;
  each?: boolean;
}

/** Runs `ticks startup`. Returns the exit status. */
export async function runStartup(args: readonly string[], flags: StartupFlags): Promise<number> {
  const loaded = await loadView(args, flags, { timeline: true, startup: true });
  const { profile } = loaded;
  const end = flags.until ?? usualEnd(profile);
  const mark = end.kind === "mark" ? end.name : undefined;
  const startup = findStartup(loaded.profile, end);
  const { limit } = flags;
  await printReport(REPORTS.startup, { profile, startup, limit, mark, each: flags.each }, flags);
  warnProblems(loaded);
  warnIdle(loaded.profile);
  return 0;
}

/** Returns a start-up. Throws a {@link TicksError} if no tick has the name that the user gave. */
function findStartup(profile: Profile, end: Until) {
  try {
    const found = startupOf(profile, end);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TicksError("BAD_OPTION", `--until: invalid regular expression: ${printable(error.message)}`);
  }
  const name = end.kind === "mark" ? printable(end.name) : "";
  throw new TicksError(
    "BAD_OPTION",
    `--until ${name}: no function or file of this name has ticks`,
    "ticks function LOG NAME finds functions. A start-up can also end at a time: --until 500.",
  );
}
