import type { DiffRow } from "../../compare/diff-model.js";
import { codeCell, codeSpan, fenced, markdownTable } from "../layout/markdown.js";
import type { Column } from "../layout/table.js";
import { cutMiddle } from "../layout/width.js";
import { nextCommands } from "./after-diff.js";
import { causeText } from "./cause-text.js";
import {
  type DiffReport,
  foldedText,
  shownRowName,
  sideText,
  type ToldRows,
  tableTitle,
  toldRows,
  unmatchedNote,
  unsettledNote,
  waitedNote,
} from "./diff-report.js";
import { summaryOf } from "./diff-summary.js";
import { changedLines, numberColumns, restText, verdictText } from "./text.js";

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
  const told = toldRows(report);
  const isChanged = ({ verdict }: DiffRow) => !diff.hasVerdict || verdict !== "same";
  yield "";
  yield* table(told.rows.filter(isChanged), told, report);
  yield* sources(told.rows);
  const same = told.rows.filter((row) => !isChanged(row));
  if (same.length > 0) {
    yield "";
    yield `<details><summary>Without a change that can be told from chance</summary>`;
    yield "";
    yield* table(same, told, report);
    yield "";
    yield "</details>";
  }
  if (told.rest.length > 0) {
    yield "";
    yield restText(told.rest, report);
  }
  const next = nextCommands(report);
  if (next.length === 0) return;
  yield "";
  yield "Next:";
  yield "";
  yield* fenced(next.flatMap(({ command, why }) => [`# ${why}`, command]));
}

/** Yields the lines of functions whose source changed, as patches. */
function* sources(rows: readonly DiffRow[]): Iterable<string> {
  for (const { name, causes } of rows) {
    const lines = causes.flatMap(changedLines).map((line) => line.trimStart());
    if (lines.length === 0) continue;
    const { title, position } = shownRowName(name);
    yield "";
    yield `The source of ${codeSpan(title)}${position === "" ? "" : ` ${codeSpan(position)}`} changed:`;
    yield "";
    const [fence = "", ...rest] = fenced(lines);
    yield* [`${fence}diff`, ...rest];
  }
}

function* table(rows: readonly DiffRow[], { folded }: ToldRows, report: DiffReport): Iterable<string> {
  if (rows.length === 0) return;
  const { diff } = report;
  const { hasVerdict } = diff;
  const numbers = numberColumns(report);
  const columns: Column[] = [
    ...(hasVerdict ? [{ title: "verdict" }] : []),
    ...numbers.map(({ title }): Column => ({ title, align: "right" })),
    { title: tableTitle(report) },
  ];
  const show = (name: string) => codeCell(cutMiddle(name, NAME_COLUMNS));
  yield* markdownTable(
    columns,
    rows.map((row) => {
      const { title, position } = shownRowName(row.name);
      const shown = [codeCell(title), ...(position === "" ? [] : [codeCell(position)])].join(" ");
      const callers = folded.get(row.name.key) ?? [];
      const below = [
        ...row.causes.map((cause) => causeText(cause, diff, show)),
        ...(callers.length > 0 ? [foldedText(callers, show)] : []),
        ...[unsettledNote(row, diff)].filter((text) => text !== undefined),
      ];
      return [
        ...(hasVerdict ? [verdictText(row, diff)] : []),
        ...numbers.map(({ textOf }) => textOf(row).trimEnd()),
        [shown, ...below].join("<br>"),
      ];
    }),
  );
}
