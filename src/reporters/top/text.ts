import type { Ticks } from "../../profile/units.js";
import type { BreakdownRow } from "../../views/breakdown.js";
import type { ShareRange } from "../../views/confidence.js";
import type { DeoptRow } from "../../views/deopts.js";
import type { FunctionChain } from "../../views/function-chains.js";
import type { HeavyStack } from "../../views/heavy-stacks.js";
import type { HotLines } from "../../views/hot-lines.js";
import { printable } from "../../views/label.js";
import type { PackageRow } from "../../views/package-ticks.js";
import type { RankedThread } from "../../views/top.js";
import type { FunctionRow } from "../../views/top-functions.js";
import { type FittedRow, fittedTable } from "../layout/fitted-table.js";
import { waitedLines } from "../layout/left-out.js";
import { inferredMark, namedCell } from "../layout/named-cell.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, shownMiddle, widthOf } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import { hottestAlike, hottestCell } from "../threads/thread-grid.js";
import { deoptTable } from "./deopt-table.js";
import { lineTable } from "./line-table.js";
import { nextCommands } from "./next-commands.js";
import { tierText } from "./tier-text.js";
import {
  emptyText,
  factsOf,
  lineNotes,
  logsNote,
  marginOf,
  namedLogs,
  PACKAGE_LINES,
  packageTitle,
  restOf,
  shownName,
  stackText,
  type TopReport,
  warningText,
  YOUR_LINES,
} from "./top-report.js";

/** The style and width of a text report. */
export interface TopLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns; infinity in a file or a pipe, where no name is cut. */
  readonly width: number;
}

/** The share of the page that the names of threads may take. */
const THREAD_SHARE = 0.4;

/** The indentation of a section's lines, in columns. */
const INDENT = 2;

/** Yields the summary for people. */
export function* topText(report: TopReport, layout: TopLayout): Iterable<string> {
  yield* new TopText(report, layout).lines();
}

class TopText {
  readonly #report: TopReport;
  readonly #style: Style;
  readonly #width: number;

  constructor(report: TopReport, { style, width }: TopLayout) {
    this.#report = report;
    this.#style = style;
    this.#width = width;
  }

