import { compareTexts } from "../../../base/sorted.js";
import { type Budget, checkBudgets } from "../../../compare/budgets.js";
import type { RunRow, RunSummary } from "../../../compare/run-summary.js";

/** As many functions get a budget, and as many files and packages. */
const ROWS = 5;
/** What has a smaller share is not worth a budget. */
const LEAST_SHARE = 2;
/** What a value may grow by before its budget breaks, as a fraction. */
const HEAD_ROOM = 0.25;
/** The share of what the whole program runs in cannot grow much: there ticks are limited, if it does some work itself. */
const MOST_SHARE = 80;

/** The same runs, each in rows of one kind. */
interface InitialRuns {
  readonly functions: readonly RunSummary[];
  readonly files: readonly RunSummary[];
  readonly packages: readonly RunSummary[];
  readonly categories: readonly RunSummary[];
}

/**
 * Returns a file of budgets for runs: for the hottest functions, files and packages of the program, and for garbage
 * collection, each with head-room. Returns undefined if no code of the program has enough ticks to limit.
 */
export function initialBudgets(runs: InitialRuns, schema: string): string | undefined {
  const code = [
    ...budgetsOf(runs.functions, (row) => (row.title === "<anonymous>" ? undefined : { function: row.key })),
    ...budgetsOf(runs.files, (row) => (row.file === undefined ? undefined : { file: row.key })),
    ...budgetsOf(runs.packages, (row) => (row.package === undefined ? undefined : { package: row.package })),
  ];
  if (code.length === 0) return undefined;
  const gc = meansOf(runs.categories).find(({ row }) => row.key === "gc");
  const ofGc =
    gc === undefined
      ? []
      : [budget({ category: "gc" }, "self", gc.self, highOf(runs.categories, gc, "self"))];
  const budgets = [...code, ...ofGc];
  return `{
  "$schema": ${JSON.stringify(schema)},
  "$comment": ${JSON.stringify(COMMENT)},
  "budgets": [
${budgets.map((one) => `    ${one}`).join(",\n")}
  ]
}
`;
}

const COMMENT =
  "metric: self and total are percent of all ticks, ticks is ticks for each unit of work (see per), deopts is how often a run " +
  "discards optimized code, growth is percent against --against. A budget breaks if its value is surely above max. " +
  "These limits are above all that the runs say.";

/** Returns budgets for the rows with the most ticks that `selectorOf` has a selector for. */
function budgetsOf(
  runs: readonly RunSummary[],
  selectorOf: (row: RunRow) => Record<string, string> | undefined,
): string[] {
  const found: string[] = [];
  for (const mean of meansOf(runs)) {
    const { row, own, total, ticks } = mean;
    const select = row.origin === "app" || row.origin === "deps" ? selectorOf(row) : undefined;
    const isWhole = total > MOST_SHARE;
    if (select === undefined || (isWhole ? own : total) < LEAST_SHARE) continue;
    const memory = runs.find((run) => run.memory?.of === "bytes")?.memory;
    const metric = memory !== undefined ? "allocated" : isWhole ? "ticks" : "total";
    const value = memory !== undefined ? mean.size : isWhole ? ticks : total;
    found.push(budget(select, metric, value, highOf(runs, mean, metric)));
    if (found.length === ROWS) break;
  }
  return found;
}

function budget(select: Record<string, string>, metric: string, value: number, high: number): string {
  const max = Math.ceil(Math.max(value * (1 + HEAD_ROOM) + 1, high));
  return `{ "select": ${JSON.stringify(select)}, "metric": "${metric}", "max": ${max} }`;
}

/** Returns the upper end of the interval that a check of these runs gives what a row takes. */
function highOf(runs: readonly RunSummary[], { ofRuns }: MeanRow, metric: Budget["metric"]): number {
  const selected = runs.map(({ title, ticks, memory, isCountUnknown }, run) => {
    const { self = 0, total = 0, selfEffect, totalEffect } = ofRuns[run] ?? {};
    const of = { isFound: true, deopts: 0, file: undefined, line: undefined };
    return {
      title,
      ticks,
      memory,
      isCountUnknown,
      names: [],
      selections: [{ ...of, self, total, selfEffect, totalEffect }],
    };
  });
  const unlimited: Budget = {
    title: "",
    selector: { kind: "run", name: "" },
    metric,
    max: Number.POSITIVE_INFINITY,
    level: "warn",
  };
  return checkBudgets([unlimited], { runs: selected, baseline: [] })[0]!.high;
}

interface MeanRow {
  readonly row: RunRow;
  /** The row in each run; undefined where it has no ticks. */
  readonly ofRuns: (RunRow | undefined)[];
  /** Percent of all ticks, the mean of all runs. */
  readonly self: number;
  /** The same with what it calls, but for other code of the program and its packages. */
  readonly own: number;
  readonly total: number;
  /** The mean total in ticks. */
  readonly ticks: number;
  /** The mean total in bytes, of memory. */
  readonly size: number;
}

/** Returns the rows of all runs with the means of their shares, those with the largest total first. */
function meansOf(runs: readonly RunSummary[]): MeanRow[] {
  const rows = new Map<string, MeanRow>();
  for (const [at, run] of runs.entries()) {
    const percent = 100 / Math.max(run.ticks, 1) / runs.length;
    const called = programCalls(run.rows);
    for (const [number, row] of run.rows.entries()) {
      const { self, own, total, ticks, size, ofRuns } = rows.get(row.key) ?? {
        self: 0,
        own: 0,
        total: 0,
        ticks: 0,
        size: 0,
        ofRuns: [],
      };
      ofRuns[at] = row;
      rows.set(row.key, {
        row,
        self: self + row.self * percent,
        own: own + (row.total - called[number]!) * percent,
        total: total + row.total * percent,
        ticks: ticks + row.total / runs.length,
        size: size + (row.total * (run.memory?.tick ?? 1)) / runs.length,
        ofRuns,
      });
    }
  }
  return Array.from(rows.values()).sort((a, b) => b.total - a.total || compareTexts(a.row.key, b.row.key));
}

/** Returns, by row, the ticks of code of the program and its packages that it calls itself. */
function programCalls(rows: readonly RunRow[]): Float64Array {
  const called = new Float64Array(rows.length);
  for (const [number, { origin, callers }] of rows.entries()) {
    if (origin !== "app" && origin !== "deps") continue;
    for (let i = 0; i < callers.length; i += 2) {
      const row = callers[i]!;
      if (row >= 0 && row !== number) called[row]! += callers[i + 1]!;
    }
  }
  return called;
}
