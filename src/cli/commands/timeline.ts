import { writeLines } from "../../io/output.js";
import { timelineJson } from "../../reporters/timeline/json.js";
import { MARKDOWN_WIDTH, timelineMarkdown } from "../../reporters/timeline/markdown.js";
import { slicesIn, type TimelineReport, timelineText } from "../../reporters/timeline/text.js";
import { spikesOf } from "../../views/spikes.js";
import { threadTimelines } from "../../views/thread-timelines.js";
import { loadView, tellProblems } from "../load-profile.js";
import { styleOf, terminalWidth } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";

export interface TimelineFlags extends ViewFlags {
  slices?: number;
  limit: number;
  format: "text" | "json" | "md";
}

/** How many slices programs get at most. */
const JSON_SLICES = 100;
/** How many functions of a spike are named. */
const FUNCTIONS = 3;

/** Runs `ticks timeline`; the result is the exit status. */
export async function runTimeline(args: readonly string[], flags: TimelineFlags): Promise<number> {
  const loaded = await loadView(args, flags, { timeline: true });
  const { profile } = loaded;
  const width = flags.format === "text" ? terminalWidth() : MARKDOWN_WIDTH;
  const most = flags.format === "json" ? JSON_SLICES : slicesIn(width);
  const threads = threadTimelines(profile, { most, count: flags.slices });
  const spikes = spikesOf(profile, threads, { spikes: flags.limit, functions: FUNCTIONS });
  const lines = await linesOf({ profile, threads, spikes }, flags, width);
  await writeLines(process.stdout, lines);
  tellProblems(loaded);
  return 0;
}

async function linesOf(
  report: TimelineReport,
  { format, color }: TimelineFlags,
  width: number,
): Promise<Iterable<string>> {
  if (format === "json") return timelineJson(report);
  if (format === "md") return timelineMarkdown(report);
  return timelineText(report, { style: await styleOf(color), width });
}
