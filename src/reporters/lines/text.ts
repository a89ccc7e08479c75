import type { Profile } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import type { FunctionNames } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import type { LineTicks } from "../../views/line-ticks.js";
import type { Listing } from "../../views/listing.js";
import type { ScriptLines, SourceTexts } from "../../views/source-texts.js";
import { listingLines } from "../layout/listing-lines.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { sourceLine } from "../layout/source-line.js";
import type { Style } from "../layout/style.js";
import { table } from "../layout/table.js";
import { cutEnd, cutMiddle, endsOf, widthOf } from "../layout/width.js";

/** What makes a line hot. */
export type LineOrder = "self" | "total";

/** What the reporters of lines show. */
export interface LinesReport {
  readonly profile: Profile;
  readonly order: LineOrder;
  /** Hottest first: of all files, or of the one that was asked for. */
  readonly lines: readonly LineTicks[];
  readonly sources: SourceTexts;
  readonly names: FunctionNames;
  /** The file that was asked for; undefined for all. */
  readonly script:
    | {
        readonly file: string;
        readonly listing: Listing;
        readonly origin: ScriptLines["origin"] | undefined;
      }
    | undefined;
}

export interface LinesLayout {
  readonly style: Style;
  readonly width: number;
  /** How many lines are shown; those of a file all are. */
  readonly limit: number;
}

/** Columns that the place of a line and the name of its function get at most, as shares of the width. */
const POSITION_SHARE = 0.25;
const FUNCTION_SHARE = 0.18;

/** Lines for people. */
export function* linesText(report: LinesReport, layout: LinesLayout): Iterable<string> {
  const { profile, script } = report;
  const { style, width } = layout;
  const { ticks, excluded, title } = profile.info;
  const whole = ticks - excluded;
  const left = excluded === 0 ? "" : ` (${excluded} more filtered out)`;
  yield style.heading(`${printable(title)}: ${counted(whole, "tick")}${left}`);
  yield "";
  if (script === undefined) {
    yield* hotLines(report, layout);
    return;
  }
  yield style.heading(`${printable(script.file)}: ${counted(selfOf(report.lines), "tick")} in its lines`);
  if (script.origin === undefined) yield "No text: the log has none, and no file of a --source-root.";
  if (script.origin === "map") yield "The text is from a source map on disk, as it is now.";
  if (script.origin === "disk") yield "The log has no text: this is the file as it is now.";
  yield* listingLines(script.listing, { style, width, whole });
}

/** The ticks of lines themselves. */
export function selfOf(lines: readonly LineTicks[]): Ticks {
  return lines.reduce((sum, { self }) => sum + self, 0);
}

/** The hottest lines; what is left out and what is in no line stands below, so that the ticks add up. */
function* hotLines(report: LinesReport, { style, width, limit }: LinesLayout): Iterable<string> {
  const { profile, lines } = report;
  const whole = profile.info.ticks - profile.info.excluded;
  const hot = lines.filter((line) => line[report.order] > 0);
  const shown = hot.slice(0, limit);
  const named = shown.map((line) => ({ line, ...cellsOf(line, report, width) }));
  const positionWidth = widest(
    named.map(({ where }) => where),
    width * POSITION_SHARE,
  );
  const ownerWidth = widest(
    named.map(({ owner }) => owner),
    width * FUNCTION_SHARE,
  );
  const ticksWidth = Math.max(5, String(whole).length);
  const sourceWidth = width - positionWidth - ownerWidth - 2 * ticksWidth - 6 - 10;
  const rows = named.map(({ line, where, owner, source }) => {
    const paint = (cell: string) => emphasize(cell, { ticks: line[report.order], whole }, style);
    const numbers = numbersOf(line, report.order, whole);
    const names = [cutMiddle(where, positionWidth), cutEnd(owner, ownerWidth), cutEnd(source, sourceWidth)];
    return [...numbers, ...names].map(paint);
  });
  for (const [self, what] of restOf(report, limit)) {
    const numbers = numbersOf({ self, total: undefined }, report.order, whole);
    rows.push([...numbers, "", "", what].map((cell) => style.faint(cell)));
  }
  const align = "right" as const;
  yield* table(
    [
      ...numberTitles(report.order).map((title) => ({ title: title.padStart(ticksWidth), align })),
      { title: "line" },
      { title: "function" },
      { title: "source" },
    ],
    rows,
  );
}

/** The self ticks of what a limit leaves out, and of what is in no line: with the lines shown they are all ticks. */
export function restOf(
  { profile, lines, order }: Pick<LinesReport, "profile" | "lines" | "order">,
  limit: number,
): [Ticks, string][] {
  const { ticks, excluded } = profile.info;
  const left = lines.filter((line) => line[order] > 0).slice(limit);
  const rest: [Ticks, string][] = [
    [selfOf(left), `… ${left.length} more`],
    [ticks - excluded - selfOf(lines), "in no JS function"],
  ];
  return rest.filter(([self]) => self > 0);
}

/** The titles of {@link numbersOf}. */
export function numberTitles(order: LineOrder): string[] {
  return order === "self" ? ["self", "share", "total"] : ["total", "share", "self"];
}

/** A line's ticks: first those that it is hot by, with their share, then the others. */
export function numbersOf(
  line: { readonly self: Ticks; readonly total: Ticks | undefined },
  order: LineOrder,
  whole: Ticks,
): string[] {
  const first = line[order];
  const other = order === "self" ? line.total : line.self;
  return [text(first), first === undefined ? "" : shareOf(first, whole), text(other)];
}

function text(ticks: Ticks | undefined): string {
  return ticks === undefined ? "" : String(ticks);
}

/** How wide a column has to be, at most so wide. */
function widest(cells: readonly string[], limit: number): number {
  const most = cells.reduce((width, cell) => Math.max(width, widthOf(cell)), 0);
  return Math.min(most, Math.floor(limit));
}

/** A line's place, its function and its text, as they may be shown in so many columns. */
export function cellsOf(
  { file, line, function: owner }: LineTicks,
  { names, sources }: Pick<LinesReport, "names" | "sources">,
  columns: number,
): { where: string; owner: string; source: string } {
  const { title, position } = names.function(owner);
  const show = (name: string) => printable(endsOf(name, columns));
  if (line === 0 || file === undefined) {
    return { where: show(position), owner: show(title), source: "(line unknown)" };
  }
  const found = sources.lineOf(file, line);
  return {
    where: show(`${names.file(file)}:${line}`),
    owner: show(title),
    source: found === undefined ? "" : sourceLine(found).trimStart(),
  };
}
