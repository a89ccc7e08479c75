import { isReal } from "../../compare/causes.js";
import type { Cause, Diff, DiffRow } from "../../compare/diff-model.js";
import { printable } from "../../views/label.js";
import { type FittedRow, fittedTable } from "../layout/fitted-table.js";
import { namedCell } from "../layout/named-cell.js";
import { counted } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, widthOf } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import { nextCommands } from "./after-diff.js";
import { causeText } from "./cause-text.js";
import {
  amount,
  countedRows,
  type DiffReport,
  foldedText,
  interval,
  NOUNS,
  runChange,
  runInterval,
  runNumber,
  runNumbers,
  sharesText,
  shortReason,
  shownRowName,
  showsRuns,
  sideText,
  signed,
  tableTitle,
  toldRows,
  unmatchedNote,
  unsettledNote,
  waitedNote,
} from "./diff-report.js";
import { summaryOf } from "./diff-summary.js";

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
  const { diff } = report;
  const show = (name: string) => cutMiddle(printable(name), NAME_COLUMNS);
  yield style.heading(cutMiddle(`before: ${printable(sideText(report.before, diff.before))}`, width));
  yield style.heading(cutMiddle(`after:  ${printable(sideText(report.after, diff.after))}`, width));
  for (const note of waitedNote(report)) yield* wrapped(note, width);
  const [first = "", ...others] = summaryOf(report, show);
  const paint = diff.rows.some(({ self, total }) => isReal(self) || isReal(total)) ? style.hot : plain;
  yield "";
  for (const line of wrapped(first, width)) yield paint(line);
  for (const text of [...others, ...unmatchedNote(report)]) yield* wrapped(text, width);
  const { rows, folded, rest } = toldRows(report);
  const lines = rows.length === 0 ? [] : tableLines(rows, folded, { report, layout: { style, width } });
  const counted = rest.length === 0 ? [] : [style.faint(restText(rest, report))];
  yield* section(style, capitalized(tableTitle(report)), [...lines, ...counted]);
  const next = nextCommands(report).flatMap(({ command, why }) => [
    style.faint(cutEnd(`# ${why}`, width - INDENT)),
    command,
  ]);
  if (next.length > 0) yield* section(style, "Next", next);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A column of numbers. */
interface NumberColumn {
  readonly title: string;
  readonly textOf: (row: DiffRow) => string;
}

/** Returns the columns of numbers: what runs take with the share beside it, or the numbers of another scale. */
export function numberColumns({ diff, by }: DiffReport): NumberColumn[] {
  const { hasVerdict, perRun } = diff;
  const hasTotal = by !== "category";
  const mark = ({ total }: DiffRow) =>
    hasVerdict && total.verdict === "same" ? " ~" : hasVerdict ? "  " : "";
  if (showsRuns(diff)) {
    return [
      { title: "before", textOf: (row) => runNumber(row.perRun.self.before, perRun) },
      { title: "after", textOf: (row) => runNumber(row.perRun.self.after, perRun) },
      { title: "change", textOf: (row) => runChange(row.perRun.self, perRun) },
      { title: "95 %", textOf: (row) => runInterval(row.perRun.self, perRun) },
      { title: "share", textOf: ({ self }) => sharesText(self) },
      ...(hasTotal
        ? [{ title: "total", textOf: (row: DiffRow) => runNumbers(row.perRun.total, perRun) + mark(row) }]
        : []),
    ];
  }
  return [
    { title: "before", textOf: ({ self }) => amount(self.before, diff) },
    { title: "after", textOf: ({ self }) => amount(self.after, diff) },
    { title: "change", textOf: ({ self }) => signed(self.change, diff) },
    { title: "95 %", textOf: ({ self }) => interval(self, diff) },
    ...(hasTotal
      ? [
          { title: "total", textOf: ({ total }: DiffRow) => amount(total.after, diff) },
          { title: "change", textOf: (row: DiffRow) => signed(row.total.change, diff) + mark(row) },
        ]
      : []),
  ];
}

/** On a terminal names have at least this many columns, or these columns of numbers are left out, one after the other. */
const LEAST_NAME = 28;
const LEFT_OUT_FIRST = ["95 %", "total"];
/** The space between two columns. */
const GAP = 2;