  *lines(): Iterable<string> {
    const { profile, top, limit } = this.#report;
    const logs = namedLogs(this.#report);
    const [ticks = "", ...facts] = factsOf(this.#report);
    yield this.#style.heading(cutMiddle(`${printable(profile.info.title)}: ${ticks}`, this.#width));
    if (facts.length > 0) {
      for (const line of wrapped(facts.join(", "), this.#width)) yield cutEnd(line, this.#width);
    }
    for (const note of waitedLines(profile.info)) yield* wrapped(note, this.#width);
    yield* logsNote(this.#report).flatMap((note) => wrapped(note, this.#width));
    for (const warning of top.warnings) {
      for (const line of wrapped(warningText(warning, logs), this.#width)) yield this.#style.hot(line);
    }
    if (top.ticks === 0) {
      yield emptyText(this.#report);
      return;
    }
    const { bySelf } = top.functions;
    if (top.app.lines.length > 0)
      yield* this.#section(YOUR_LINES, this.#lines(top.app, top.ranges.app, "your code"));
    yield* this.#section(
      "Where the ticks went",
      this.#breakdown(top.breakdown.filter((row) => row.ticks > 0)),
    );
    if (top.threads.length > 0) {
      yield* this.#section("Threads", [
        ...this.#threads(top.threads.slice(0, limit)),
        ...this.#rest(top.threads, (thread) => thread.ticks, "thread"),
      ]);
    }
    yield* this.#section("Packages, with the native code that they call", [
      ...this.#packages(top.packages.rows.slice(0, limit)),
      ...this.#rest(top.packages.rows, (row) => row.ticks, "package"),
    ]);
    yield* this.#section(
      "Heaviest stacks, outermost first",
      this.#stacks(top.stacks.stacks, top.stacks.rest),
    );
    yield* this.#section("Functions by total", this.#chains(top.chains.slice(0, limit)));
    yield* this.#section("Functions by self", [
      ...this.#bySelf(bySelf.slice(0, limit)),
      ...this.#rest(bySelf, (row) => row.self, "function"),
    ]);
    if (top.packageLines.lines.length > 0)
      yield* this.#section(
        PACKAGE_LINES,
        this.#lines(top.packageLines, top.ranges.packageLines, "the lines of packages"),
      );
    if (top.deopts.length > 0) {
      yield* this.#section("Deoptimizations, by ticks in slower code until optimized again", [
        ...this.#deopts(top.deopts.slice(0, limit)),
        ...this.#rest(top.deopts, (row) => row.cost, "deoptimization"),
      ]);
    }
    const next = nextCommands({ ...this.#report, logs }).flatMap(({ command, why }) => {
      return [this.#style.faint(cutEnd(`# ${why}`, this.#width - INDENT)), command];
    });
    if (next.length > 0) yield* this.#section("Next", next);
  }

  #section(title: string, lines: readonly string[]): Iterable<string> {
    return section(this.#style, title, lines);
  }

  /** Returns a table without the columns that are empty in all rows. */
  #table(columns: readonly Column[], rows: readonly FittedRow[]): string[] {
    const isShown = columns.map((_, i) => {
      return i === columns.length - 1 || rows.some(({ cells }) => widthOf(cells[i]!) > 0);
    });
    return fittedTable(
      columns.filter((_, i) => isShown[i]),
      rows.map(({ cells, last }) => ({ cells: cells.filter((_, i) => isShown[i]), last })),
      this.#width - INDENT,
    );
  }

  /** Returns a function that styles text by the share of these ticks. */
  #painter(ticks: Ticks): (text: string) => string {
    const whole = this.#report.top.ticks;
    return (text) => emphasize(text, { ticks, whole }, this.#style);
  }

  #share(ticks: Ticks): string {
    return shareOf(ticks, this.#report.top.ticks);
  }

  /** Returns a share and its margin, as two cells. */
  #shareCells(ticks: Ticks, range: ShareRange | undefined): [string, string] {
    return [this.#share(ticks), marginOf(ticks, this.#report.top.ticks, range)];
  }

  #breakdown(rows: readonly BreakdownRow[]): string[] {
    const { ticks: whole, ranges } = this.#report.top;
    return this.#table(
      [NUMBER("ticks"), NUMBER("share"), MARGIN, { title: "what" }],
      rows.map(({ title, ticks, percent, tiers }, i) => {
        const paint = this.#painter(ticks);
        const margin = marginOf(ticks, whole, ranges.breakdown[i]);
        return {
          cells: [String(ticks), `${percent.toFixed(1)}%`, margin].map(paint),
          last: (columns) => paint(cutEnd(`${title}  ${tierText(tiers)}`.trimEnd(), columns)),
        };
      }),
    );
  }

  #threads(threads: readonly RankedThread[]): string[] {
    const alike = hottestAlike(threads);
    return this.#table(
      [NUMBER("ticks"), NUMBER("share"), NUMBER("#"), { title: "thread" }, { title: "hottest function" }],
      threads.map((thread) => {
        const { ticks, number, name } = thread;
        const paint = this.#painter(ticks);
        const shown = shownMiddle(name, this.#width * THREAD_SHARE);
        return {
          cells: [String(ticks), this.#share(ticks), String(number), shown].map(paint),
          last: (columns) => paint(cutMiddle(hottestCell(thread, alike, printable), columns)),
        };
      }),
    );
  }

  #stacks(stacks: readonly HeavyStack[], rest: Ticks): string[] {
    const { ranges } = this.#report.top;
    const lines = this.#table(
      [NUMBER("ticks"), NUMBER("share"), MARGIN, { title: "stack" }],
      stacks.map(({ ticks, path }, i) => {
        const paint = this.#painter(ticks);
        return {
          cells: [String(ticks), ...this.#shareCells(ticks, ranges.stacks[i])].map(paint),
          last: (columns) => paint(stackText(this.#report, path, columns)),
        };
      }),
    );
    return rest === 0 ? lines : [...lines, this.#style.faint(`… ${counted(rest, "tick")} in other stacks`)];
  }

  #bySelf(rows: readonly FunctionRow[]): string[] {
    const { ranges } = this.#report.top;
    return this.#table(
      [NUMBER("self"), NUMBER("share"), MARGIN, NUMBER("total"), { title: "tiers" }, { title: "function" }],
      rows.map((row, i) => {
        const share = this.#shareCells(row.self, ranges.bySelf[i]?.self);
        return this.#functionRow(row, row.self, [
          String(row.self),
          ...share,
          String(row.total),
          tierText(row.tiers),
        ]);
      }),
    );
  }

  #chains(chains: readonly FunctionChain[]): string[] {
    const { ranges } = this.#report.top;
    const lines = this.#table(
      [NUMBER("total"), NUMBER("share"), MARGIN, NUMBER("self"), { title: "function" }],
      chains.map(({ rows, total, self }, i) => {
        const cells = [String(total), ...this.#shareCells(total, ranges.chains[i]), String(self)];
        if (rows.length === 1) return this.#functionRow(rows[0]!, total, cells);
        const paint = this.#painter(total);
        const path = rows.map((row) => ({ kind: "function" as const, function: row.function }));
        return {
          cells: cells.map(paint),
          last: (columns) => paint(stackText(this.#report, path, columns)),
        };
      }),
    );
    const hasChain = chains.some(({ rows }) => rows.length > 1);
    return hasChain ? [...lines, this.#style.faint(CHAIN_NOTE)] : lines;
  }

  #functionRow(row: FunctionRow, ticks: Ticks, cells: readonly string[]): FittedRow {
    const paint = this.#painter(ticks);
    return {
      cells: cells.map(paint),
      last: (columns) => {
        const name = shownName(this.#report, row.function, columns);
        const marks = ticks === row.total ? inferredMark(row.inferred, ticks) : "";
        return namedCell(name, { columns, style: this.#style, marks, paint });
      },
    };
  }

  #lines(hot: HotLines, ranges: readonly ShareRange[], whose: string): string[] {
    const { limit } = this.#report;
    const { columns, rows } = lineTable(this.#report, hot.lines.slice(0, limit), ranges, {
      width: this.#width,
      style: this.#style,
      painter: (ticks) => this.#painter(ticks),
    });
    const notes = [
      ...lineNotes(this.#report, hot),
      ...(hot.outside > 0 ? [`${counted(hot.outside, "tick")} outside ${whose}`] : []),
    ];
    return [
      ...this.#table(columns, rows),
      ...this.#rest(hot.lines, ({ ticks }) => ticks, "line"),
      ...notes
        .flatMap((note) => wrapped(`… ${note}`, this.#width - INDENT))
        .map((line) => this.#style.faint(line)),
    ];
  }

  #packages(rows: readonly PackageRow[]): string[] {
    const { ticks: whole, ranges } = this.#report.top;
    return this.#table(
      [
        NUMBER("ticks"),
        NUMBER("share"),
        MARGIN,
        NUMBER("self"),
        NUMBER("through native"),
        NUMBER("total"),
        { title: "package" },
      ],
      rows.map(({ origin, ticks, percent, self, throughNative, total }, i) => {
        const paint = this.#painter(ticks);
        const share = [`${percent.toFixed(1)}%`, marginOf(ticks, whole, ranges.packages[i]?.ticks)];
        return {
          cells: [String(ticks), ...share, String(self), String(throughNative), String(total)].map(paint),
          last: (columns) => paint(cutMiddle(packageTitle(origin), columns)),
        };
      }),
    );
  }

  #deopts(rows: readonly DeoptRow[]): string[] {
    const { ranges } = this.#report.top;
    const { columns, rows: cells } = deoptTable(rows, {
      width: this.#width,
      style: this.#style,
      painter: (ticks) => this.#painter(ticks),
      shareCells: (row, i) => this.#shareCells(row.cost, ranges.deopts[i]),
    });
    return this.#table(columns, cells);
  }

  /** Returns one line for the rows that are not shown, so that all add up. */
  #rest<Row>(rows: readonly Row[], ticksOf: (row: Row) => Ticks, noun: string): string[] {
    const { limit } = this.#report;
    if (rows.length <= limit) return [];
    const ticks = restOf(rows, limit, ticksOf);
    return [
      this.#style.faint(`… ${counted(ticks, "tick")} in ${counted(rows.length - limit, `more ${noun}`)}`),
    ];
  }
}

const CHAIN_NOTE = "→ joins functions that own the same ticks; ticks tree shows all of them";

/** How far a share may be off. */
const MARGIN: Column = { title: "±" };

function NUMBER(title: string): Column {
  return { title, align: "right" };
}
