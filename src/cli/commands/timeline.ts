import { type Command, InvalidArgumentError } from "commander";
import { writeLines } from "../../io/output.js";
import type { TimelineReport } from "../../reporters/timeline/text.js";
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
import { jsonLayout, styleOf, terminalWidth } from "../terminal.js";

interface TimelineFlags extends ViewFlags, FormatFlags, GroupFlags {
  slices?: number;
  limit: number;
}

/** How many slices programs get at most. */
const JSON_SLICES = 100;
/** How many functions of a spike are named. */
const FUNCTIONS = 3;

/** Adds the options and the action of `ticks timeline`. */
export function configure(command: Command): void {
  command
    .option("--slices <n>", "cut the time into so many slices (default: what fits the width)", slices)
    .option("-n, --limit <n>", "how many spikes of a thread, the largest", positiveNumber, 5)
    .addOption(groupOption());
  addFormatOptions(command, ["text", "json", "md"]);
  addViewOptions(command);
  command.action(async (logs: string[], flags: TimelineFlags) => {
    process.exitCode = await runTimeline(logs, flags);
  });
}

/** A number of slices of time, up to what can be looked at. */
function slices(text: string): number {
  const number = positiveNumber(text);
  if (number > 100_000) throw new InvalidArgumentError("It is over 100000.");
  return number;
}

/** Runs `ticks timeline`; the result is the exit status. */
async function runTimeline(args: readonly string[], flags: TimelineFlags): Promise<number> {
  const loaded = await loadView(args, flags, { timeline: true });
  const { profile } = loaded;
  const { MARKDOWN_WIDTH } = await import("../../reporters/timeline/markdown.js");
  const { slicesIn } = await import("../../reporters/timeline/text.js");
  const width = flags.format === "text" ? terminalWidth() : MARKDOWN_WIDTH;
  const most = flags.format === "json" ? JSON_SLICES : slicesIn(width);
  const threads = threadTimelines(profile, { most, count: flags.slices, by: flags.by });
  const spikes = spikesOf(profile, threads, { spikes: flags.limit, functions: FUNCTIONS });
  const lines = await linesOf({ profile, threads, spikes }, flags, width);
  await writeLines(process.stdout, lines);
  warnProblems(loaded);
  return 0;
}

async function linesOf(
  report: TimelineReport,
  flags: TimelineFlags,
  width: number,
): Promise<Iterable<string>> {
  if (flags.format === "json")
    return (await import("../../reporters/timeline/json.js")).timelineJson(report, jsonLayout(flags));
  if (flags.format === "md")
    return (await import("../../reporters/timeline/markdown.js")).timelineMarkdown(report);
  const { timelineText } = await import("../../reporters/timeline/text.js");
  return timelineText(report, { style: await styleOf(flags.color), width });
}
