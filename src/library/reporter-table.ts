import { TicksError } from "../errors.js";
import { DESCRIBED_FUNCTIONS } from "../limits.js";
import type { Profile } from "../profile/profile.js";
import type { DeoptReport } from "../reports/deopts.js";
import type { FunctionReport } from "../reports/function.js";
import type { IcReport } from "../reports/ics.js";
import type { LinesReport } from "../reports/lines.js";
import type { Format, Report } from "../reports/report.js";
import { REPORTS } from "../reports/reports.js";
import { PLAIN, type Style } from "../reports/style.js";
import { mostSlices, type TimelineReport } from "../reports/timeline.js";
import type { TopReport } from "../reports/top.js";
import type { TreeReport } from "../reports/tree.js";
import { Analysis } from "../views/analysis.js";
import { findFiles } from "../views/file-search.js";
import { functionDetails } from "../views/function-details.js";
import { FunctionNames } from "../views/function-names.js";
import { findFunctions, nearFunctions } from "../views/function-search.js";
import { FunctionStacks } from "../views/function-stacks.js";
import { sitesByPosition } from "../views/ics.js";
import { printable } from "../views/label.js";
import { lineTicks } from "../views/line-ticks.js";
import { listing, placesInLines } from "../views/listing.js";
import { SourceTexts } from "../views/source-texts.js";
import { spikesOf } from "../views/spikes.js";
import { threadTimelines } from "../views/thread-timelines.js";
import { topOf } from "../views/top.js";
import { TURNS, turnsOf } from "../views/turns.js";
import { type CallTreeOptions, callTree, deoptsOf, icsOf } from "./profile-views.js";
import type {
  FunctionReportOptions,
  IcsReportOptions,
  LinesReportOptions,
  ListReportOptions,
  ProcessReportOptions,
  Reporter,
  ReportLayout,
  StackReportOptions,
  TimelineReportOptions,
  TopReportOptions,
} from "./report-options.js";
import { shownProfile } from "./view-options.js";

/** Lines that are shown around those with ticks. */
const CONTEXT = 2;
/** How many hot lines are shown. */
const HOT_LINES = 20;
/** How many functions of a spike are named. */
const SPIKE_FUNCTIONS = 3;

/** Returns what the reporters of `ticks top` show. Turns are of all ticks, waits too. */
function topReport(of: Profile, { limit = 10, logs, ...options }: TopReportOptions): TopReport {
  const turns = turnsOf(shownProfile(of, { ...options, idle: true }));
  const profile = shownProfile(of, options);
  return { profile, top: topOf(profile, limit), turns, limit, logs: logs ?? profile.info.logs };
}

