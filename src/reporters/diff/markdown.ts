import type { DiffRow } from "../../compare/diff-model.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import type { Column } from "../layout/table.js";
import { cutMiddle } from "../layout/width.js";
import { causeText } from "./cause-text.js";
import {
  amount,
  type DiffReport,
  interval,
  NOUNS,
  shownRowName,
  shownRows,
  sideText,
  signed,
  summaryOf,
  unitText,
  unmatchedNote,
  waitedNote,
} from "./diff-report.js";
import { restText, verdictText } from "./text.js";

/** Names in sentences are cut to this many columns. */
const NAME_COLUMNS = 60;

/** Yields a comparison for issues and pull requests. */
export function* diffMarkdown(report: DiffReport): Iterable<string> {
  const { diff } = report;
  const show = (name: string) => codeSpan(cutMiddle(name, NAME_COLUMNS));
  const [first = "", ...others] = summaryOf(report, show);
  yield `**${first}**`;
  yield "";
  for (const text of [...others, ...unmatchedNote(report)]) {
    yield text;
    yield "";
  }
  yield `- before: ${sideText(codeSpan(report.before), diff.before)}`;
  yield `- after: ${sideText(codeSpan(report.after), diff.after)}`;
  for (const note of waitedNote(report)) yield* ["", note];
  const { shown, rest } = shownRows(report);
  const isChanged = ({ verdict }: DiffRow) => !diff.hasVerdict || verdict !== "same";
  yield "";
  yield* table(shown.filter(isChanged), report);
  const same = shown.filter((row) => !isChanged(row));
  if (same.length > 0) {
    yield "";
    yield `<details><summary>Without a change that can be told from chance</summary>`;
    yield "";
    yield* table(same, report);
    yield "";
    yield "</details>";
  }
  if (rest.length > 0) {
    yield "";
    yield restText(rest, report);
  }
}

function* table(rows: readonly DiffRow[], report: DiffReport): Iterable<string> {
  if (rows.length === 0) return;
  const { diff, by } = report;
  const { hasVerdict } = diff;
  const hasTotal = by !== "category";
  const columns: Column[] = [
    ...(hasVerdict ? [{ title: "verdict" }] : []),
    { title: "before", align: "right" },
    { title: "after", align: "right" },
    { title: "change", align: "right" },
    { title: "95 %", align: "right" },
    ...(hasTotal
      ? ([
          { title: "total", align: "right" },
          { title: "change", align: "right" },
        ] as const)
      : []),
    { title: `${NOUNS[by]}, ${unitText(diff)}` },
  ];
  const show = (name: string) => codeCell(cutMiddle(name, NAME_COLUMNS));
  yield* markdownTable(
    columns,
    rows.map((row) => {
      const { name, self, total, causes } = row;
      const { title, position } = shownRowName(name);
      const shown = [codeCell(title), ...(position === "" ? [] : [codeCell(position)])].join(" ");
      return [
        ...(hasVerdict ? [verdictText(row)] : []),
        amount(self.before, diff),
        amount(self.after, diff),
        signed(self.change, diff),
        interval(self, diff),
        ...(hasTotal ? [amount(total.after, diff), signed(total.change, diff)] : []),
        [shown, ...causes.map((cause) => causeText(cause, diff, show))].join("<br>"),
      ];
    }),
  );
}
