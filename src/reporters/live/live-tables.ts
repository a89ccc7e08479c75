import {
  COMPILING,
  type LiveCategory,
  type LiveDeopt,
  type LiveRow,
  type LiveThread,
  type LiveView,
  RECENT_SECONDS,
} from "../../live/live-view.js";
import { PositionNames } from "../../reports/deopts.js";
import type { ShownName } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import { blocksOf } from "../layout/blocks.js";
import { type FittedRow, fittedTable } from "../layout/fitted-table.js";
import { namedCell } from "../layout/named-cell.js";
import { emphasize, shareOf } from "../layout/numbers.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle } from "../layout/width.js";
import { seconds, sortWords, ticksIn } from "./live-words.js";

/** Narrower pages leave columns out. */
const WIDE = 76;
const MEDIUM = 48;
const TINY = 30;
/** The least width of a name. */
const NAME_COLUMNS = 8;
const RECENT = `${RECENT_SECONDS} s`;

/** The tables of the page. Each has at most `room` lines, with its titles. */
export class LiveTables {
  readonly #view: LiveView;
  readonly #columns: number;
  readonly #style: Style;

  /** `columns` is the width of the page. */
  constructor(view: LiveView, { columns, style }: { readonly columns: number; readonly style: Style }) {
    this.#view = view;
    this.#columns = columns;
    this.#style = style;
  }

  /** Returns what the ticks were spent on. */
  categories(all: readonly LiveCategory[], room: number): string[] {
    const { ticks } = this.#view;
    const rows = all
      .filter((row) => row.recent > 0 || row.all > 0)
      .sort((a, b) => b.recent - a.recent || b.all - a.all)
      .slice(0, Math.max(0, room - 1));
    return this.#table(
      [NUMBER(RECENT), NUMBER("all"), { title: "what" }],
      rows.map(({ title, recent, all }) => {
        const paint = this.#painter(recent, ticks.recent);
        return {
          cells: [shareOf(recent, ticks.recent), shareOf(all, ticks.all)].map(paint),
          last: (columns) => paint(cutEnd(title, columns)),
        };
      }),
    );
  }

  /** Returns the threads, the busiest ones first. */
  threads(all: readonly LiveThread[], room: number): string[] {
    const numbered = all.map((thread, i) => ({ thread, number: i + 1 }));
    const rows = numbered
      .sort((a, b) => b.thread.ticks.recent - a.thread.ticks.recent || a.number - b.number)
      .slice(0, Math.max(0, room - 1));
    const whole = all.reduce((sum, thread) => sum + thread.ticks.recent, 0);
    const columns = [
      NUMBER("#"),
      NUMBER("ticks/s"),
      NUMBER(RECENT),
      NUMBER("GC"),
      NUMBER("compile"),
      NUMBER("all"),
    ];
    const isWide = this.#columns >= MEDIUM;
    return this.#table(
      [...columns.filter((_, i) => isWide || i < 3), { title: "thread" }],
      rows.map(({ thread, number }) => {
        const recent = thread.ticks.recent;
        const paint = this.#painter(recent, whole);
        const cells = [
          String(number),
          String(Math.round(thread.ticksPerSecond)),
          shareOf(recent, whole),
          shareOf(ticksIn(thread, ["gc"]), recent),
          shareOf(ticksIn(thread, COMPILING), recent),
          String(thread.ticks.all),
        ];
        const name = `${printable(thread.name)}${thread.isEnded ? " (ended)" : ""}`;
        return {
          cells: cells.filter((_, i) => isWide || i < 3).map(paint),
          last: (width) => paint(cutMiddle(name, width)),
        };
      }),
    );
  }

  /** Returns the functions. */
  functions(all: readonly LiveRow[], room: number): string[] {
    const { ticks, names, query } = this.#view;
    const isSelf = query.sort.endsWith("self");
    const isWide = this.#columns >= WIDE;
    const isMedium = this.#columns >= MEDIUM;
    const columns = [
      { column: NUMBER(`self ${RECENT}`), isShown: isMedium || isSelf },
      { column: NUMBER("all"), isShown: isMedium && (isWide || isSelf) },
      { column: NUMBER(`total ${RECENT}`), isShown: isMedium || !isSelf },
      { column: NUMBER("all"), isShown: isMedium && (isWide || !isSelf) },
      { column: { title: "trend" }, isShown: isWide },
    ];
    const filter = query.filter === "" ? "" : `, with ${printable(query.filter)}`;
    const title = `functions by ${sortWords(query.sort)}${filter}`;
    const rows = all.slice(0, Math.max(0, room - 1));
    const lines = this.#table(
      [...columns.filter(({ isShown }) => isShown).map(({ column }) => column), { title }],
      rows.map(({ function: found, tier, self, total, history, trend }) => {
        const [own, whole] = query.sort.startsWith("recent")
          ? [isSelf ? self.recent : total.recent, ticks.recent]
          : [isSelf ? self.all : total.all, ticks.all];
        const paint = this.#painter(own, whole);
        const peak = history.reduce((most, number) => Math.max(most, number), 1);
        const cells = [
          shareOf(self.recent, ticks.recent),
          shareOf(self.all, ticks.all),
          shareOf(total.recent, ticks.recent),
          shareOf(total.all, ticks.all),
          `${blocksOf(history, peak)} ${ARROWS[trend]}`,
        ];
        const { title: name, ...rest } = names.function(found);
        return {
          cells: cells.filter((_, i) => columns[i]!.isShown).map(paint),
          last: (width) => this.#name({ title: `${tier}${name}`, ...rest }, width, paint),
        };
      }),
    );
    return rows.length === 0 && query.filter !== "" ? [cutEnd(`no function${filter}`, this.#columns)] : lines;
  }

  /** Returns the latest deoptimizations, newest first. */
  deopts(all: readonly LiveDeopt[], room: number): string[] {
    const shown = room < 1 ? [] : all.slice(-room);
    if (shown.length === 0) return [];
    const names = new PositionNames(shown.map(({ row }) => row));
    return shown.reverse().map(({ time, row }) => {
      const [at = ""] = names.at(row);
      const where = [printable(names.function(row)), at].filter((part) => part !== "").join(" at ");
      const what = `${seconds(time)}  deopt ${row.tiers.join("")}${printable(row.title)}  ${where}  ${printable(row.reason)}`;
      return this.#style.faint(cutEnd(what, this.#columns));
    });
  }

  #table(columns: readonly Column[], rows: readonly FittedRow[]): string[] {
    const isTiny = this.#columns < TINY;
    const [titles, ...lines] = fittedTable(
      isTiny ? columns.slice(-1) : columns,
      isTiny ? rows.map(({ last }) => ({ cells: [], last })) : rows,
      this.#columns,
      Math.min(this.#columns, NAME_COLUMNS),
    );
    return [cutEnd(titles!, this.#columns), ...lines];
  }

  /** Returns a function's name in at most `columns` columns. */
  #name(name: ShownName, columns: number, paint: (text: string) => string): string {
    return columns < MEDIUM / 2
      ? paint(cutMiddle(printable(name.title), columns))
      : namedCell(name, { columns, style: this.#style, paint });
  }

  #painter(ticks: number, whole: number): (text: string) => string {
    return (text) => emphasize(text, { ticks, whole }, this.#style);
  }
}

const ARROWS: Readonly<Record<LiveRow["trend"], string>> = { rising: "▲", falling: "▼", steady: " " };

function NUMBER(title: string): Column {
  return { title, align: "right" };
}
