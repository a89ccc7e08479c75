import type { Ticks } from "../../profile/units.js";
import type { Warning } from "../../views/coverage.js";
import { percentOf } from "../../views/shares.js";
import type { FunctionRow } from "../../views/top-functions.js";
import { costOf } from "../deopts/json.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonTiers,
  jsonWeights,
  shownTicks,
} from "../layout/json-parts.js";
import { LINE_LENGTH } from "../layout/source-line.js";
import { nextCommand, type TopReport } from "./top-report.js";

/** Yields the summary for programs, as `top.schema.json` describes it. */
export function* topJson(report: TopReport, layout: JsonLayout = {}): Iterable<string> {
  const { profile, top, limit } = report;
  const whole = shownTicks(profile);
  const { asked, got, span } = profile.info.sampling;
  yield* jsonLines(
    {
      ...jsonHead({ command: "top", schemaVersion: 1 }, profile),
      sampling: { intervalAskedUs: asked ?? null, intervalUs: got ?? null, spanUs: span },
      warnings: top.warnings.map(warningOf),
      breakdown: top.breakdown.map((row) => ({ ...row, tiers: jsonTiers(row.tiers) })),
      stacks: top.stacks.stacks.map(({ ticks, path }) => ({
        ticks,
        percent: percentOf(ticks, whole),
        path: path.map(jsonCallable),
      })),
      otherStacks: top.stacks.rest,
      functions: {
        bySelf: top.functions.bySelf.slice(0, limit).map((row) => functionRow(row, whole)),
        byTotal: top.functions.byTotal.slice(0, limit).map((row) => functionRow(row, whole)),
      },
      lines: top.lines.lines.slice(0, limit).map(({ file, line, ticks, self, text }) => ({
        file,
        line,
        ticks,
        percent: percentOf(ticks, whole),
        self,
        text: text?.slice(0, LINE_LENGTH) ?? null,
      })),
      ticksWithoutLine: top.lines.withoutLine,
      ticksWithoutProgram: top.lines.withoutProgram,
      packages: top.packages.slice(0, limit).map(({ origin, self, total }) => ({
        name: origin.name,
        origin: origin.kind,
        ...jsonWeights({ self, total }, whole),
      })),
      deopts: top.deopts
        .slice(0, limit)
        .map(({ title, position, at, reason, count, cost, costByTier, isLoop }) => ({
          title,
          functionPosition: position ?? null,
          position: at,
          reason,
          count,
          ...costOf(cost, whole),
          costByTier: jsonTiers(costByTier),
          isLoop,
        })),
      next: nextCommand(report) ?? null,
    },
    layout,
  );
}

function functionRow({ function: fn, self, total, tiers }: FunctionRow, whole: Ticks) {
  return { ...jsonFunction(fn), ...jsonWeights({ self, total }, whole), tiers: jsonTiers(tiers) };
}

function warningOf(warning: Warning) {
  if (warning.kind !== "slow-sampling") return warning;
  return { kind: warning.kind, intervalAskedUs: warning.asked, intervalUs: warning.got };
}
