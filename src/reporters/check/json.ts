import type { SelectedRun } from "../../compare/selections.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonDocument, jsonWaited } from "../layout/json-parts.js";
import { type CheckReport, isFailure } from "./check-report.js";

/** Yields checked budgets for programs, as `check.schema.json` describes it. */
export function checkJson(report: CheckReport, layout: JsonLayout = {}): Iterable<string> {
  const { results, title, runs, baseline } = report;
  return jsonLines(
    {
      ...jsonDocument({ command: "check", schemaVersion: 1 }),
      isOk: !results.some((result) => isFailure(result, report)),
      checked: { title, runs: runs.map(jsonRun) },
      baseline: baseline === undefined ? null : { title: baseline.title, runs: baseline.runs.map(jsonRun) },
      budgets: results.map((result) => {
        const { budget, verdict, value, low, high, file, line } = result;
        const { kind, name } = budget.selector;
        return {
          name: budget.title,
          select: { [kind]: String(name) },
          metric: budget.metric,
          max: budget.max,
          level: budget.level,
          verdict,
          isFailure: isFailure(result, report),
          value: finite(value),
          low: finite(low),
          high: finite(high),
          baseline: result.baseline ?? null,
          file: file ?? null,
          line: line ?? null,
        };
      }),
    },
    layout,
  );
}

function jsonRun({ title, ticks, waited }: SelectedRun) {
  return { title, ticks, ...jsonWaited({ waited }) };
}

/** Returns a number; null for the growth of what the baseline does not have. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
