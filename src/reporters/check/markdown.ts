import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import {
  BUDGET_COLUMNS,
  type CheckReport,
  checkedText,
  checkSummary,
  metricText,
  rangeText,
  valueText,
  verdictWord,
  waitedNote,
} from "./check-report.js";

/** Yields checked budgets for the summary of a job, or a pull request. */
export function* checkMarkdown(report: CheckReport): Iterable<string> {
  yield `**${checkSummary(report)}**`;
  yield "";
  yield checkedText(report, codeSpan);
  for (const note of waitedNote(report)) yield* ["", note];
  yield "";
  yield* markdownTable(
    BUDGET_COLUMNS,
    report.results.map((result) => [
      verdictWord(result),
      valueText(result.value, result.budget.metric),
      rangeText(result),
      valueText(result.budget.max, result.budget.metric),
      metricText(result),
      codeCell(result.budget.title),
    ]),
  );
}
