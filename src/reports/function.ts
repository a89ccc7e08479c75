import { badOption } from "../base/errors.js";
import { DESCRIBED_FUNCTIONS } from "../base/limits.js";
import {
  amount,
  inTicks,
  joined,
  LOG,
  measured,
  named,
  share,
  type Text,
  TICKS,
  text,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import type { Call } from "../facts/function-calls.js";
import { type FunctionDetails, functionDetails } from "../facts/function-details.js";
import type { FunctionNames } from "../facts/function-names.js";
import { findFunctions, hottestFunctions, nearFunctions, partOfNames } from "../facts/function-search.js";
import { FunctionStacks } from "../facts/function-stacks.js";
import { INFERRED, printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import type { ScriptLines, SourceTexts } from "../facts/source-texts.js";
import { type TierNames, tierMark, tierNamesOf } from "../facts/tier-names.js";
import type { TierTimes } from "../facts/tier-times.js";
import { OPTIMIZED_TIERS } from "../profile/frame.js";
import type { ProfileInfo } from "../profile/profile.js";
import { callMarks } from "../render/names.js";
import { type Block, code, number, section, type Table, ticksColumn } from "../render/page.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type CallableData,
  callableName,
  codeTypeOf,
  type FunctionData,
  type FunctionWeights,
  type InferredData,
  type JsonHead,
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonLine,
  jsonMissingCallers,
  jsonScripts,
  jsonWeights,
  type LineData,
  type MissingCallersData,
  type Percent,
  type Scale,
  type ScriptsData,
  scaleOf,
  shownFunction,
  type TextFrom,
  type TierOrNone,
  textFrom,
  type Weights,
} from "./json.js";
import { type Listing, listing, listingFigure, listingLegend } from "./listing.js";
import { functionCommand, type NextCommand, nameToAskFor } from "./next.js";
import type { LogParts, Surroundings } from "./report.js";
import type { FunctionReportOptions } from "./report-options.js";
import { timeText } from "./time-axis.js";
import { blocksOf, CHANGEABLE_TEXT, counted, missingCallers, pageHead, tierTitlesOf } from "./words.js";

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

function warnNotFound(
  query: string,
  {
    suggestions,
    hottest,
    warn,
  }: Pick<Surroundings, "warn"> & Readonly<Record<"suggestions" | "hottest", readonly string[]>>,
): void {
  warn(text`no function named ${named(printable(query))} has ${TICKS}`);
  if (suggestions.length > 0) warn(`did you mean ${suggestions.map(printable).join(", ")}?`);
  else if (hottest.length > 0) warn(`the hottest are ${hottest.map(printable).join(", ")}`);
}

/** `ticks function`. */
export const FUNCTION = factsReport<FunctionReportData, FunctionReportOptions>({
  needs: functionNeeds,
  fails: ({ matches }) => matches.length === 0,
  facts: functionFacts,
  page: functionPage,
  next: (facts, _, { names }) => nextOf(facts, names),
});

/** Lines to show around those with ticks. */
const CONTEXT = 2;

/** Returns the page of `ticks function`: functions, one after the other. */
function functionPage(facts: FunctionReportData, shown: Shown<FunctionReportOptions>): Block[] {
  const { matches, functions, query } = facts;
  const { sources } = shown;
  if (matches.length === 0) return [];
  const matchTitle = text`${counted(matches.length, "function")} match ${named(query)}; --all shows all`;
  const listed = functions.map((one) => listedFunction(one, sources));
  return [
    ...pageHead(shown, shown.tickCount),
    ...missingCallers(shown),
    ...(functions.length < matches.length ? [section(matchTitle, matchTable(matches, shown.names))] : []),
    ...listed.flatMap((one) => oneFunction(facts, one, shown)),
    {
      kind: "sources",
      files: listed.flatMap(({ of, script }) => (of.lines.length > 0 && script ? of.file : [])),
      sources,
    },
    ...legendOf(listed.flatMap(({ listing: rows }) => listingLegend(rows))),
  ];
}

/** A function, and its lines with those around them. */
interface ListedFunction {
  readonly of: FunctionDetailsData;
  /** Undefined if there is no text. */
  readonly script: ScriptLines | undefined;
  readonly listing: Listing;
}

function listedFunction(of: FunctionDetailsData, sources: SourceTexts): ListedFunction {
  const { kind, file, line } = shownFunction(of);
  const script = kind === "js" && file !== undefined ? sources.linesOf(file) : undefined;
  const last = of.lines.reduce((most, one) => Math.max(most, one.line ?? 0), 0);
  // Where a function ends is unknown: lines after its last one with ticks may belong to another.
  const bounds = { context: CONTEXT, from: line, to: last + CONTEXT };
  return { of, script, listing: listing(of.lines, script, bounds) };
}

/** Returns what the marks mean, each once. */
function legendOf(lines: readonly Text[]): Block[] {
  return lines.length === 0 ? [] : [{ kind: "legend", lines: Array.from(new Set(lines)) }];
}

/** Returns what to look at after a function: the rest of its file, and its hottest caller. */
function nextOf({ functions }: FunctionReportData, names: FunctionNames): NextCommand[] {
  const [first] = functions;
  if (first === undefined) return [];
  const { file, lines, callers } = first;
  const hasLines = file !== "" && lines.length > 0;
  const inFile: NextCommand[] = hasLines
    ? [{ command: "ticks lines", operands: [names.file(file)], why: "the other lines of its file" }]
    : [];
  const caller = callers.find((call) => call.function !== null)?.function;
  if (!caller || isSame(caller, first)) return inFile;
  const asked = { name: caller.name, ...shownFunction(caller) };
  const next = functionCommand(asked, names, "what calls it most");
  // Functions of one name are told apart by their places.
  const position = names.position(asked);
  const isAlike = nameToAskFor({ name: first.name, ...shownFunction(first) }, names) === next.operands?.[0];
  return [isAlike && position !== "" ? { ...next, operands: [position] } : next, ...inFile];
}

/** Returns whether two functions of a document are one. */
function isSame(one: FunctionData, other: FunctionData): boolean {
  return (["kind", "name", "file", "line", "column"] as const).every((key) => one[key] === other[key]);
}

function matchTable(matches: FunctionReportData["matches"], names: FunctionNames): Table {
  const rest = matches.slice(MATCH_LIMIT);
  const left = rest.reduce((sum, { self }) => sum + self, 0);
  return {
    kind: "table",
    columns: [ticksColumn("self"), ticksColumn("total"), { title: "function" }],
    rows: [
      ...matches.slice(0, MATCH_LIMIT).map((match) => ({
        cells: [amount(match.self), amount(match.total), names.function(shownFunction(match))],
        ticks: match.total,
        isProgram: isOwn(match),
      })),
      ...(rest.length > 0 ? [{ cells: [amount(left), "", `… ${rest.length} more`], isRest: true }] : []),
    ],
  };
}

function oneFunction(
  { ticks: whole }: FunctionReportData,
  { of, script, listing: lines }: ListedFunction,
  shown: Shown<FunctionReportOptions>,
): Block[] {
  const { self, total, callers, callees, tiers } = of;
  const called = total - self;
  return [
    {
      kind: "part",
      what: "function",
      name: shown.names.function(shownFunction(of)).title,
      facts: [text`from ${positionText(of)}${scriptsText(of)}`, joined(factsOf(of, whole), "   ")],
    },
    ...(tiers.length > 0 ? [section("Tiers", tierTable(of, shown.info))] : []),
    section(text`Callers (${inTicks(total)})`, callTable(shown, callers, { title: "caller", whole: total })),
    ...(called > 0
      ? [
          section(
            text`Callees (${inTicks(called)})`,
            callTable(shown, callees, { title: "callee", whole: called }),
          ),
        ]
      : []),
    ...(of.lines.length > 0
      ? [
          section(
            `Lines${ORIGINS[script?.origin ?? "none"]}`,
            listingFigure(lines, { whole, isProgram: isOwn(of) }),
          ),
        ]
      : []),
  ];
}

function factsOf({ self, total, inlined, inferred, tiers }: FunctionDetailsData, whole: Ticks): Text[] {
  const mayBeInlined = tiers.some(({ tier }) => OPTIMIZED_TIERS.has(tierMark(tier)));
  const where = mayBeInlined ? ", in it or what is inlined in it" : "";
  return [
    text`self ${measured(self)} (${share(self, whole)})`,
    text`total ${measured(total)} (${share(total, whole)})`,
    ...(inlined > 0 ? [text`inlined ${measured(inlined)} (${share(inlined, total)} of total)`] : []),
    ...(inferred === undefined
      ? []
      : [text`${INFERRED} inferred ${measured(inferred)} (${share(inferred, total)} of total)${where}`]),
  ];
}

function tierTable(of: FunctionDetailsData, info: ProfileInfo): Table {
  const { tiers, times } = of;
  const titles = tierTitlesOf(info);
  const slices = times?.tiers.flatMap((time) => time.slices) ?? [];
  const peak = slices.reduce((most, ticks) => Math.max(most, ticks), 1);
  const over = times === null ? "" : `${timeText(times.fromUs, 1)} to ${timeText(times.toUs, 1)}`;
  const timed = times === null ? [] : [number("first"), number("last"), { title: over }];
  return {
    kind: "table",
    columns: [{ title: "tier" }, ticksColumn("self"), ticksColumn("total"), ...timed],
    rows: tiers.map(({ tier, self, total }) => {
      const time = times?.tiers.find((other) => other.tier === tier);
      const when =
        time === undefined
          ? timed.map(() => "")
          : [
              timeText(time.firstUs, 1),
              timeText(time.lastUs, 1),
              code(blocksOf(time.slices, peak).trimEnd()),
            ];
      const mark = tierMark(tier);
      const title = mark === "" ? titles[mark] : text`${code(mark)} ${titles[mark]}`;
      return { cells: [title, amount(self), amount(total), ...when], ticks: total, isProgram: isOwn(of) };
    }),
  };
}

/** Returns a table of calls. Its rows sum to `whole`. */
function callTable(
  { names, options: { minPercent: least = 1 } }: Shown<FunctionReportOptions>,
  calls: readonly CallData[],
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
      ...shown.map((call) => ({
        cells: [
          amount(call.ticks),
          share(call.ticks, whole),
          { ...callableName(names, call), marks: callMarks(call) },
        ],
        ticks: call.ticks,
        isProgram: call.function !== null && isOwn(call.function),
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

function isOwn({ origin }: FunctionData): boolean {
  return origin === "app";
}

const ORIGINS = {
  log: "",
  map: ` (text ${CHANGEABLE_TEXT.map})`,
  disk: ` (text ${CHANGEABLE_TEXT.disk})`,
  none: " (no source text)",
} as const;

function scriptsText({ scripts = 1 }: ScriptsData): string {
  return scripts > 1 ? `, in ${scripts} scripts of this text` : "";
}

/** Returns where a function is defined, in full. */
function positionText(one: FunctionData): Text {
  const { file, line, column, kind, origin, package: owner } = one;
  const type = codeTypeOf(one);
  if (type !== undefined) return named(`V8 ${type}`);
  if (kind === "unknown") return code(text`addresses that the ${LOG} does not explain`);
  if (file === "") return named(owner);
  const position = line === null ? file : `${file}:${line}:${column}`;
  return named(origin === "deps" ? `${position} (package ${owner})` : position);
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

/** Returns the document of `ticks function`. Warns if nothing has the name, or if not all that have it are shown. */
function functionFacts(
  profile: Analysis,
  { options, sources }: Shown<FunctionReportOptions>,
  { warn }: Surroundings,
): FunctionReportData {
  const { name: query, all = false } = options;
  const stacks = new FunctionStacks(profile);
  const { table } = stacks;
  const ticks = profile.functionTicks;
  const ids = findFunctions(query, { table, ticks, frames: profile.frames })?.ids ?? [];
  const shown = ids.slice(0, all ? DESCRIBED_FUNCTIONS : 1);
  const suggestions = ids.length > 0 ? [] : nearFunctions(query, table, ticks);
  if (ids.length === 0) warnNotFound(query, { suggestions, hottest: hottestFunctions(table, ticks), warn });
  if (all && ids.length > shown.length)
    warn(`showing only the first ${shown.length} of ${ids.length} functions that match`);
  const scale = scaleOf(profile);
  const names = tierNamesOf(profile.info);
  return {
    ...jsonHead("function", profile),
    missingCallers: jsonMissingCallers(profile),
    query,
    matches: ids.map((id) => ({
      ...jsonFunction(table.functions[id]!),
      ...jsonWeights({ self: ticks.self[id]!, total: ticks.total[id]! }, scale),
    })),
    suggestions,
    functions: shown.map((id) => {
      const details = functionDetails(profile, id, { stacks, sources });
      return detailsOf(details, { sources, scale, names });
    }),
  };
}

function detailsOf(
  details: FunctionDetails,
  about: { readonly sources: SourceTexts; readonly scale: Scale; readonly names: TierNames },
): FunctionDetailsData {
  const { function: found, callers, callees, tiers, times, lines, places } = details;
  const { sources, scale, names } = about;
  const isScript = found.kind === "js" && found.file !== undefined;
  return {
    ...jsonFunction(found),
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
    ...jsonScripts(sources.scriptsOf(found.file)),
    textFrom: textFrom(isScript ? sources.linesOf(found.file)?.origin : undefined),
    lines: lines
      .toSorted((a, b) => a.line - b.line)
      .map((line) => jsonLine(line, { sources, scale, places })),
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
