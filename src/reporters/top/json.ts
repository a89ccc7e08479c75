import type { Ticks } from "../../profile/units.js";
import type { ShareRange } from "../../views/confidence.js";
import type { Warning } from "../../views/coverage.js";
import type { HotLine, HotLines } from "../../views/hot-lines.js";
import { percentOf } from "../../views/shares.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import type { FunctionRow } from "../../views/top-functions.js";
import type { WeightRanges } from "../../views/top-ranges.js";
import { costOf } from "../deopts/json.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonScripts,
  jsonTiers,
  shownTicks,
} from "../layout/json-parts.js";
import { textAround } from "../layout/source-line.js";
import { nextCommands } from "./next-commands.js";
import { longestThread, type TopReport } from "./top-report.js";

/** Yields the summary for programs, as `top.schema.json` describes it. */
export function* topJson(report: TopReport, layout: JsonLayout = {}): Iterable<string> {
  const { profile, top, limit } = report;
  const { ranges } = top;
  const whole = shownTicks(profile);
  const { asked, got, span } = profile.info.sampling;
  const next = nextCommands(report);
  const names = tierNamesOf(profile.info);
  const functions = (rows: readonly FunctionRow[], weights: readonly WeightRanges[]) =>
    rows.slice(0, limit).map((row, i) => functionRow(row, { whole, names }, weights[i]!));
  yield* jsonLines(
    {
      ...jsonHead({ command: "top", schemaVersion: 1 }, profile),
      sampling: {
        intervalAskedUs: asked ?? null,
        intervalUs: got ?? null,
        spanUs: longestThread(profile),
        threadTimeUs: span,
        cpuUs: profile.info.cpu?.all ?? null,
      },
      missingCallers: jsonMissingCallers(profile),
      warnings: top.warnings.map(warningOf),
      breakdown: top.breakdown.map(({ category, title, ticks, percent, tiers }, i) => ({
        category,
        title,
        ticks,
        percent,
        ...rangeOf("percent", ranges.breakdown[i]!),
        tiers: jsonTiers(tiers, names),
      })),
      app: linesOf(top.app, ranges.app, { whole, limit }),
      packages: top.packages.rows.slice(0, limit).map((row, i) => ({
        name: row.origin?.name ?? "",
        origin: row.origin?.kind ?? null,
        ticks: row.ticks,
        percent: row.percent,
        ...rangeOf("percent", ranges.packages[i]!.ticks),
        ...weight("self", row.self, whole, ranges.packages[i]!.self),
        ...weight("throughNative", row.throughNative, whole, ranges.packages[i]!.throughNative),
        ...weight("total", row.total, whole, ranges.packages[i]!.total),
      })),
      stacks: top.stacks.stacks.map(({ ticks, path }, i) => ({
        ticks,
        percent: percentOf(ticks, whole),
        ...rangeOf("percent", ranges.stacks[i]!),
        path: path.map(jsonCallable),
      })),
      otherStacks: top.stacks.rest,
      functions: {
        bySelf: functions(top.functions.bySelf, ranges.bySelf),
        byTotal: functions(top.functions.byTotal, ranges.byTotal),
        chains: top.chains.slice(0, limit).map(({ rows, self, total }, i) => ({
          functions: rows.map((row) => jsonFunction(row.function)),
          self,
          ...weight("total", total, whole, ranges.chains[i]!),
        })),
      },
      ...linesOf(top.lines, ranges.lines, { whole, limit }),
      deopts: top.deopts
        .slice(0, limit)
        .map(({ title, position, at, reason, count, cost, costByTier, isLoop }, i) => ({
          title,
          functionPosition: position ?? null,
          position: at,
          reason,
          count,
          ...costOf(cost, whole),
          ...rangeOf("costPercent", ranges.deopts[i]!),
          costByTier: jsonTiers(costByTier, names),
          isLoop,
        })),
      next: next.find(({ kind }) => kind === "function")?.command ?? null,
      nextSteps: next,
    },
    layout,
  );
}

interface Shown {
  readonly whole: Ticks;
  readonly limit: number;
}

/** Returns lines, and the functions without lines. */
function linesOf(hot: HotLines, ranges: readonly ShareRange[], { whole, limit }: Shown) {
  const rows = hot.lines.map((row, i) => ({ ...row, range: ranges[i] })).slice(0, limit);
  const weights = ({ ticks, self, total, range }: HotLine & { readonly range: ShareRange | undefined }) => ({
    ticks,
    percent: percentOf(ticks, whole),
    ...rangeOf("percent", range!),
    self,
    total,
  });
  return {
    lines: rows
      .filter(({ line }) => line > 0)
      .map((row) => ({
        file: row.file,
        line: row.line,
        ...(row.column === undefined ? {} : { column: row.column }),
        function: jsonFunction(row.function),
        ...weights(row),
        ...jsonInferred(row.inferred),
        ...jsonScripts(row.scripts),
        text: row.text === undefined ? null : textAround(row.text, row.column ?? 1).trim(),
      })),
    functionsWithoutLine: rows
      .filter(({ line }) => line === 0)
      .map((row) => ({
        function: jsonFunction(row.function),
        reason: row.reason,
        ...jsonScripts(row.scripts),
        ...(row.loop !== undefined && { loop: row.loop }),
        ...weights(row),
      })),
    ticksWithoutLine: Array.from(hot.withoutLine.values()).reduce((sum, ticks) => sum + ticks, 0),
    ticksWithoutProgram: hot.outside,
  };
}

function functionRow(
  { function: fn, self, total, inferred, tiers }: FunctionRow,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
  range: WeightRanges,
) {
  return {
    ...jsonFunction(fn),
    ...weight("self", self, whole, range.self),
    ...weight("total", total, whole, range.total),
    ...jsonInferred(inferred),
    tiers: jsonTiers(tiers, names),
  };
}

/** Returns ticks with their percentage and its interval. */
function weight(key: string, ticks: Ticks, whole: Ticks, range: ShareRange) {
  const percent = `${key}Percent`;
  return { [key]: ticks, [percent]: percentOf(ticks, whole), ...rangeOf(percent, range) };
}

/** Returns the interval of a percentage. */
function rangeOf(key: string, { low, high }: ShareRange) {
  return { [`${key}Low`]: low, [`${key}High`]: high };
}

function warningOf(warning: Warning) {
  if (warning.kind === "unsampled-cpu")
    return { kind: warning.kind, cpuUs: warning.all, sampledUs: warning.sampled };
  if (warning.kind === "missing-callers") {
    const { kind, callers, missing, percent } = warning;
    return { kind, callers, missing, percent };
  }
  if (warning.kind === "bursts") {
    const { kind, ticks, percent, within } = warning;
    return { kind, ticks, percent, withinUs: within };
  }
  if (warning.kind === "no-cpu") {
    const { kind, gapTime, span, percent } = warning;
    return { kind, gapTimeUs: gapTime, spanUs: span, percent };
  }
  if (warning.kind === "dependent-ticks") {
    const { kind, ticks, effective } = warning;
    return { kind, ticks, effectiveTicks: effective };
  }
  if (warning.kind === "no-times") return { kind: warning.kind, intervalUs: warning.interval };
  if (warning.kind !== "slow-sampling") return warning;
  const { kind, asked, got, isWindowsTimer } = warning;
  return { kind, intervalAskedUs: asked, intervalUs: got, isWindowsTimer };
}
