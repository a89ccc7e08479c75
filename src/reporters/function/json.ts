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
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonLine,
  jsonMissingCallers,
  jsonPlaces,
  jsonScripts,
  jsonWeights,
  shownTicks,
  textFrom,
} from "../layout/json-parts.js";

/** Yields functions for programs, as `function.schema.json` describes them. */
export function* functionJson(report: FunctionReport, layout: JsonLayout = {}): Iterable<string> {
  const { sources } = report;
  const whole = shownTicks(report.profile);
  const names = tierNamesOf(report.profile.info);
  yield* jsonLines(
    {
      ...jsonHead({ command: "function", schemaVersion: 1 }, report.profile),
      missingCallers: jsonMissingCallers(report.profile),
      query: report.query,
      matches: report.matches.map((match) => ({
        ...jsonFunction(match.function),
        ...jsonWeights(match, whole),
      })),
      suggestions: report.suggestions,
      functions: report.details.map((details) => detailsOf(details, { sources, whole, names })),
    },
    layout,
  );
}

function detailsOf(
  details: FunctionDetails,
  about: { readonly sources: SourceTexts; readonly whole: Ticks; readonly names: TierNames },
) {
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

function callOf({ callable, ticks, inlined, inferred }: Call, whole: Ticks) {
  const percent = percentOf(ticks, whole);
  return { ...jsonCallable(callable), ticks, percent, inlined, ...jsonInferred(inferred) };
}

function timesOf({ from, to, tiers }: TierTimes, names: TierNames) {
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
