import { shownNumber } from "../base/digits.js";
import { amount, duration, inPercent, named, sized, type Text, TICKS, text, withSign } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Budget, BudgetVerdict, CheckedBudget, Metric } from "../compare/budgets.js";
import { hasUnknownCounts } from "../compare/run-summary.js";
import type { SelectedRun } from "../compare/selections.js";
import { UNKNOWN_COUNT, UNSURE_SHARES } from "../facts/doubts.js";
import { printable } from "../facts/label.js";
import { type Block, cutMiddleCell, GAP, note, number, section, type Tone } from "../render/page.js";
import { spoken } from "../render/spoken.js";
import {
  type Integer,
  type JsonDocument,
  jsonDocument,
  jsonTicks,
  jsonWaited,
  orNull,
  type WaitedData,
} from "./json.js";
import type { Report } from "./report.js";
import { counted, recordCommand, waitedText } from "./words.js";

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
  /** The command that `ticks record` ran, if it made the runs. */
  readonly command?: readonly string[] | undefined;
}

/** `ticks check`. */
export const CHECK: Report<CheckReport> = { data: checkData, page: checkPage };

export function checkPage(report: CheckReport): Block[] {
  const { results, title, runs, baseline } = report;
  const facts =
    baseline === undefined
      ? counted(runs.length, "run")
      : text`${counted(runs.length, "run")}, against ${named(baseline.title)}: ${counted(baseline.runs.length, "run")}`;
  const isBad = results.some((result) => isFailure(result, report));
  return [
    { kind: "heading", name: title, facts },
    ...waitedNote(report).map((words) => note(words)),
    note(checkSummary(report), isBad ? "hot" : "plain"),
    ...(results.length === 0 ? [] : [GAP, budgetTable(report)]),
    ...moreRunsNote(report),
  ];
}

/** So many runs tell a small change from chance. */
const SURE_RUNS = 3;

/** Returns what to do about budgets that few runs leave open. */
function moreRunsNote(report: CheckReport): Block[] {
  const { results, runs, baseline, command } = report;
  const isOpen = results.some(({ verdict }) => verdict === "inconclusive");
  const few = Math.min(runs.length, baseline?.runs.length ?? runs.length);
  if (isOpen && hasUnknown(report)) return [GAP, note(`${UNKNOWN_COUNT}.`)];
  if (isOpen && runs.some(({ mayWait }) => mayWait))
    return [
      GAP,
      note(
        `These profiles have no (idle), as those of Node 8 to 12: (program) includes waiting. ${UNSURE_SHARES}.`,
      ),
    ];
  if (!isOpen || few >= SURE_RUNS) return [];
  const memory = runs.some((run) => run.memory !== undefined);
  const line = recordCommand(SURE_RUNS, { command, memory });
  return [
    section("Next", {
      kind: "commands",
      lines: [{ why: "few runs tell little: record more", command: line }],
    }),
  ];
}

/** Whether a run does not tell how many samples it has. */
function hasUnknown({ runs, baseline }: CheckReport): boolean {
  return hasUnknownCounts([...runs, ...(baseline?.runs ?? [])]);
}

function budgetTable(report: CheckReport): Block {
  return {
    kind: "table",
    columns: [
      { title: "result" },
      number("value"),
      number("95 %"),
      number("max"),
      { title: "metric" },
      { title: "code" },
    ],
    rows: report.results.map((result) => {
      const { metric, max, title } = result.budget;
      return {
        cells: [
          verdictWord(result),
          valueText(result.value, metric),
          rangeText(result),
          valueText(max, metric),
          metricName(metric, report),
          cutMiddleCell(title),
        ],
        tone: toneOf(result, report),
      };
    }),
  };
}

function toneOf(result: CheckedBudget, report: CheckReport): Tone {
  if (isFailure(result, report)) return "hot";
  return result.verdict === "holds" ? "faint" : "plain";
}

/** Returns whether a result makes the check fail. */
export function isFailure(
  { verdict, budget }: CheckedBudget,
  { isStrict }: Pick<CheckReport, "isStrict">,
): boolean {
  if (budget.level === "warn") return false;
  return verdict === "broken" || (isStrict && verdict === "inconclusive");
}

const METRIC_TEXTS: Readonly<Record<Metric, Text>> = {
  self: "self share",
  total: "total share",
  ticks: text`${TICKS} a unit`,
  deopts: "deopts a run",
  growth: "growth",
  allocated: "allocated",
  longestTurn: "longest turn",
};

/** Returns the name of a metric: what was alive at the end is not all that was allocated. */
function metricName(metric: Metric, { runs }: CheckReport): Text {
  const isAlive = metric === "allocated" && runs.some(({ memory }) => memory?.is === "alive");
  return isAlive ? "alive at the end" : METRIC_TEXTS[metric];
}

function valueText(value: number, metric: Metric): Text {
  if (value === Number.POSITIVE_INFINITY) return metric === "longestTurn" ? "unknown" : "new";
  switch (metric) {
    case "self":
    case "total":
      return inPercent(value);
    case "allocated":
      return sized(value);
    case "growth":
      return withSign(value, inPercent);
    case "longestTurn":
      return duration(value * 1e3);
    case "ticks":
    case "deopts":
      return amount(Number(shownNumber(value, 3)));
  }
}

/** Returns the interval of a value. */
function rangeText({ low, high, budget }: CheckedBudget): Text {
  return text`${valueText(low, budget.metric)} to ${valueText(high, budget.metric)}`;
}

