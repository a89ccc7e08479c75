import { REPORTS } from "../../reports/reports.js";
import { spikesOf } from "../../views/spikes.js";
import { threadTimelines } from "../../views/thread-timelines.js";
import { TURNS } from "../../views/turns.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { FormatFlags, GroupFlags, ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { terminalWidth } from "../terminal.js";
import { warnIdle } from "../warnings.js";

interface TimelineFlags extends ViewFlags, FormatFlags, GroupFlags {
  slices?: number;
  /** In milliseconds. */
  turns: number;
  limit: number;
}

/** The number of functions listed for a spike. */
const FUNCTIONS = 3;

/** Runs `ticks timeline`. Returns the exit status. */
export async function runTimeline(args: readonly string[], flags: TimelineFlags): Promise<number> {
  const loaded = await loadView(args, flags, {
    ...{ timeline: true, lines: "program" },
    turns: { ...TURNS, least: flags.turns * 1000, most: flags.limit },
  });
  const { profile, turns } = loaded;
  const { mostSlices } = await import("../../reports/timeline.js");
  const most = mostSlices(flags.format, terminalWidth());
  const threads = threadTimelines(profile, { most, count: flags.slices, by: flags.by });
  const spikes = spikesOf(profile, threads, { spikes: flags.limit, functions: FUNCTIONS });
  await printReport(REPORTS.timeline, { profile, threads, spikes, turns }, flags);
  warnProblems(loaded);
  warnIdle(loaded.profile);
  return 0;
}
