import type { Ticks } from "../../profile/units.js";
import type { BreakdownRow } from "../../views/breakdown.js";
import type { DeoptRow } from "../../views/deopts.js";
import type { HeavyStack } from "../../views/heavy-stacks.js";
import type { HotLine } from "../../views/hot-lines.js";
import { printable } from "../../views/label.js";
import type { PackageRow } from "../../views/package-ticks.js";
import type { TierTicks } from "../../views/tier-ticks.js";
import type { FunctionRow } from "../../views/top-functions.js";
import { PositionNames } from "../deopts/deopt-words.js";
import { type FittedRow, fittedTable } from "../layout/fitted-table.js";
import { namedCell } from "../layout/named-cell.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import { sourceLine } from "../layout/source-line.js";
import { stackLine } from "../layout/stack-line.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, widthOf } from "../layout/width.js";
import {
  emptyText,
  factsOf,
  lineTitle,
  nameInStack,
  nextCommand,
  packageTitle,
  restOf,
  shownName,
  type TopReport,
  warningText,
} from "./top-report.js";

/** The style and width of a text report. */
export interface TopLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

/** The indentation of a section's lines, in columns. */
const INDENT = 2;
/** The maximum width of a hot line's file and line number. */
const POSITION_COLUMNS = 28;
/** The maximum width of a deoptimized function and its position. */
const DEOPT_COLUMNS = 36;

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
    const { profile, top, limit, logs } = this.#report;
    const [ticks = "", ...facts] = factsOf(this.#report);
    yield this.#style.heading(cutMiddle(`${printable(profile.info.title)}: ${ticks}`, this.#width));
    if (facts.length > 0) yield cutEnd(facts.join(", "), this.#width);
    for (const warning of top.warnings) {
      for (const line of wrapped(warningText(warning, logs), this.#width)) yield this.#style.hot(line);
    }
    if (top.ticks === 0) {
      yield emptyText(this.#report);
      return;
    }
    const { bySelf, byTotal } = top.functions;
    yield* this.#section(
      "Where the ticks went",
      this.#breakdown(top.breakdown.filter((row) => row.ticks > 0)),
    );
    yield* this.#section(
      "Heaviest stacks, outermost first",
      this.#stacks(top.stacks.stacks, top.stacks.rest),
    );
    yield* this.#section("Functions by self", [
      ...this.#bySelf(bySelf.slice(0, limit)),
      ...this.#rest(bySelf, (row) => row.self, "function"),
    ]);
    yield* this.#section("Functions by total", this.#byTotal(byTotal.slice(0, limit)));
    if (top.lines.lines.length > 0) yield* this.#section("Hot lines, including calls", this.#hotLines());
    yield* this.#section("Packages", [
      ...this.#packages(top.packages.slice(0, limit)),
      ...this.#rest(top.packages, (row) => row.self, "package"),
    ]);
    if (top.deopts.length > 0) {
      yield* this.#section("Deoptimizations, by ticks in slower code until optimized again", [
        ...this.#deopts(top.deopts.slice(0, limit)),
        ...this.#rest(top.deopts, (row) => row.cost, "deoptimization"),
      ]);
    }
    const next = nextCommand(this.#report);
    if (next === undefined) return;
    yield "";
    yield `Next: ${next}`;
  }

  #section(title: string, lines: readonly string[]): Iterable<string> {
    return section(this.#style, title, lines);
  }

  #table(columns: readonly Column[], rows: readonly FittedRow[]): string[] {
    return fittedTable(columns, rows, this.#width - INDENT);
  }

  /** Returns a function that styles text by the share of these ticks. */
  #painter(ticks: Ticks): (text: string) => string {
    const whole = this.#report.top.ticks;
    return (text) => emphasize(text, { ticks, whole }, this.#style);
  }

  #share(ticks: Ticks): string {
    return shareOf(ticks, this.#report.top.ticks);
  }

  #breakdown(rows: readonly BreakdownRow[]): string[] {
    return this.#table(
      [NUMBER("ticks"), NUMBER("share"), { title: "what" }],
      rows.map(({ title, ticks, percent, tiers }) => {
        const paint = this.#painter(ticks);
        return {
          cells: [String(ticks), `${percent.toFixed(1)}%`].map(paint),
          last: (columns) => paint(cutEnd(`${title}  ${tierText(tiers)}`.trimEnd(), columns)),
        };
      }),
    );
  }

  #stacks(stacks: readonly HeavyStack[], rest: Ticks): string[] {
    const lines = this.#table(
      [NUMBER("ticks"), NUMBER("share"), { title: "stack" }],
      stacks.map(({ ticks, path }) => {
        const paint = this.#painter(ticks);
        return {
          cells: [String(ticks), this.#share(ticks)].map(paint),
          last: (columns) => {
            const names = path.map((callable) => nameInStack(this.#report, callable, columns));
            return paint(stackLine(names, columns));
          },
        };
      }),
    );
    return rest === 0 ? lines : [...lines, this.#style.faint(`… ${counted(rest, "tick")} in other stacks`)];
  }

  #bySelf(rows: readonly FunctionRow[]): string[] {
    return this.#table(
      [NUMBER("self"), NUMBER("share"), NUMBER("total"), { title: "tiers" }, { title: "function" }],
      rows.map((row) => {
        const cells = [String(row.self), this.#share(row.self), String(row.total), tierText(row.tiers)];
        return this.#functionRow(row, row.self, cells);
      }),
    );
  }

  #byTotal(rows: readonly FunctionRow[]): string[] {
    return this.#table(
      [NUMBER("total"), NUMBER("share"), NUMBER("self"), { title: "function" }],
      rows.map((row) => {
        return this.#functionRow(row, row.total, [
          String(row.total),
          this.#share(row.total),
          String(row.self),
        ]);
      }),
    );
  }

  #functionRow(row: FunctionRow, ticks: Ticks, cells: readonly string[]): FittedRow {
    const paint = this.#painter(ticks);
    const name = shownName(this.#report, row.function);
    return {
      cells: cells.map(paint),
      last: (columns) => namedCell(name, { columns, style: this.#style, paint }),
    };
  }

  #hotLines(): string[] {
    const { top, limit } = this.#report;
    const { lines, withoutLine, withoutProgram } = top.lines;
    const shown = this.#table(
      [NUMBER("ticks"), NUMBER("share"), NUMBER("self"), { title: "where" }, { title: "source" }],
      lines.slice(0, limit).map((line) => this.#hotLine(line)),
    );
    const notes = [
      ...(withoutLine > 0 ? [`${counted(withoutLine, "tick")} at unknown lines`] : []),
      ...(withoutProgram > 0 ? [`${counted(withoutProgram, "tick")} outside the program`] : []),
    ];
    return [
      ...shown,
      ...this.#rest(lines, ({ ticks }) => ticks, "line"),
      ...notes.map((note) => this.#style.faint(`… ${note}`)),
    ];
  }

  #hotLine(line: HotLine): FittedRow {
    const { ticks, self, text } = line;
    const paint = this.#painter(ticks);
    const where = cutMiddle(lineTitle(this.#report, line), POSITION_COLUMNS);
    return {
      cells: [...[String(ticks), this.#share(ticks), String(self)].map(paint), this.#style.faint(where)],
      last: (columns) => paint(cutEnd(sourceLine(text ?? ""), columns)),
    };
  }

  #packages(rows: readonly PackageRow[]): string[] {
    return this.#table(
      [NUMBER("self"), NUMBER("share"), NUMBER("total"), { title: "package" }],
      rows.map(({ origin, self, total }) => {
        const paint = this.#painter(self);
        return {
          cells: [String(self), this.#share(self), String(total)].map(paint),
          last: (columns) => paint(cutMiddle(packageTitle(origin), columns)),
        };
      }),
    );
  }

  #deopts(rows: readonly DeoptRow[]): string[] {
    const names = new PositionNames(rows);
    return this.#table(
      [NUMBER("ticks"), NUMBER("share"), NUMBER("times"), { title: "function" }, { title: "reason" }],
      rows.map((row) => {
        const paint = this.#painter(row.cost);
        const name = { title: row.title, position: names.function(row) };
        return {
          cells: [
            ...[String(row.cost), this.#share(row.cost), String(row.count)].map(paint),
            namedCell(name, { columns: DEOPT_COLUMNS, style: this.#style, paint }),
          ],
          last: (columns) => paint(cutEnd(printable(row.reason), columns)),
        };
      }),
    );
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

function NUMBER(title: string): Column {
  return { title, align: "right" };
}

/** Returns ticks by tier: `~12 ^3 +40 *510`; empty for code without tiers, such as stubs. */
export function tierText(tiers: readonly TierTicks[]): string {
  if (tiers.every(({ tier }) => tier === "")) return "";
  return tiers.map(({ tier, ticks }) => `${tier}${ticks}`).join(" ");
}

/** Wraps a text between words, at most `columns` wide. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
