import { REPORTS } from "../../reports/reports.js";
import { loadTop, pageWidth } from "../live/top-page.js";
import { warnProblems } from "../load-profile.js";
import type { ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface TopFlags extends ViewFlags, TokenLimitFlags {
  /** The number of rows of each list. */
  limit: number;
}

/** Runs `ticks top`. Returns the exit status. */
export async function runTop(args: readonly string[], flags: TopFlags): Promise<number> {
  checkTokenLimit(flags);
  const { loaded, report } = await loadTop(args, flags, flags.limit);
  await printReport(REPORTS.top, report, flags, pageWidth());
  warnProblems(loaded);
  return 0;
}
