import type { Call } from "../../views/function-calls.js";
import type { FunctionDetails } from "../../views/function-details.js";
import type { SourceTexts } from "../../views/source-texts.js";
import { TIER_NAMES } from "../../views/tier-names.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonCallable, jsonFunction, jsonHead, jsonLine, textFrom } from "../layout/json-parts.js";
import type { FunctionReport } from "./text.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_FUNCTION_VERSION = 1;

/** Functions for programs, as `function.schema.json` describes them. */
export function* functionJson(report: FunctionReport, sources: SourceTexts): Iterable<string> {
  yield* jsonLines({
    version: JSON_FUNCTION_VERSION,
    ...jsonHead(report.profile),
    wanted: report.wanted,
    matches: report.matches.map(({ self, total, ...match }) => ({
      ...jsonFunction(match.function),
      self,
      total,
    })),
    near: report.near,
    functions: report.details.map((details) => detailsOf(details, sources)),
  });
}

function detailsOf(details: FunctionDetails, sources: SourceTexts) {
  const { self, total, callers, callees, tiers, times, lines } = details;
  return {
    ...jsonFunction(details.function),
    self,
    total,
    inlined: callers.reduce((sum, { inlined }) => sum + inlined, 0),
    callers: callers.map(callOf),
    callees: callees.map(callOf),
    tiers: tiers.map((ticks) => ({ ...ticks, tier: TIER_NAMES[ticks.tier] })),
    times:
      times === undefined
        ? null
        : { ...times, tiers: times.tiers.map((time) => ({ ...time, tier: TIER_NAMES[time.tier] })) },
    textFrom: textFrom(details.origin),
    lines: lines.toSorted((a, b) => a.line - b.line).map((line) => jsonLine(line, sources)),
  };
}

function callOf({ callable, ticks, inlined }: Call) {
  return { ...jsonCallable(callable), ticks, inlined };
}