/** Returns a verdict as a word: a broken budget that only warns is told apart. */
function verdictWord({ verdict, budget }: CheckedBudget): string {
  if (verdict === "holds") return "ok";
  if (verdict === "inconclusive") return "inconclusive";
  return budget.level === "warn" ? "warning" : "broken";
}

/** Returns what a result is of: `parse: self share`. */
function resultName({ budget }: CheckedBudget, report: CheckReport): Text {
  return text`${named(budget.title)}: ${metricName(budget.metric, report)}`;
}

function resultSentence(result: CheckedBudget, report: CheckReport): Text {
  const { budget, value, verdict } = result;
  const [found, max] = [value, budget.max].map((one) => valueText(one, budget.metric)) as [Text, Text];
  const more = hasUnknown(report) ? "it is not known how many samples there are" : "more runs would tell";
  const why = verdict === "inconclusive" ? `; ${more}` : "";
  return text`${resultName(result, report)} ${found} (95 %: ${rangeText(result)}), budget ${max}${why}`;
}

/** Returns a text for lines that are no page. */
function inLine(words: Text, { runs }: CheckReport): string {
  return spoken(words, printable, { input: runs[0]?.input });
}

/** Returns the summary: `1 of 6 budgets is broken, 2 are inconclusive`. */
function checkSummary(report: CheckReport): string {
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

/** Returns a note on the ticks that waited; nothing if there are none. */
function waitedNote({ runs, baseline }: CheckReport): Text[] {
  const waited = waitedText([...runs, ...(baseline?.runs ?? [])]);
  if (waited === undefined) return [];
  return [text`${waited.what} waited (${waited.how}) and are left out: --idle counts them.`];
}

/**
 * Yields annotations for GitHub Actions: one for each budget that does not hold, with its file and line, and a
 * summary.
 *
 * Source: GitHub Docs, "Workflow commands for GitHub Actions", "Setting an error message".
 */
export function* checkGithub(report: CheckReport): Iterable<string> {
  for (const result of report.results) {
    if (result.verdict === "holds") continue;
    const level = isFailure(result, report) ? "error" : "warning";
    const title = result.verdict === "broken" ? "Budget broken" : "Budget inconclusive";
    const place = result.file === undefined ? [] : [`file=${property(pathOf(result.file, report.folder))}`];
    const line = result.line === undefined || place.length === 0 ? [] : [`line=${result.line}`];
    const properties = [...place, ...line, `title=${property(title)}`].join(",");
    yield `::${level} ${properties}::${data(inLine(resultSentence(result, report), report))}`;
  }
  yield `::notice::${data(checkSummary(report))}`;
}

/** Returns a script as GitHub names the files of a repository: relative to its folder. */
function pathOf(file: string, folder: string): string {
  const path = file.replace(/^file:\/\/(?=\/)/, "");
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function data(text: string): string {
  return printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Yields checked budgets as tests in JUnit's XML, which most CI systems read. */
export function* checkJunit(report: CheckReport): Iterable<string> {
  const { results } = report;
  const failures = results.filter((result) => isFailure(result, report)).length;
  const skipped = results.filter(
    (result) => result.verdict === "inconclusive" && !isFailure(result, report),
  ).length;
  yield `<?xml version="1.0" encoding="UTF-8"?>`;
  yield `<testsuites>`;
  yield `  <testsuite name="ticks check" tests="${results.length}" failures="${failures}" skipped="${skipped}">`;
  for (const result of results) {
    const name = escaped(inLine(resultName(result, report), report));
    const open = `    <testcase classname="ticks" name="${name}"`;
    const message = escaped(inLine(resultSentence(result, report), report));
    if (isFailure(result, report)) {
      yield `${open}><failure message="${message}"/></testcase>`;
    } else if (result.verdict === "inconclusive") {
      yield `${open}><skipped message="${message}"/></testcase>`;
    } else {
      yield `${open}><system-out>${message}</system-out></testcase>`;
    }
  }
  yield `  </testsuite>`;
  yield `</testsuites>`;
}

function escaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

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
  /** Absent for longestTurn. */
  readonly select?: SelectorData;
  readonly metric: Metric;
  /** In bytes for allocated. */
  readonly max: number;
  readonly level: Budget["level"];
  /**
   * `broken` if the value is surely above `max`: chance alone fails 1 of 100 checks at most; `inconclusive` if a part of the
   * interval is.
   */
  readonly verdict: BudgetVerdict;
  readonly isFailure: boolean;
  /** null for growth of what the baseline does not have, and for the high end of turns that are not known. */
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
  /** Words for people. */
  readonly $comment?: string;
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
  /** What is limited: needed, but not for longestTurn, which is of the whole run. */
  readonly select?: SelectorData;
  /** @default "self" */
  readonly metric?: Metric;
  /** The limit; for allocated bytes, or a text such as 10MB. */
  readonly max: number | string;
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
        ...(kind !== "run" && { select: { [kind]: String(name) } }),
        metric: budget.metric,
        max: budget.max,
        level: budget.level,
        verdict,
        isFailure: isFailure(result, report),
        value: finite(value),
        low: finite(low),
        high: finite(high),
        ...orNull({ baseline: result.baseline, file, line }),
      };
    }),
  };
}

function runOf({ title, ticks, waited }: SelectedRun): CheckedRunData {
  return { title, ticks: jsonTicks(ticks), ...jsonWaited({ waited }) };
}

/** Returns a number; null for the growth of what the baseline does not have. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
