import { TicksError } from "../errors.js";
import { DESCRIBED_FUNCTIONS } from "../limits.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionReport } from "../reports/function.js";
import type { LinesReport } from "../reports/lines.js";
import type { Format } from "../reports/report.js";
import { mostSlices, type TimelineReport } from "../reports/timeline.js";
import type { TopReport } from "../reports/top.js";
import type { TreeReport } from "../reports/tree.js";
import { Analysis } from "../views/analysis.js";
import { findFiles } from "../views/file-search.js";
import { functionDetails } from "../views/function-details.js";
import { FunctionNames } from "../views/function-names.js";
import { findFunctions, nearFunctions } from "../views/function-search.js";
import { FunctionStacks } from "../views/function-stacks.js";
import { printable } from "../views/label.js";
import { lineTicks } from "../views/line-ticks.js";
import { listing, placesInLines } from "../views/listing.js";
import { SourceTexts } from "../views/source-texts.js";
import { spikesOf } from "../views/spikes.js";
import { threadTimelines } from "../views/thread-timelines.js";
import { topOf } from "../views/top.js";
import { type CallTreeOptions, callTree } from "./profile-views.js";
import type {
  FunctionReportOptions,
  LinesReportOptions,
  TimelineReportOptions,
  TopReportOptions,
} from "./report-options.js";

/** Lines that are shown around those with ticks. */
const CONTEXT = 2;
/** How many hot lines are shown. */
const HOT_LINES = 20;
/** How many functions of a spike are named. */
const SPIKE_FUNCTIONS = 3;

/** Returns what the reporters of `ticks top` show. */
export function topReport(profile: Profile, { limit = 10, logs }: TopReportOptions): TopReport {
  return { profile, top: topOf(profile, limit), limit, logs: logs ?? profile.info.logs };
}

/** Returns what the reporters of `ticks tree` show. */
export function treeReport(profile: Profile, options: CallTreeOptions): TreeReport {
  const { functions } = Analysis.of(profile).table;
  return {
    profile,
    isHeavy: options.heavy ?? false,
    tree: callTree(profile, options),
    names: new FunctionNames(functions, profile.info),
  };
}

/**
 * Returns what the reporters of `ticks lines` show. Throws a {@link TicksError} if not exactly one script has
 * the name that is asked for.
 */
export function linesReport(of: Profile, options: LinesReportOptions): LinesReport {
  const profile = Analysis.of(of);
  const { file: wanted, sort: order = "self", readSource = () => undefined } = options;
  const { table } = profile;
  const by = { byFunction: wanted === undefined };
  const bySelf = lineTicks(profile, by);
  const lines = order === "self" ? bySelf : bySelf.toSorted((a, b) => b.total - a.total);
  const sources = new SourceTexts(profile.sources, readSource);
  const places = placesInLines(profile, sources, by);
  const { limit = HOT_LINES } = options;
  const names = new FunctionNames(table.functions, profile.info);
  const report = { profile, order, limit, places, sources, names };
  if (wanted === undefined) return { ...report, lines, script: undefined };
  const [file, ...others] = findFiles(
    wanted,
    lines.flatMap((line) => line.file ?? []),
  );
  if (file === undefined || others.length > 0) {
    const count = file === undefined ? "no script with ticks is" : "several scripts are";
    throw new TicksError("BAD_OPTION", `${count} called ${printable(wanted)}`);
  }
  const own = lines.filter((line) => line.file === file);
  const text = sources.linesOf(file);
  const script = { file, listing: listing(own, text, { places, context: CONTEXT }), origin: text?.origin };
  return { ...report, lines: own, script };
}

/** Returns what the reporters of `ticks function` show: no details if no function has the name. */
export function functionReport(of: Profile, options: FunctionReportOptions): FunctionReport {
  const profile = Analysis.of(of);
  const { name, all = false, readSource = () => undefined } = options;
  const stacks = new FunctionStacks(profile);
  const { table } = stacks;
  const sources = new SourceTexts(profile.sources, readSource);
  const ticks = profile.functionTicks;
  const ids = findFunctions(name, { table, ticks, frames: profile.frames })?.ids ?? [];
  const matches = ids.map((id) => ({
    function: table.functions[id]!,
    self: ticks.self[id]!,
    total: ticks.total[id]!,
  }));
  const details = ids
    .slice(0, all ? DESCRIBED_FUNCTIONS : 1)
    .map((id) => functionDetails(profile, id, { stacks, sources }));
  const suggestions = ids.length > 0 ? [] : nearFunctions(name, table, ticks);
  const names = new FunctionNames(table.functions, profile.info);
  const { minPercent: least = 1 } = options;
  return { profile, query: name, matches, details, suggestions, names, sources, least };
}

/** Returns what the reporters of `ticks timeline` show. */
export function timelineReport(
  profile: Profile,
  { slices, limit = 5, width = 80 }: TimelineReportOptions,
  format: Format,
): TimelineReport {
  const most = mostSlices(format, width);
  const threads = threadTimelines(profile, { most, count: slices });
  const spikes = spikesOf(profile, threads, { spikes: limit, functions: SPIKE_FUNCTIONS });
  return { profile, threads, spikes };
}
