import type { Ticks } from "../../profile/units.js";
import type { FunctionReport } from "../../reports/function.js";
import type { Call } from "../../views/function-calls.js";
import type { FunctionDetails } from "../../views/function-details.js";
import { percentOf } from "../../views/shares.js";
import type { SourceTexts } from "../../views/source-texts.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import type { TierTimes } from "../../views/tier-times.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
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
  type ScriptsData,
  shownTicks,
  type TextFrom,
  type TierOrNone,
  textFrom,
  type Weights,
} from "../layout/json-parts.js";

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

/** Yields functions for programs. */
export function functionJson(report: FunctionReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(functionData(report), layout);
}

export function functionData(report: FunctionReport): FunctionReportData {
  const { sources } = report;
  const whole = shownTicks(report.profile);
  const names = tierNamesOf(report.profile.info);
  return {
    ...jsonHead("function", report.profile),
    missingCallers: jsonMissingCallers(report.profile),
    query: report.query,
    matches: report.matches.map((match) => ({
      ...jsonFunction(match.function),
      ...jsonWeights(match, whole),
    })),
    suggestions: report.suggestions,
    functions: report.details.map((details) => detailsOf(details, { sources, whole, names })),
  };
}

function detailsOf(
  details: FunctionDetails,
  about: { readonly sources: SourceTexts; readonly whole: Ticks; readonly names: TierNames },
): FunctionDetailsData {
  const { callers, callees, tiers, times, lines, places } = details;
  const { whole, names } = about;
  return {
    ...jsonFunction(details.function),
    ...jsonWeights(details, whole),
    inlined: callers.reduce((sum, { inlined }) => sum + inlined, 0),
    ...jsonInferred(details.inferred),
    callers: callers.map((call) => callOf(call, whole)),
    callees: callees.map((call) => callOf(call, whole)),
    tiers: tiers.map(({ tier, self, total }) => ({
      tier: names[tier],
      ...jsonWeights({ self, total }, whole),
    })),
    times: times === undefined ? null : timesOf(times, names),
    ...jsonScripts(about.sources.scriptsOf(details.function.file)),
    textFrom: textFrom(details.origin),
    lines: lines
      .toSorted((a, b) => a.line - b.line)
      .map((line) => ({
        ...jsonLine(line, about),
        ...jsonPlaces(places(line), whole),
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
