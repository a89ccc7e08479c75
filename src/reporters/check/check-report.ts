import type { CheckedBudget, Metric } from "../../compare/budgets.js";
import type { SelectedRun } from "../../compare/selections.js";
import { howWaited, sumOfWaits } from "../../profile/waited.js";
import { counted } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";

const number = (title: string): Column => ({ title, align: "right" });

/** The columns of checked budgets in tables. */
export const BUDGET_COLUMNS: readonly Column[] = [
  { title: "result" },
  number("value"),
  number("95 %"),
  number("max"),
  { title: "metric" },
  { title: "code" },
];

/** Checked budgets and the runs that they were checked on. */
export interface CheckReport {
  readonly results: readonly CheckedBudget[];
  /** What the user called the runs. */
  readonly title: string;
  readonly runs: readonly SelectedRun[];
  readonly baseline: { readonly title: string; readonly runs: readonly SelectedRun[] } | undefined;
  /** Whether what is inconclusive fails. */
  readonly isStrict: boolean;
  /** The folder that the names of files in annotations are relative to. */
  readonly folder: string;
}

/** Returns whether a result makes the check fail. */
export function isFailure(
  { verdict, budget }: CheckedBudget,
  { isStrict }: Pick<CheckReport, "isStrict">,
): boolean {
  if (budget.level === "warn") return false;
  return verdict === "broken" || (isStrict && verdict === "inconclusive");
}

const METRIC_TEXTS: Readonly<Record<Metric, string>> = {
  self: "self share",
  total: "total share",
  ticks: "ticks a unit",
  deopts: "deopts a run",
  growth: "growth",
};

/** Returns what a budget limits. */
export function metricText({ budget }: CheckedBudget): string {
  return METRIC_TEXTS[budget.metric];
}

/** Returns a number of a metric with its unit. */
export function valueText(value: number, metric: Metric): string {
  if (value === Number.POSITIVE_INFINITY) return "new";
  switch (metric) {
    case "self":
    case "total":
      return `${value.toFixed(1)}%`;
    case "growth":
      return `${value >= 0 ? "+" : ""}${value.toFixed(1)}%`;
    case "ticks":
    case "deopts":
      return Number.isInteger(value) ? String(value) : value.toPrecision(3);
  }
}

/** Returns the interval of a value. */
export function rangeText({ low, high, budget }: CheckedBudget): string {
  return `${valueText(low, budget.metric)} to ${valueText(high, budget.metric)}`;
}

/** Returns a verdict as a word: a broken budget that only warns is told apart. */
export function verdictWord({ verdict, budget }: CheckedBudget): string {
  if (verdict === "holds") return "ok";
  if (verdict === "inconclusive") return "inconclusive";
  return budget.level === "warn" ? "warning" : "broken";
}

/** Returns a result as a sentence. `show` makes names safe. */
export function resultSentence(result: CheckedBudget, show: (name: string) => string): string {
  const { budget, value, verdict } = result;
  const found = `${show(budget.title)}: ${metricText(result)} ${valueText(value, budget.metric)}`;
  const limit = `(95 %: ${rangeText(result)}), budget ${valueText(budget.max, budget.metric)}`;
  const why = verdict === "inconclusive" ? "; more runs would tell" : "";
  return `${found} ${limit}${why}`;
}

/** Returns the summary: `1 of 6 budgets is broken, 2 are inconclusive`. */
export function checkSummary(report: CheckReport): string {
  const { results } = report;
  const number = (word: string) => results.filter((result) => verdictWord(result) === word).length;
  const [broken, warned, open] = [number("broken"), number("warning"), number("inconclusive")];
  const is = (count: number) => (count === 1 ? "is" : "are");
  const parts = [
    ...(broken > 0 ? [`${broken} ${is(broken)} broken`] : []),
    ...(warned > 0 ? [`${warned} ${is(warned)} broken, but only warned about`] : []),
    ...(open > 0 ? [`${open} ${is(open)} inconclusive`] : []),
  ];
  if (parts.length === 0) return `${counted(results.length, "budget")}: all hold`;
  return `${counted(results.length, "budget")}: ${parts.join(", ")}`;
}

/** Returns what was checked: `logs/ (6 logs): 6 runs, against before/: 6 runs`. */
export function checkedText({ title, runs, baseline }: CheckReport, show: (name: string) => string): string {
  const own = `${show(title)}: ${counted(runs.length, "run")}`;
  if (baseline === undefined) return own;
  return `${own}, against ${show(baseline.title)}: ${counted(baseline.runs.length, "run")}`;
}

/** Returns a note on the ticks that waited; nothing if there are none. */
export function waitedNote({ runs, baseline }: CheckReport): string[] {
  const waited = sumOfWaits([...runs, ...(baseline?.runs ?? [])].map(({ waited }) => waited));
  if (waited === undefined || waited.ticks === 0) return [];
  const what = `${counted(waited.ticks, "tick")} waited (${howWaited(waited)})`;
  return [`${what} and are left out: --idle counts them.`];
}
