import { printable } from "../../views/label.js";
import { fittedTable } from "../layout/fitted-table.js";
import type { Style } from "../layout/style.js";
import { cutMiddle, shownMiddle } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import {
  BUDGET_COLUMNS,
  type CheckReport,
  checkedText,
  checkSummary,
  isFailure,
  metricText,
  rangeText,
  valueText,
  verdictWord,
  waitedNote,
} from "./check-report.js";

/** The style and width of a text report. */
export interface CheckLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

/** Yields checked budgets for people. */
export function* checkText(report: CheckReport, { style, width }: CheckLayout): Iterable<string> {
  yield style.heading(cutMiddle(checkedText(report, printable), width));
  for (const note of waitedNote(report)) yield* wrapped(note, width);
  const isBad = report.results.some((result) => isFailure(result, report));
  yield (isBad ? style.hot : (text: string) => text)(checkSummary(report));
  if (report.results.length === 0) return;
  yield "";
  yield* fittedTable(
    BUDGET_COLUMNS,
    report.results.map((result) => {
      const { budget, value, verdict } = result;
      const paint = isFailure(result, report)
        ? style.hot
        : verdict === "holds"
          ? style.faint
          : (text: string) => text;
      const { metric, max } = budget;
      const cells = [
        verdictWord(result),
        valueText(value, metric),
        rangeText(result),
        valueText(max, metric),
        metricText(result),
      ];
      return { cells: cells.map(paint), last: (columns) => paint(shownMiddle(budget.title, columns)) };
    }),
    width,
  );
}
