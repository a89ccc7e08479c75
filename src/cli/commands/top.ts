import { type Command, InvalidArgumentError } from "commander";
import { REPORTS } from "../../reports/reports.js";
import { loadTop, pageWidth, TOP_ROWS } from "../live/top-page.js";
import { warnProblems } from "../load-profile.js";
import { addFormatOptions, addViewOptions, type ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { addTokenLimit, checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface TopFlags extends ViewFlags, TokenLimitFlags {
  /** The number of rows of each list. */
  limit: number;
}

/** Adds the options and the action of `ticks top`. */
export function configure(command: Command): void {
  command.option("-n, --limit <n>", "number of rows per list, up to 1000", rows, TOP_ROWS);
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.action(async (logs: string[], flags: TopFlags) => {
    process.exitCode = await runTop(logs, flags);
  });
}

function rows(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError("Expected a whole number from 1 to 1000.");
  return number;
}

/** Runs `ticks top`. Returns the exit status. */
async function runTop(args: readonly string[], flags: TopFlags): Promise<number> {
  checkTokenLimit(flags);
  const { loaded, report } = await loadTop(args, flags, flags.limit);
  await printReport(REPORTS.top, report, flags, pageWidth());
  warnProblems(loaded);
  return 0;
}
