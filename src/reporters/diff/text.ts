import type { DiffRow } from "../../compare/diff-model.js";
import { printable } from "../../views/label.js";
import { type FittedRow, fittedTable } from "../layout/fitted-table.js";
import { namedCell } from "../layout/named-cell.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import { causeText } from "./cause-text.js";
import {
  amount,
  countedRows,
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

/** The style and width of a text report. */
export interface DiffLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

/** The indentation of a section's lines, in columns. */
const INDENT = 2;
/** Names in sentences are cut to this many columns. */
const NAME_COLUMNS = 60;

/** Yields a comparison for people: the summary, then the table. */
export function* diffText(report: DiffReport, { style, width }: DiffLayout): Iterable<string> {
  const { diff, by } = report;
  const show = (name: string) => cutMiddle(printable(name), NAME_COLUMNS);
  yield style.heading(cutMiddle(`before: ${printable(sideText(report.before, diff.before))}`, width));
  yield style.heading(cutMiddle(`after:  ${printable(sideText(report.after, diff.after))}`, width));
  for (const note of waitedNote(report)) yield* wrapped(note, width);
  const [first = "", ...others] = summaryOf(report, show);
  const paint = diff.rows.some(({ verdict }) => verdict !== "same") ? style.hot : (text: string) => text;
  yield "";
  for (const line of wrapped(first, width)) yield paint(line);
  for (const text of [...others, ...unmatchedNote(report)]) yield* wrapped(text, width);
  const { shown, rest } = shownRows(report);
  const title = `${NOUNS[by]}s by ${unitText(diff)}`.replace("kind of works", "kinds of work");
  const lines = shown.length === 0 ? [] : tableLines(shown, report, { style, width });
  const counted = rest.length === 0 ? [] : [style.faint(restText(rest, report))];
  yield* section(style, capitalized(title), [...lines, ...counted]);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tableLines(rows: readonly DiffRow[], report: DiffReport, { style, width }: DiffLayout): string[] {
  const { diff, by } = report;
  const { hasVerdict } = diff;
  const hasTotal = by !== "category";
  const columns: Column[] = [
    ...(hasVerdict ? [{ title: "verdict" }] : []),
    NUMBER("before"),
    NUMBER("after"),
    NUMBER("change"),
    NUMBER("95 %"),
    ...(hasTotal ? [NUMBER("total"), NUMBER("change")] : []),
    { title: NOUNS[by] },
  ];
  const show = (name: string) => cutMiddle(printable(name), NAME_COLUMNS);
  const cells = rows.map((row): FittedRow => {
    const { name, self, total, verdict } = row;
    const isSame = hasVerdict && verdict === "same";
    const paint = isSame ? style.faint : self.verdict === "same" ? (text: string) => text : style.hot;
    const mark = hasVerdict && total.verdict === "same" ? " ~" : hasVerdict ? "  " : "";
    const own = [amount(self.before, diff), amount(self.after, diff), signed(self.change, diff)];
    const whole = [amount(total.after, diff), `${signed(total.change, diff)}${mark}`];
    return {
      cells: [
        ...(hasVerdict ? [verdictText(row)] : []),
        ...own,
        interval(self, diff),
        ...(hasTotal ? whole : []),
      ].map(paint),
      last: (columns) => namedCell(shownRowName(name), { columns, style, paint }),
    };
  });
  const [head = "", ...lines] = fittedTable(columns, cells, width - INDENT);
  return [
    head,
    ...lines.flatMap((line, i) => [
      line,
      ...(rows[i]?.causes ?? []).map((cause) =>
        style.faint(cutEnd(`      ${causeText(cause, diff, show)}`, width - INDENT)),
      ),
    ]),
  ];
}

/** Returns the verdict on a row. */
export function verdictText({ self, total }: DiffRow): string {
  if (self.verdict !== "same") return self.verdict;
  return total.verdict === "same" ? "~" : `${total.verdict} in total`;
}

/** Returns a line for the rows that are not shown, so that all add up. */
export function restText(rows: readonly DiffRow[], { diff, by }: DiffReport): string {
  const sum = (side: "before" | "after") => rows.reduce((all, { self }) => all + self[side], 0);
  const values = `${amount(sum("before"), diff)} to ${amount(sum("after"), diff)}`;
  return `… ${countedRows(rows.length, by, "more ")}: ${values}`;
}

function NUMBER(title: string): Column {
  return { title, align: "right" };
}