/** Returns what the reporters of `ticks tree` show. */
function treeReport(profile: Profile, options: CallTreeOptions): TreeReport {
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
function linesReport(of: Profile, options: LinesReportOptions): LinesReport {
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
function functionReport(of: Profile, options: FunctionReportOptions): FunctionReport {
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
function timelineReport(
  profile: Profile,
  { slices, limit = 5, width = 80 }: TimelineReportOptions,
  format: Format,
): TimelineReport {
  const most = mostSlices(format, width);
  const threads = threadTimelines(profile, { most, count: slices });
  const spikes = spikesOf(profile, threads, { spikes: limit, functions: SPIKE_FUNCTIONS });
  return { profile, threads, spikes, turns: turnsOf(profile, { ...TURNS, most: limit }) };
}

/** The reporters of a command with text and JSON. */
export interface Reporters<Options = ReportLayout> {
  /** For people. */
  readonly text: Reporter<Options>;
  /** For programs: the package has a JSON schema for each command, `v8-ticks/top.schema.json` and so on. */
  readonly json: Reporter<Options>;
}

/** The reporters of a command with Markdown too. */
export interface MarkdownReporters<Options = ReportLayout> extends Reporters<Options> {
  /** For pull requests and language models. */
  readonly md: Reporter<Options>;
}

/** The reporters of `ticks function`: the options name the function. */
export interface FunctionReporters {
  /** For people. */
  text(profile: Profile, options: FunctionReportOptions): AsyncIterable<string>;
  /** For programs. */
  json(profile: Profile, options: FunctionReportOptions): AsyncIterable<string>;
  /** For pull requests and language models. */
  md(profile: Profile, options: FunctionReportOptions): AsyncIterable<string>;
}

/** The options of `REPORTERS.tree`. */
export interface TreeReportOptions extends ReportLayout, CallTreeOptions {}

/** The reporters of all commands. */
export interface ReporterTable {
  readonly process: MarkdownReporters<ProcessReportOptions>;
  readonly doctor: MarkdownReporters;
  readonly top: MarkdownReporters<TopReportOptions>;
  readonly tree: MarkdownReporters<TreeReportOptions>;
  readonly function: FunctionReporters;
  readonly lines: MarkdownReporters<LinesReportOptions>;
  readonly deopts: MarkdownReporters<ListReportOptions>;
  readonly ics: MarkdownReporters<IcsReportOptions>;
  readonly timeline: MarkdownReporters<TimelineReportOptions>;
  readonly threads: MarkdownReporters<StackReportOptions>;
}

/** How many columns a line takes at most, if nothing is said. */
const WIDTH = 80;
/** How many rows people are shown. */
const DEOPT_ROWS = 20;
const IC_ROWS = 20;

/** What a text is laid out for. */
interface TextLayout {
  readonly style: Style;
  readonly width: number;
}

/** Returns the lines of a report of a profile without unknown callers. */
type Write<Options> = (
  profile: Profile,
  options: Options,
  layout: TextLayout,
) => Iterable<string> | Promise<Iterable<string>>;

/** The code of a report is loaded when it is used. */
function lazily<Options extends ReportLayout>(load: () => Promise<Write<Options>>): Reporter<Options> {
  return async function* (profile, options = {} as Options) {
    const { color = false, width = WIDTH } = options;
    const style = color ? (await import("../reports/terminal-style.js")).TERMINAL : PLAIN;
    yield* await (await load())(profile, options, { style, width });
  };
}

/** The same for reports of the stacks that views show. */
function lazilyOfKnown<Options extends StackReportOptions>(
  load: () => Promise<Write<Options>>,
): Reporter<Options> {
  return lazily(async () => {
    const write = await load();
    return (profile, options, layout) => write(shownProfile(profile, options), options, layout);
  });
}

/** The same for reports of what happened when: ticks that waited count, unless the options say otherwise. */
function lazilyOfAll<Options extends StackReportOptions>(
  load: () => Promise<Write<Options>>,
): Reporter<Options> {
  return lazily(async () => {
    const write = await load();
    return (profile, options, layout) => {
      const { idle = true } = options;
      return write(shownProfile(profile, { ...options, idle }), options, layout);
    };
  });
}

/** Returns the reporters of a report, by default of the stacks that views show. */
function reportersOf<Options extends ReportLayout, Data>(
  load: () => Promise<Report<Data>>,
  dataOf: (profile: Profile, options: Options, format: Format) => Data | Promise<Data>,
  lazilyOf: (load: () => Promise<Write<Options>>) => Reporter<Options> = lazilyOfKnown,
): MarkdownReporters<Options> {
  const as = (format: Format) =>
    lazilyOf(async () => {
      const { reportLines } = await import("../reports/report.js");
      const report = await load();
      return async (profile, options, { style, width: pageWidth }) => {
        const { nameWidth: width = pageWidth } = options;
        const data = await dataOf(profile, options, format);
        return reportLines(report, data, { ...options, style, width, pageWidth, format });
      };
    });
  return { text: as("text"), json: as("json"), md: as("md") };
}

/** Returns how many rows lists have: all in JSON. */
function rowsIn(format: Format, rows: number): number {
  return format === "json" ? Number.POSITIVE_INFINITY : rows;
}

/**
 * The reports of the command line, by command and format. The code of each is loaded when it is used. With the
 * profile that the command reads, and its options, a reporter writes what the command prints.
 */
export const REPORTERS: ReporterTable = {
  process: reportersOf(REPORTS.process, (profile, options) => ({ ...options, profile }), lazily),
  doctor: reportersOf(REPORTS.doctor, (profile) => profile, lazily),
  top: reportersOf(REPORTS.top, topReport, lazily),
  tree: reportersOf<TreeReportOptions, TreeReport>(REPORTS.tree, treeReport),
  // The options name the function.
  function: reportersOf(REPORTS.function, functionReport) as FunctionReporters,
  lines: reportersOf(REPORTS.lines, linesReport),
  deopts: reportersOf(REPORTS.deopts, (profile, { limit }, format) =>
    deoptReport(profile, limit ?? rowsIn(format, DEOPT_ROWS)),
  ),
  ics: reportersOf(REPORTS.ics, (profile, options, format) =>
    icReport(profile, options, rowsIn(format, IC_ROWS)),
  ),
  timeline: reportersOf(REPORTS.timeline, timelineReport, lazilyOfAll),
  threads: reportersOf(REPORTS.threads, (profile) => ({ profile }), lazilyOfAll),
};

function deoptReport(profile: Profile, limit: number): DeoptReport {
  return { profile, view: deoptsOf(profile), limit, caches: sitesByPosition(profile) };
}

function icReport(profile: Profile, options: IcsReportOptions, most: number): IcReport {
  const { limit = most, readSource = () => undefined } = options;
  const sources = new SourceTexts(profile.sources, readSource);
  return { profile, view: icsOf(profile), sources, limit };
}