/** Returns the columns of numbers that fit. */
function columnsWithin(
  columns: readonly NumberColumn[],
  rows: readonly DiffRow[],
  room: number,
): readonly NumberColumn[] {
  const widths = new Map(
    columns.map((column) => {
      const texts = [column.title, ...rows.map(column.textOf)];
      return [column, texts.reduce((most, text) => Math.max(most, widthOf(text)), 0) + GAP];
    }),
  );
  let kept = columns;
  for (const title of LEFT_OUT_FIRST) {
    if (kept.reduce((sum, column) => sum + widths.get(column)!, 0) <= room) break;
    kept = kept.filter((column) => column.title !== title);
  }
  return kept;
}

function tableLines(
  rows: readonly DiffRow[],
  folded: ReadonlyMap<string, readonly DiffRow[]>,
  { report, layout: { style, width } }: { readonly report: DiffReport; readonly layout: DiffLayout },
): string[] {
  const { diff, by } = report;
  const { hasVerdict } = diff;
  const beside = hasVerdict
    ? rows.reduce((most, row) => Math.max(most, widthOf(verdictText(row, diff))), 7) + GAP
    : 0;
  const numbers = columnsWithin(numberColumns(report), rows, width - INDENT - beside - LEAST_NAME);
  const columns: Column[] = [
    ...(hasVerdict ? [{ title: "verdict" }] : []),
    ...numbers.map(({ title }): Column => ({ title, align: "right" })),
    { title: NOUNS[by] },
  ];
  const show = (name: string) => cutMiddle(printable(name), NAME_COLUMNS);
  const cells = rows.map((row): FittedRow => {
    const { name, self, total } = row;
    const isSame = hasVerdict && row.verdict === "same";
    const paint = isSame
      ? style.faint
      : isReal(self) || (isReal(total) && row.part === "changed")
        ? style.hot
        : plain;
    return {
      cells: [
        ...(hasVerdict ? [verdictText(row, diff)] : []),
        ...numbers.map(({ textOf }) => textOf(row)),
      ].map(paint),
      last: (columns) => namedCell(shownRowName(name), { columns, style, paint }),
    };
  });
  const [head = "", ...lines] = fittedTable(columns, cells, width - INDENT);
  const below = (row: DiffRow): string[] => {
    const callers = folded.get(row.name.key) ?? [];
    const reason = unsettledNote(row, diff);
    return [
      ...row.causes.flatMap((cause) => [causeText(cause, diff, show), ...changedLines(cause)]),
      ...(callers.length > 0 ? [foldedText(callers, show)] : []),
      ...(reason === undefined ? [] : [reason]),
    ];
  };
  return [
    head,
    ...lines.flatMap((line, i) => [
      line,
      ...below(rows[i]!).map((text) => style.faint(cutEnd(`       ${text}`, width - INDENT))),
    ]),
  ];
}

function plain(text: string): string {
  return text;
}

/** Returns the lines of the source that changed, as in a patch. */
export function changedLines(cause: Cause): string[] {
  if (cause.kind !== "source") return [];
  const lines = cause.lines.map(({ side, text }) => `  ${side === "before" ? "-" : "+"} ${printable(text)}`);
  return cause.more === 0 ? lines : [...lines, `  … ${counted(cause.more, "more changed line")}`];
}

/** Returns the verdict on a row. */
export function verdictText(row: DiffRow, diff: Diff): string {
  const { self, total } = row;
  if (self.verdict !== "same") return self.verdict;
  if (total.verdict !== "same") return `${total.verdict} in total`;
  const reason = shortReason(row, diff);
  return reason === undefined ? "~" : `~ ${reason}`;
}

/** Returns a line for the rows that are not shown, so that all add up. */
export function restText(rows: readonly DiffRow[], { diff, by }: DiffReport): string {
  const sum = (side: "before" | "after") => rows.reduce((all, { self }) => all + self[side], 0);
  const values = `${amount(sum("before"), diff)} to ${amount(sum("after"), diff)}`;
  return `… ${countedRows(rows.length, by, "more ")}: ${values}`;
}
