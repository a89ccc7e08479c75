import type { ShareRange } from "../../views/confidence.js";
import type { HotLine } from "../../views/hot-lines.js";
import type { FittedRow } from "../layout/fitted-table.js";
import { shareOf } from "../layout/numbers.js";
import { lineText, textAround } from "../layout/source-line.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, padEnd, widthOf } from "../layout/width.js";
import { lineFunction, lineTitle, marginOf, type TopReport } from "./top-report.js";

export interface LineTableOptions {
  /** The width of the whole page. */
  readonly width: number;
  readonly style: Style;
  /** Returns how to show a row, by its ticks. */
  readonly painter: (ticks: number) => (text: string) => string;
}

/** The shares of the page that positions and names may take. */
const POSITION_SHARE = 0.35;
const NAME_SHARE = 0.15;
/** Functions are left out if they leave less than this for the source. */
const SOURCE_COLUMNS = 18;
/** The indentation of the table, and the space between two columns. */
const INDENT = 2;
const GAP = 2;
/** In a file or pipe, longer ones push the rest of their line, but are not cut. */
const LONGEST_PADDED = 60;

/** Returns the columns and rows of a table of lines with their ticks, functions and sources. */
export function lineTable(
  report: TopReport,
  lines: readonly HotLine[],
  ranges: readonly ShareRange[],
  { width, style, painter }: LineTableOptions,
): { readonly columns: readonly Column[]; readonly rows: readonly FittedRow[] } {
  const whole = report.top.ticks;
  const cut = (texts: readonly string[], title: string, share: number) => {
    const most = width === Number.POSITIVE_INFINITY ? width : Math.floor(width * share);
    const shown = texts.map((text) => cutMiddle(text, most));
    const widest = shown.reduce((most, text) => Math.max(most, widthOf(text)), widthOf(title));
    const columns = Math.min(widest, Math.max(LONGEST_PADDED, widthOf(title)));
    return { title: padEnd(title, columns), cells: shown.map((text) => padEnd(text, columns)) };
  };
  const where = cut(
    lines.map((line) => lineTitle(report, line)),
    "line",
    POSITION_SHARE,
  );
  const names = cut(
    lines.map((line) => lineFunction(report, line)),
    "function",
    NAME_SHARE,
  );
  const right = (title: string): Column => ({ title, align: "right" });
  const numbers = lines.map(({ ticks, self, total }, i) => [
    String(ticks),
    shareOf(ticks, whole),
    marginOf(ticks, whole, ranges[i]),
    String(self),
    String(total),
  ]);
  const widest = (column: number, title: string) =>
    numbers.reduce((most, cells) => Math.max(most, widthOf(cells[column]!)), widthOf(title)) + GAP;
  const before =
    INDENT + widest(0, "ticks") + widest(1, "share") + widest(2, "") + widest(3, "self") + widest(4, "total");
  const leads = [where.title, names.title].map((title) => widthOf(title) + GAP);
  const hasNames = width - before - leads[0]! - leads[1]! >= SOURCE_COLUMNS;
  const lead = (position: string, name: string) => (hasNames ? `${position}  ${name}` : position);
  return {
    columns: [
      right("ticks"),
      right("share"),
      { title: "±" },
      right("self"),
      right("total"),
      { title: `${lead(where.title, names.title)}  source` },
    ],
    rows: lines.map(({ ticks, text, line, loop, column }, i) => {
      const paint = painter(ticks);
      const used = widthOf(lead(where.cells[i]!, names.cells[i]!)) + GAP;
      return {
        cells: numbers[i]!.map(paint),
        last: (columns) => {
          const hasText = line > 0 || loop !== undefined;
          const source = hasText
            ? cutEnd(lineText(text && textAround(text, column ?? 1), loop), columns - used)
            : "(no line)";
          const shown = line === 0 ? style.faint(source) : paint(source);
          return `${lead(style.faint(where.cells[i]!), paint(names.cells[i]!))}  ${shown}`.trimEnd();
        },
      };
    }),
  };
}
