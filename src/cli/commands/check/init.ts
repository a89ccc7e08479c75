import type { RunRow, RunSummary } from "../../../compare/run-summary.js";

/** As many functions get a budget. */
const FUNCTIONS = 5;
/** Functions with a smaller share are not worth one. */
const LEAST_SHARE = 2;
/** What a value may grow by before its budget breaks, as a fraction. */
const HEAD_ROOM = 0.25;
/** Functions that the whole program runs in grow only if others shrink. */
const MOST_SHARE = 80;

/**
 * Returns a file of budgets for runs: for the functions of the program and its packages with the most total
 * ticks, and for garbage collection, each with head-room.
 */
export function initialBudgets(
  functions: readonly RunSummary[],
  categories: readonly RunSummary[],
  schema: string,
): string {
  const rows = meansOf(functions)
    .filter(({ row, share }) => row.origin === "app" || (row.origin === "deps" && share > 0))
    .filter(({ row, share }) => row.title !== "<anonymous>" && share >= LEAST_SHARE && share <= MOST_SHARE)
    .slice(0, FUNCTIONS);
  const gc = meansOf(categories).find(({ row }) => row.key === "gc");
  const budgets = [
    ...rows.map(({ row, share }) => budget({ function: row.key }, "total", share)),
    ...(gc === undefined ? [] : [budget({ category: "gc" }, "self", gc.share)]),
  ];
  return `{
  "$schema": ${JSON.stringify(schema)},
  // metric: "self" and "total" are percent of all ticks, "ticks" is ticks for each unit of work (see "per"),
  // "deopts" is how often a run discards optimized code, "growth" is percent against --against.
  // A budget breaks if its value is surely above max. The limits below have head-room.
  "budgets": [
${budgets.map((one) => `    ${one}`).join(",\n")}
  ]
}
`;
}

function budget(select: Record<string, string>, metric: string, share: number): string {
  const max = Math.ceil(share * (1 + HEAD_ROOM) + 1);
  return `{ "select": ${JSON.stringify(select)}, "metric": "${metric}", "max": ${max} }`;
}

/** Returns the rows of all runs with the mean share of their total, most first. */
function meansOf(runs: readonly RunSummary[]): { readonly row: RunRow; readonly share: number }[] {
  const rows = new Map<string, { row: RunRow; share: number }>();
  for (const run of runs) {
    for (const row of run.rows) {
      const found = rows.get(row.key) ?? { row, share: 0 };
      found.share += (row.total * 100) / run.ticks / runs.length;
      rows.set(row.key, found);
    }
  }
  return Array.from(rows.values()).sort((a, b) => b.share - a.share || (a.row.key < b.row.key ? -1 : 1));
}
