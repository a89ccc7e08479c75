import { badOption } from "../base/errors.js";
import { DESCRIBED_FUNCTIONS } from "../base/limits.js";
import { amount, inTicks, joined, LOG, measured, named, share, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import type { Call } from "../facts/function-calls.js";
import { type FunctionDetails, functionDetails } from "../facts/function-details.js";
import { FunctionNames } from "../facts/function-names.js";
import { findFunctions, hottestFunctions, nearFunctions, partOfNames } from "../facts/function-search.js";
import { type Callable, FunctionStacks } from "../facts/function-stacks.js";
import type { ProfiledFunction } from "../facts/function-table.js";
import { INFERRED, printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { SourceTexts } from "../facts/source-texts.js";
import { type TierNames, tierNamesOf } from "../facts/tier-names.js";
import type { TierTimes } from "../facts/tier-times.js";
import { OPTIMIZED_TIERS } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { callMarks, shownCallable } from "../render/names.js";
import { type Block, code, number, section, type Table, ticksColumn } from "../render/page.js";
import {
  type CallableData,
  type FunctionWeights,
  type InferredData,
  type JsonHead,
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonLine,
  jsonMissingCallers,
  jsonPlaces,
  jsonScripts,
  jsonWeights,
  type LineData,
  type MissingCallersData,
  type Percent,
  type Scale,
  type ScriptsData,
  scaleOf,
  type TextFrom,
  type TierOrNone,
  textFrom,
  type Weights,
} from "./json.js";
import { listingFigure, listingLegend } from "./listing.js";
import {
  functionCommand,
  type NextCommand,
  nameToAskFor,
  nextSection,
  type Reading,
  readingOf,
} from "./next.js";
import type { LogParts, ProfileReport, Surroundings } from "./report.js";
import type { FunctionReportOptions } from "./report-options.js";
import { timeText } from "./time-axis.js";
import { blocksOf, counted, missingCallers, pageHead, tickCount, tierTitlesOf } from "./words.js";

/** A function that matches the query. */
export interface FunctionMatch {
  readonly function: ProfiledFunction;
  readonly self: Ticks;
  readonly total: Ticks;
}

/** What `ticks function` shows. */
export interface FunctionReport {
  readonly profile: Profile;
  /** The name that the user asked for. */
  readonly query: string;
  /** All matching functions, hottest first. */
  readonly matches: readonly FunctionMatch[];
  /** Those to show. */
  readonly details: readonly FunctionDetails[];
  /** Similar names, if none matches. */
  readonly suggestions: readonly string[];
  readonly names: FunctionNames;
  readonly sources: SourceTexts;
  /** Callers and callees with a smaller share of the function's ticks, in percent, are summed in one row. */
  readonly least: number;
  /** What commands can read. Default: the page names no command. */
  readonly reading?: Reading | undefined;
}

/** Returns how many ticks of a function are inferred, which in optimized code can be those of functions inlined in it. */
function inferredText({ inferred, total, tiers }: FunctionDetails): Text {
  const mayBeInlined = tiers.some(({ tier }) => OPTIMIZED_TIERS.has(tier));
  const where = mayBeInlined ? ", in it or what is inlined in it" : "";
  return text`${INFERRED} inferred ${measured(inferred)} (${share(inferred, total)} of total)${where}`;
}

/** The maximum number of matches to list. */
const MATCH_LIMIT = 10;

/** Returns what the report needs. Throws a {@link TicksError} if there is no name, or one that is no pattern. */
function functionNeeds({ name }: Partial<FunctionReportOptions>): LogParts {
  if (name === undefined || name === "")
    throw badOption("missing NAME: which function to show", "Usage: ticks function LOG NAME");
  const pattern = /^\/(.+)\/(i?)$/s.exec(name);
  try {
    if (pattern !== null) new RegExp(pattern[1]!, pattern[2]);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid/, "invalid");
    throw badOption(`${printable(name)}: ${reason}`);
  }
  // Only the lines of these functions are shown.
  const named = partOfNames(name);
  return { timeline: true, lines: named === undefined ? true : { named }, columns: true };
}

function functionOf(
  profile: Analysis,
  options: FunctionReportOptions,
  { readSource, warn, ...around }: Surroundings,
): FunctionReport {
  const { name: query, all = false, minPercent: least = 1 } = options;
  const stacks = new FunctionStacks(profile);
  const sources = new SourceTexts(profile.sources, readSource);
  const { table } = stacks;
  const ticks = profile.functionTicks;
  const ids = findFunctions(query, { table, ticks, frames: profile.frames })?.ids ?? [];
  const shown = ids.slice(0, all ? DESCRIBED_FUNCTIONS : 1);
  const suggestions = ids.length > 0 ? [] : nearFunctions(query, table, ticks);
  if (ids.length === 0) warnNotFound(query, { suggestions, hottest: hottestFunctions(table, ticks), warn });
  if (all && ids.length > shown.length)
    warn(`showing only the first ${shown.length} of ${ids.length} functions that match`);
  return {
    profile,
    query,
    matches: ids.map((id) => ({
      function: table.functions[id]!,
      self: ticks.self[id]!,
      total: ticks.total[id]!,
    })),
    details: shown.map((id) => functionDetails(profile, id, { stacks, sources })),
    suggestions,
    names: new FunctionNames(table.functions, profile.info),
    sources,
    least,
    reading: readingOf(around),
  };
}

function warnNotFound(
  query: string,
  {
    suggestions,
    hottest,
    warn,
  }: Pick<FunctionReport, "suggestions"> &
    Pick<Surroundings, "warn"> & { readonly hottest: readonly string[] },
): void {
  warn(`no function named ${printable(query)} has ticks`);
  if (suggestions.length > 0) warn(`did you mean ${suggestions.map(printable).join(", ")}?`);
  else if (hottest.length > 0) warn(`the hottest are ${hottest.map(printable).join(", ")}`);
}

/** `ticks function`. */
export const FUNCTION: ProfileReport<FunctionReport, FunctionReportOptions> = {
  needs: functionNeeds,
  fails: ({ matches }) => matches.length === 0,
  of: functionOf,
  data: functionData,
  page: functionPage,
};

/** Returns the page of `ticks function`: functions, one after the other. */
export function functionPage(report: FunctionReport): Block[] {
  const { profile, matches, details, query, sources } = report;
  if (matches.length === 0) return [];
  const matchTitle = text`${counted(matches.length, "function")} match ${named(query)}; --all shows all`;
  const withText = details.filter(({ lines, origin }) => lines.length > 0 && origin !== undefined);
  return [
    ...pageHead(profile, tickCount(profile)),
    ...missingCallers(profile),
    ...(details.length < matches.length ? [section(matchTitle, matchTable(report))] : []),
    ...details.flatMap((one) => oneFunction(report, one)),
    { kind: "sources", files: withText.flatMap((one) => one.function.file ?? []), sources },
    ...legendOf(details.flatMap(({ listing }) => listingLegend(listing))),
    ...nextSection(report.reading, nextOf(report)),
  ];
}

/** Returns what the marks mean, each once. */
function legendOf(lines: readonly Text[]): Block[] {
  return lines.length === 0 ? [] : [{ kind: "legend", lines: Array.from(new Set(lines)) }];
}

/** Returns what to look at after a function: the rest of its file, and its hottest caller. */
function nextOf({ details, names }: FunctionReport): NextCommand[] {
  const [first] = details;
  if (first === undefined) return [];
  const { function: shown, lines, callers } = first;
  const hasLines = shown.file !== undefined && shown.file !== "" && lines.length > 0;
  const inFile: NextCommand[] = hasLines
    ? [{ command: "ticks lines", operands: [names.file(shown.file)], why: "the other lines of its file" }]
    : [];
  const caller = callers.find(({ callable }) => callable?.kind === "function")?.callable;
  if (caller?.kind !== "function" || caller.function === shown) return inFile;
  const next = functionCommand(caller.function, names, "what calls it most");
  // Functions of one name are told apart by their places.
  const { position } = names.function(caller.function);
  const isSame = nameToAskFor(shown, names) === next.operands?.[0];
  return [isSame && position !== "" ? { ...next, operands: [position] } : next, ...inFile];
}

function matchTable({ matches, names }: FunctionReport): Table {
  const rest = matches.slice(MATCH_LIMIT);
  const left = rest.reduce((sum, { self }) => sum + self, 0);
  return {
    kind: "table",
    columns: [ticksColumn("self"), ticksColumn("total"), { title: "function" }],
    rows: [
      ...matches.slice(0, MATCH_LIMIT).map(({ self, total, function: match }) => ({
        cells: [amount(self), amount(total), names.function(match)],
        ticks: total,
        isProgram: match.origin.kind === "app",
      })),
      ...(rest.length > 0 ? [{ cells: [amount(left), "", `… ${rest.length} more`], isRest: true }] : []),
    ],
  };
}

function oneFunction(report: FunctionReport, details: FunctionDetails): Block[] {
  const { function: found, self, total, callers, callees, lines, origin } = details;
  const scale = scaleOf(report.profile);
  const called = total - self;
  return [
    {
      kind: "part",
      what: "function",
      name: report.names.function(found).title,
      facts: [
        text`from ${positionText(found)}${scriptsText(details)}`,
        joined(factsOf(details, scale.whole), "   "),
      ],
    },
    ...(details.tiers.length > 0 ? [section("Tiers", tierTable(report, details))] : []),
    section(text`Callers (${inTicks(total)})`, callTable(report, callers, { title: "caller", whole: total })),
    ...(called > 0
      ? [
          section(
            text`Callees (${inTicks(called)})`,
            callTable(report, callees, { title: "callee", whole: called }),
          ),
        ]
      : []),
    ...(lines.length > 0
      ? [
          section(
            `Lines${ORIGINS[origin ?? "none"]}`,
            listingFigure(details.listing, { whole: scale.whole, isProgram: isOwn(found) }),
          ),
        ]
      : []),
  ];
}

function factsOf(details: FunctionDetails, whole: Ticks): Text[] {
  const { self, total, inferred, callers } = details;
  const inlined = callers.reduce((sum, call) => sum + call.inlined, 0);
  return [
    text`self ${measured(self)} (${share(self, whole)})`,
    text`total ${measured(total)} (${share(total, whole)})`,
    ...(inlined > 0 ? [text`inlined ${measured(inlined)} (${share(inlined, total)} of total)`] : []),
    ...(inferred > 0 ? [inferredText(details)] : []),
  ];
}

function tierTable({ profile }: FunctionReport, { function: found, tiers, times }: FunctionDetails): Table {
  const titles = tierTitlesOf(profile.info);
  const slices = times?.tiers.flatMap((time) => time.slices) ?? [];
  const peak = slices.reduce((most, ticks) => Math.max(most, ticks), 1);
  const over = times === undefined ? "" : `${timeText(times.from, 1)} to ${timeText(times.to, 1)}`;
  const timed = times === undefined ? [] : [number("first"), number("last"), { title: over }];
  return {
    kind: "table",
    columns: [{ title: "tier" }, ticksColumn("self"), ticksColumn("total"), ...timed],
    rows: tiers.map(({ tier, self, total }) => {
      const time = times?.tiers.find((other) => other.tier === tier);
      const when =
        time === undefined
          ? timed.map(() => "")
          : [timeText(time.first, 1), timeText(time.last, 1), code(blocksOf(time.slices, peak).trimEnd())];
      const title = tier === "" ? titles[tier] : text`${code(tier)} ${titles[tier]}`;
      return { cells: [title, amount(self), amount(total), ...when], ticks: total, isProgram: isOwn(found) };
    }),
  };
}

/** Returns a table of calls. Its rows sum to `whole`. */
function callTable(
  { names, least }: FunctionReport,
  calls: readonly Call[],
  { title, whole }: { readonly title: string; readonly whole: Ticks },
): Table {
  const shown = calls.filter(({ ticks }) => ticks * 100 >= whole * least);
  const rest = calls.filter(({ ticks }) => ticks * 100 < whole * least);
  const left = rest.reduce((sum, { ticks }) => sum + ticks, 0);
  return {
    kind: "table",
    whole,
    columns: [ticksColumn(), number("share"), { title }],
    rows: [
      ...shown.map(({ callable, ticks, ...parts }) => ({
        cells: [
          amount(ticks),
          share(ticks, whole),
          { ...shownCallable(names, callable), marks: callMarks({ ticks, ...parts }) },
        ],
        ticks,
        isProgram: isOwnCall(callable),
      })),
      ...(rest.length > 0
        ? [
            {
              cells: [amount(left), share(left, whole), `… ${rest.length} more`],
              tone: "faint" as const,
              isRest: true,
            },
          ]
        : []),
    ],
  };
}

function isOwn({ origin }: ProfiledFunction): boolean {
  return origin.kind === "app";
}

function isOwnCall(callable: Callable | undefined): boolean {
  return callable?.kind === "function" && isOwn(callable.function);
}

const ORIGINS = {
  log: "",
  map: " (text from a source map on disk; it may have changed since)",
  disk: " (text from disk; it may have changed since)",
  none: " (no source text)",
} as const;

/** Returns where a function is defined, in full. */
function scriptsText({ scripts }: Pick<FunctionDetails, "scripts">): string {
  return scripts > 1 ? `, in ${scripts} scripts of this text` : "";
}

function positionText({ frame, file, line, column, origin, kind }: ProfiledFunction): Text {
  if (frame.kind === "code") return named(`V8 ${frame.type}`);
  if (kind === "unknown") return code(text`addresses that the ${LOG} does not explain`);
  if (file === undefined || file === "") return named(origin.name);
  const position = line === undefined ? file : `${file}:${line}:${column}`;
  return named(origin.kind === "deps" ? `${position} (package ${origin.name})` : position);
}

/**
 * All weights are numbers of ticks. A tick is not a time. Exit status 1 and no matches: no function of that name has ticks.
 * @id function.schema.json
 * @title ticks function --format json, schema version 1
 */
export interface FunctionReportData extends JsonHead<"function"> {
  readonly missingCallers: MissingCallersData;
  /** What was looked for. */
  readonly query: string;
  /** Every function it matches, most self ticks first. */
  readonly matches: readonly FunctionWeights[];
  /** Similar names, if nothing matches. */
  readonly suggestions: readonly string[];
  /** The first match; all of them with --all. */
  readonly functions: readonly FunctionDetailsData[];
}

export interface FunctionDetailsData extends FunctionWeights, InferredData, ScriptsData {
  /** Of total, in stacks where it is inlined into its caller. */
  readonly inlined: Ticks;
  /**
   * They sum to total: if the function is several times in a stack, the caller of its outermost call counts. Neither function
   * nor state: stacks begin with the function.
   */
  readonly callers: readonly CallData[];
  /** They sum to total - self: if the function is several times in a stack, what its innermost call called counts. */
  readonly callees: readonly CallData[];
  /**
   * They sum to self and total: if the function is several times in a stack, the tier of its innermost call counts. Empty for
   * what is not JavaScript.
   */
  readonly tiers: readonly TierWeights[];
  readonly times: TierTimesData | null;
  readonly textFrom: TextFrom;
  /** In the order of the script. self sums to that of the function. */
  readonly lines: readonly LineData[];
}

export interface CallData extends CallableData, InferredData {
  readonly ticks: Ticks;
  readonly percent: Percent;
  /** Of them, those where the callee is inlined into the caller. */
  readonly inlined: Ticks;
}

export interface TierWeights extends Weights {
  readonly tier: TierOrNone;
}

/** When the function ran in which tier. */
export interface TierTimesData {
  /** The first tick of the profile, in microseconds since the log was opened. */
  readonly fromUs: number;
  /** The last tick of the profile. */
  readonly toUs: number;
  readonly tiers: readonly TierTimeData[];
}

export interface TierTimeData {
  readonly tier: TierOrNone;
  /** In microseconds since the log was opened. */
  readonly firstUs: number;
  /** In microseconds since the log was opened. */
  readonly lastUs: number;
  /** Total ticks in equal slices of the time from fromUs to toUs. */
  readonly slices: readonly Ticks[];
}

export function functionData(report: FunctionReport): FunctionReportData {
  const { sources } = report;
  const scale = scaleOf(report.profile);
  const names = tierNamesOf(report.profile.info);
  return {
    ...jsonHead("function", report.profile),
    missingCallers: jsonMissingCallers(report.profile),
    query: report.query,
    matches: report.matches.map((match) => ({
      ...jsonFunction(match.function),
      ...jsonWeights(match, scale),
    })),
    suggestions: report.suggestions,
    functions: report.details.map((details) => detailsOf(details, { sources, scale, names })),
  };
}

function detailsOf(
  details: FunctionDetails,
  about: { readonly sources: SourceTexts; readonly scale: Scale; readonly names: TierNames },
): FunctionDetailsData {
  const { callers, callees, tiers, times, lines, places } = details;
  const { scale, names } = about;
  return {
    ...jsonFunction(details.function),
    ...jsonWeights(details, scale),
    inlined: callers.reduce((sum, { inlined }) => sum + inlined, 0),
    ...jsonInferred(details.inferred),
    callers: callers.map((call) => callOf(call, scale.whole)),
    callees: callees.map((call) => callOf(call, scale.whole)),
    tiers: tiers.map(({ tier, self, total }) => ({
      tier: names[tier],
      ...jsonWeights({ self, total }, scale),
    })),
    times: times === undefined ? null : timesOf(times, names),
    ...jsonScripts(about.sources.scriptsOf(details.function.file)),
    textFrom: textFrom(details.origin),
    lines: lines
      .toSorted((a, b) => a.line - b.line)
      .map((line) => ({
        ...jsonLine(line, about),
        ...jsonPlaces(places(line), scale),
      })),
  };
}

function callOf({ callable, ticks, inlined, inferred }: Call, whole: Ticks): CallData {
  const percent = percentOf(ticks, whole);
  return { ...jsonCallable(callable), ticks, percent, inlined, ...jsonInferred(inferred) };
}

function timesOf({ from, to, tiers }: TierTimes, names: TierNames): TierTimesData {
  return {
    fromUs: from,
    toUs: to,
    tiers: tiers.map(({ tier, first, last, slices }) => ({
      tier: names[tier],
      firstUs: first,
      lastUs: last,
      slices,
    })),
  };
}
