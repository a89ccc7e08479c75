import { type Command, InvalidArgumentError } from "commander";
import { REPORTS } from "../../reports/reports.js";
import { spikesOf } from "../../views/spikes.js";
import { threadTimelines } from "../../views/thread-timelines.js";
import { loadView, warnProblems } from "../load-profile.js";
import {
  addFormatOptions,
  addViewOptions,
  type FormatFlags,
  type GroupFlags,
  groupOption,
  positiveNumber,
  type ViewFlags,
} from "../options.js";
import { printReport } from "../print-report.js";
import { terminalWidth } from "../terminal.js";
import { warnIdle } from "../warnings.js";

interface TimelineFlags extends ViewFlags, FormatFlags, GroupFlags {
  slices?: number;
  limit: number;
}

/** The number of functions listed for a spike. */
const FUNCTIONS = 3;

/** Adds the options and the action of `ticks timeline`. */
export function configure(command: Command): void {
  command
    .option("--slices <n>", "number of time slices (default: as many as fit the width)", slices)
    .option("-n, --limit <n>", "number of spikes per thread, largest first", positiveNumber, 5)
    .addOption(groupOption());
  addFormatOptions(command, ["text", "json", "md"]);
  // What happened when: waiting is a part of it.
  addViewOptions(command, { countsIdle: true });
  command.action(async (logs: string[], flags: TimelineFlags) => {
    process.exitCode = await runTimeline(logs, flags);
  });
}

/** Reads a number of slices, up to a limit. */
function slices(text: string): number {
  const number = positiveNumber(text);
  if (number > 100_000) throw new InvalidArgumentError("Expected 100000 or less.");
  return number;
}

/** Runs `ticks timeline`. Returns the exit status. */
async function runTimeline(args: readonly string[], flags: TimelineFlags): Promise<number> {
  const loaded = await loadView(args, flags, { timeline: true, lines: false });
  const { profile } = loaded;
  const { mostSlices } = await import("../../reports/timeline.js");
  const most = mostSlices(flags.format, terminalWidth());
  const threads = threadTimelines(profile, { most, count: flags.slices, by: flags.by });
  const spikes = spikesOf(profile, threads, { spikes: flags.limit, functions: FUNCTIONS });
  await printReport(REPORTS.timeline, { profile, threads, spikes }, flags);
  warnProblems(loaded);
  warnIdle(loaded.profile);
  return 0;
}
