import type { Ticks } from "../../profile/units.js";
import type { DeoptimizedFunction, DeoptRow, SuspectedFunction } from "../../views/deopts.js";
import { printable } from "../../views/label.js";
import { fittedTable } from "../layout/fitted-table.js";
import { waitedLines } from "../layout/left-out.js";
import { namedCell } from "../layout/named-cell.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, fits, padEnd, shownMiddle, widthOf } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import {
  cachesText,
  costByTierText,
  costLegend,
  costLine,
  type DeoptReport,
  kindsText,
  PositionNames,
  suspectLines,
  titleOf,
  whyNoneLines,
} from "./deopt-words.js";

/** The style and width of a text report. */
export interface DeoptLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

/** Yields deoptimizations for people. */
export function* deoptsText(report: DeoptReport, { style, width }: DeoptLayout): Iterable<string> {
  const { profile, view, limit } = report;
  yield style.heading(`${shownMiddle(profile.info.title, width - 1)}:`);
  yield titleOf(report);
  for (const note of waitedLines(profile.info)) yield* wrapped(note, width);
  if (view.rows.length === 0) {
    yield "";
    yield* whyNoneLines(view);
    const notes = suspectLines(report);
    if (notes.length > 0) yield "";
    for (const note of notes) yield* wrapped(note, width);
    if (view.suspects.length > 0) {
      yield* section(style, "Suspects", suspectTable(view.suspects, { limit, style, width: width - 2 }));
    }
    return;
  }
  yield costLine(report);
  const text = new DeoptText(report, { style, width: width - 2 });
  if (view.functions.length < view.rows.length) {
    yield* section(style, "Functions", text.functions(view.functions.slice(0, limit)));
  }
  yield* section(style, "Positions", text.rows(view.rows.slice(0, limit)));
  yield "";
  for (const line of costLegend(report)) yield style.faint(`  ${line}`);
}

function suspectTable(
  suspects: readonly SuspectedFunction[],
  { limit, style, width }: DeoptLayout & { readonly limit: number },
): string[] {
  const names = new PositionNames(suspects);
  const right = (title: string): Column => ({ title, align: "right" });
  const lines = fittedTable(
    [right("ticks"), right("optimized again"), { title: "function" }],
    suspects.slice(0, limit).map((one) => ({
      cells: [String(one.ticks), String(one.optimizedAgain)],
      last: (columns) => namedCell({ title: one.title, position: names.function(one) }, { columns, style }),
    })),
    width,
  );
  const more = suspects.length - limit;
  return more > 0 ? [...lines, style.faint(`… ${counted(more, "more function")}`)] : lines;
}

const FUNCTION_HEAD = ["cost", "share", "times", "positions", "left", "slower code"];
const ROW_HEAD = ["cost", "share", "times", "left", "slower code"];

/** Indents the second line of a row. */
const INDENT = " ".repeat(7);

class DeoptText {
  readonly #report: DeoptReport;
  readonly #layout: DeoptLayout;
  readonly #names: PositionNames;
  readonly #whole: Ticks;

  constructor(report: DeoptReport, layout: DeoptLayout) {
    this.#report = report;
    this.#layout = layout;
    this.#names = new PositionNames(report.view.rows);
    this.#whole = report.profile.info.ticks - report.profile.info.excluded;
  }

  functions(shown: readonly DeoptimizedFunction[]): string[] {
    const cells = shown.map((one) => [
      ...this.#numbers(one),
      String(one.rows),
      one.tiers.join(" "),
      costByTierText(one),
    ]);
    const widths = widthsOf([FUNCTION_HEAD, ...cells]);
    const lines = shown.map((one, i) => {
      const columns = row(cells[i]!, widths, 4);
      return this.#paint(one.cost, columns, this.#name(one, this.#layout.width - columns.length));
    });
    const rest = this.#report.view.functions.slice(shown.length);
    return [`${row(FUNCTION_HEAD, widths, 4)}function`, ...lines, ...this.#rest(rest, widths[0]!)];
  }

  rows(shown: readonly DeoptRow[]): string[] {
    const cells = shown.map((one) => [...this.#numbers(one), one.tiers.join(" "), costByTierText(one)]);
    const widths = widthsOf([ROW_HEAD, ...cells]);
    const lines = shown.flatMap((one, i) => this.#lines(one, row(cells[i]!, widths, 3)));
    const rest = this.#report.view.rows.slice(shown.length);
    return [`${row(ROW_HEAD, widths, 3)}function, where, reason`, ...lines, ...this.#rest(rest, widths[0]!)];
  }

  #lines(one: DeoptRow, columns: string): string[] {
    const free = this.#layout.width - INDENT.length;
    const at = this.#names.at(one).join(", inlined at ");
    const kinds = one.kinds.length === 0 ? "" : ` (${kindsText(one)})`;
    const why = `${printable(one.reason)}${kinds}${one.isLoop ? ", a bailout loop" : ""}`;
    const where = at === "" ? "" : `at ${at}: `;
    const isShort = fits(where + why, free);
    const below = isShort ? [where + why] : [cutMiddle(where.trim(), free), cutEnd(why, free)];
    return [
      this.#paint(one.cost, columns, this.#name(one, this.#layout.width - columns.length)),
      ...[...below, cutEnd(cachesText(this.#report, one), free)]
        .filter((line) => line !== "")
        .map((line) => INDENT + line),
    ];
  }

  #numbers({ cost, count }: Pick<DeoptRow, "cost" | "count">): string[] {
    return [String(cost), shareOf(cost, this.#whole), String(count)];
  }

  #name(one: Pick<DeoptRow, "function" | "title" | "position">, columns: number): string {
    const name = { title: one.title, position: this.#names.function(one) };
    return namedCell(name, { columns, style: this.#layout.style });
  }

  #paint(cost: Ticks, columns: string, rest: string): string {
    return emphasize(columns, { ticks: cost, whole: this.#whole }, this.#layout.style) + rest;
  }

  #rest(rows: readonly { readonly cost: Ticks }[], width: number): string[] {
    if (rows.length === 0) return [];
    const cost = rows.reduce((sum, one) => sum + one.cost, 0);
    return [this.#layout.style.faint(`${String(cost).padStart(width)}  in ${rows.length} more`)];
  }
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return rows[0]!.map((_, i) => rows.reduce((most, cells) => Math.max(most, widthOf(cells[i]!)), 0));
}

/** Joins cells, each followed by two spaces. The first `numbers` are right-aligned. */
function row(cells: readonly string[], widths: readonly number[], numbers: number): string {
  return cells
    .map((cell, i) => `${i < numbers ? cell.padStart(widths[i]!) : padEnd(cell, widths[i]!)}  `)
    .join("");
}
