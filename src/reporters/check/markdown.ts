import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import type { Column } from "../layout/table.js";
import {
  type CheckReport,
  checkedText,
  checkSummary,
  metricText,
  rangeText,
  valueText,
  verdictWord,
} from "./check-report.js";

/** Yields checked budgets for the summary of a job, or a pull request. */
export function* checkMarkdown(report: CheckReport): Iterable<string> {
  yield `**${checkSummary(report)}**`;
  yield "";
  yield checkedText(report, codeSpan);
  yield "";
  const number = (title: string): Column => ({ title, align: "right" });
  yield* markdownTable(
    [
      { title: "result" },
      number("value"),
      number("95 %"),
      number("max"),
      { title: "metric" },
      { title: "code" },
    ],
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
