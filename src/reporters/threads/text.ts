import { printable } from "../../views/label.js";
import { threadTotals } from "../../views/thread-totals.js";
import { emphasize } from "../layout/numbers.js";
import { PLAIN } from "../layout/style.js";
import { type Column, table } from "../layout/table.js";
import { shownMiddle, widthOf } from "../layout/width.js";
import type { Reporter } from "../process/reporter.js";
import { PROCESS_COLUMNS, processRows, recordingTitle } from "./recordings.js";
import { gridOf, headingOf, sumOf } from "./thread-grid.js";

/** The width of a page where none is given. */
const WIDTH = 80;
const INDENT = "  ";
/** The minimum width of the hottest function. */
const LEAST = 16;

/**
 * Yields the threads of a profile for people: one table if that fits, else one of the threads and one of what
 * they did. Only a given width cuts names.
 */
export const threadsText: Reporter = {
  name: "text",
  title: "a table",
  *report(profile, { style = PLAIN, by, width, recordings = [] }) {
    const threads = threadTotals(profile);
    yield style.heading(headingOf(profile, { by, show: printable }));
    if (threads.length === 0) return;
    const { columns, rows } = gridOf(threads, { by, show: printable });
    const whole = sumOf(threads);
    for (const lines of tablesOf(columns, rows, width)) {
      yield "";
      for (const [i, line] of lines.entries()) {
        const ticks = i === 0 ? undefined : threads[i - 1]?.ticks;
        yield `${INDENT}${ticks === undefined ? line : emphasize(line, { ticks, whole }, style)}`;
      }
    }
    for (const recording of recordings) {
      yield "";
      yield style.heading(recordingTitle(recording, printable));
      const rows = processRows(recording, printable);
      if (rows.length === 0) continue;
      yield "";
      for (const line of table(PROCESS_COLUMNS, rows)) yield `${INDENT}${shownLine(line, width)}`;
    }
  },
};

/** Cuts what only a terminal has no room for. */
function shownLine(line: string, width: number | undefined): string {
  return width === undefined ? line : shownMiddle(line, width - INDENT.length);
}

type Rows = readonly (readonly string[])[];

function tablesOf(columns: readonly Column[], rows: Rows, width: number | undefined): string[][] {
  const room = (width ?? WIDTH) - INDENT.length;
  const all = table(columns, rows);
  if (widest(all) <= room) return [all];
  // Number, name, ticks, share and hottest function; then the number again, and the rest.
  const [names, work] = [
    [0, 1, 2, 3, columns.length - 1],
    [0, ...columns.keys()].filter((column, i) => i === 0 || (column > 3 && column < columns.length - 1)),
  ];
  const part = (some: readonly number[], cellsOf: Rows) =>
    table(
      some.map((column) => columns[column]!),
      cellsOf.map((cells) => some.map((column) => cells[column]!)),
    );
  const numbered = rows.map(([number = "", name = "", ...cells]) => [number || name, name, ...cells]);
  if (width === undefined) return [part(names, rows), part(work, numbered)];
  const used = widest(part(names.slice(0, -1), rows)) + 2;
  const cut = rows.map((cells) => [
    ...cells.slice(0, -1),
    shownMiddle(cells.at(-1)!, Math.max(LEAST, room - used)),
  ]);
  return [part(names, cut), part(work, numbered)];
}

function widest(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
}
