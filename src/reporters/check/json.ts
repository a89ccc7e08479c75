import type { Budget, BudgetVerdict, Metric } from "../../compare/budgets.js";
import type { SelectedRun } from "../../compare/selections.js";
import type { Ticks } from "../../profile/units.js";
import { type CheckReport, isFailure } from "../../reports/check.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type Integer,
  type JsonDocument,
  jsonDocument,
  jsonWaited,
  type WaitedData,
} from "../layout/json-parts.js";

/**
 * Budgets, and the numbers that they limit: means over the runs, with 95 % intervals.
 * @id check.schema.json
 * @title ticks check --format json, schema version 1
 */
export interface CheckData extends JsonDocument<"check"> {
  /** Whether the exit status is 0. */
  readonly isOk: boolean;
  readonly checked: CheckedSide;
  readonly baseline: CheckedSide | null;
  readonly budgets: readonly CheckedBudgetData[];
}

export interface CheckedSide {
  readonly title: string;
  readonly runs: readonly CheckedRunData[];
}

export interface CheckedRunData {
  readonly title: string;
  readonly ticks: Ticks;
  readonly waited?: WaitedData;
}

export interface CheckedBudgetData {
  readonly name: string;
  readonly select: SelectorData;
  readonly metric: Metric;
  readonly max: number;
  readonly level: Budget["level"];
  /**
   * `broken` if the value is surely above `max`: chance alone fails 1 of 100 checks at most; `inconclusive` if a part of the
   * interval is.
   */
  readonly verdict: BudgetVerdict;
  readonly isFailure: boolean;
  /** null for growth of what the baseline does not have. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** For growth: the share of the baseline, in percent. */
  readonly baseline: number | null;
  readonly file: string | null;
  readonly line: Integer | null;
}

/**
 * ticks.budget.json. Comments and trailing commas are allowed.
 * @id budget.schema.json
 * @title Budgets of ticks check
 */
export interface BudgetFileData {
  readonly $schema?: string;
  /**
   * The units of work of each run, for the metric `ticks`.
   * @exclusiveMinimum 0
   */
  readonly per?: number;
  readonly budgets: readonly BudgetData[];
}

export interface BudgetData {
  /** What reports call the budget. */
  readonly name?: string;
  readonly select: SelectorData;
  /** @default "self" */
  readonly metric?: Metric;
  /** The limit. */
  readonly max: number;
  /**
   * Whether the check fails if the budget is broken.
   * @default "error"
   */
  readonly level?: Budget["level"];
}

/**
 * The code: a name, a stable key, or a pattern such as /^render/i.
 * @minProperties 1
 * @maxProperties 1
 */
export interface SelectorData {
  readonly function?: NonEmpty;
  readonly file?: NonEmpty;
  readonly package?: NonEmpty;
  readonly category?: NonEmpty;
}

/** @minLength 1 */
export type NonEmpty = string;

/** Yields checked budgets for programs. */
export function checkJson(report: CheckReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(checkData(report), layout);
}

export function checkData(report: CheckReport): CheckData {
  const { results, title, runs, baseline } = report;
  return {
    ...jsonDocument("check"),
    isOk: !results.some((result) => isFailure(result, report)),
    checked: { title, runs: runs.map(runOf) },
    baseline: baseline === undefined ? null : { title: baseline.title, runs: baseline.runs.map(runOf) },
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
  };
}

function runOf({ title, ticks, waited }: SelectedRun): CheckedRunData {
  return { title, ticks, ...jsonWaited({ waited }) };
}

/** Returns a number; null for the growth of what the baseline does not have. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
