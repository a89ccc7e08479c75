import { REPORTS } from "../../reports/reports.js";
import { deoptView } from "../../views/deopts.js";
import { sitesByPosition } from "../../views/ics.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { ListFlags } from "../options.js";
import { printReport } from "../print-report.js";

/** Runs `ticks deopts`. Returns the exit status. */
export async function runDeopts(args: readonly string[], flags: ListFlags): Promise<number> {
  const loaded = await loadView(args, flags, {
    deopts: true,
    ics: "if-logged",
    lines: false,
    mayLackTicks: true,
    onlyInLogs: { what: "deoptimizations", record: "ticks record --deopts -- node app.js" },
  });
  const { profile } = loaded;
  const { limit } = flags;
  const caches = sitesByPosition(profile);
  await printReport(REPORTS.deopts, { profile, view: deoptView(profile), limit, caches }, flags);
  warnProblems(loaded);
  return 0;
}
