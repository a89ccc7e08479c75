import type { Profile } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import type { FunctionNames } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import type { LineTicks } from "../../views/line-ticks.js";
import type { LinePlace, Listing, PlacesInLine } from "../../views/listing.js";
import type { ScriptLines, SourceTexts } from "../../views/source-texts.js";
import { filteredText, waitedLines } from "../layout/left-out.js";
import { listingLines, placeText, placeTitle } from "../layout/listing-lines.js";
import { inferredMark } from "../layout/named-cell.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { lineText, scriptsNote, textAround } from "../layout/source-line.js";
import type { Style } from "../layout/style.js";
import { table } from "../layout/table.js";
import { cutEnd, cutMiddle, endsOf, widthOf } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";

/** The ticks that lines are ranked by. */
export type LineOrder = "self" | "total";

/** What the reporters of lines show. */
export interface LinesReport {
  readonly profile: Profile;
  readonly order: LineOrder;
  /** Hottest first: the lines of all files, or of the one asked for. */
  readonly lines: readonly LineTicks[];
  /** The places in long lines. */
  readonly places: PlacesInLine;
  readonly sources: SourceTexts;
  readonly names: FunctionNames;
  /** The file asked for; undefined for all. */
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
  /** The number of lines to show. A single file is shown whole. */
  readonly limit: number;
}

/** The maximum widths of the position and the function name, as shares of the line. */
const POSITION_SHARE = 0.25;
const FUNCTION_SHARE = 0.18;

/** What the lines `12+` are. */
const IN_LOOPS =
  "12+ is somewhere in the loop at line 12: Maglev's code has lines for the first round of a loop only. Record with --no-maglev-loop-peeling to see the others.";

/** Yields lines for people. */
export function* linesText(report: LinesReport, layout: LinesLayout): Iterable<string> {
  const { profile, script } = report;
  const { style, width } = layout;
  const { info } = profile;
  const whole = info.ticks - info.excluded;
  yield style.heading(`${printable(info.title)}: ${counted(whole, "tick")}${filteredText(info)}`);
  for (const note of waitedLines(info)) yield* wrapped(note, width);
  yield "";
  if (script === undefined) {
    yield* hotLines(report, layout);
    return;
  }
  yield style.heading(
    `source of ${printable(script.file)}: ${counted(selfOf(report.lines), "tick")} in its lines`,
  );
  const scripts = scriptsNote([{ file: script.file, scripts: report.sources.scriptsOf(script.file) }]);
  if (scripts !== undefined) yield `${scripts}.`;
  if (script.origin === undefined)
    yield "No source text: it is neither in the log nor under a --source-root.";
  if (script.origin === "map")
    yield "The source text is from a source map on disk; it may have changed since.";
  if (script.origin === "disk") yield "The source text is from disk; it may have changed since.";
  yield* listingLines(script.listing, { style, width, whole });
}

/** Returns the sum of the self ticks. */
export function selfOf(lines: readonly LineTicks[]): Ticks {
  return lines.reduce((sum, { self }) => sum + self, 0);
}

/**
 * Yields the hottest lines, then the ticks of the others and those outside JS functions, so that all add up.
 */
function* hotLines(report: LinesReport, { style, width, limit }: LinesLayout): Iterable<string> {
  const { profile, lines } = report;
  const whole = profile.info.ticks - profile.info.excluded;
  const hot = lines.filter((line) => line[report.order] > 0);
  const shown = hot.slice(0, limit);
  const named = shown.flatMap((line) => [
    { weights: line, ...cellsOf(line, report, width) },
    ...placeCells(line, report),
  ]);
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
  const rows = named.map(({ weights, where, owner, source }) => {
    const paint = (cell: string) => emphasize(cell, { ticks: weights[report.order], whole }, style);
    const numbers = numbersOf(weights, report.order, whole);
    const names = [cutMiddle(where, positionWidth), cutEnd(owner, ownerWidth), cutEnd(source, sourceWidth)];
    return [...numbers, ...names].map(paint);
  });
  for (const [self, what] of restOf(report, shown)) {
    const numbers = numbersOf({ self, total: undefined }, report.order, whole);
    rows.push([...numbers, "", "", what].map((cell) => style.faint(cell)));
  }
  const align = "right" as const;
  yield* table(
    [
      ...numberTitles(report.order).map((title) => ({ title: title.padStart(ticksWidth), align })),
      { title: "where" },
      { title: "function" },
      { title: "source" },
    ],
    rows,
  );
  if (lacksText(shown, report.sources)) yield* wrapped(NO_TEXT, width).map((line) => style.faint(line));
  const scripts = severalScripts(shown, report);
  if (scripts !== undefined) yield* wrapped(scripts, width).map((line) => style.faint(line));
  if (shown.some(({ loop }) => loop !== undefined)) {
    yield* wrapped(IN_LOOPS, width).map((line) => style.faint(line));
  }
}

/** Of one row, as many places are shown, those with the most ticks. */
const MOST_PLACES = 5;

/** Returns the rows below that of a line: the places in it. */
export function placeCells(
  line: LineTicks,
  { places, sources }: Pick<LinesReport, "places" | "sources">,
): { weights: LinePlace; where: string; owner: string; source: string }[] {
  const found = places(line);
  if (found.length === 0) return [];
  const hottest = new Set(found.toSorted((a, b) => b.total - a.total).slice(0, MOST_PLACES));
  const text = sources.lineOf(line.file, line.line) ?? "";
  return found
    .filter((place) => hottest.has(place) || place.column === undefined)
    .map((place) => ({
      weights: place,
      where: placeTitle(place),
      owner: "",
      source: placeText(place, text),
    }));
}

/** What a row without a source is. */
export const NO_TEXT =
  "Without a source: the log and its source maps have no text of the line, and no --source-root has its file.";

/** Returns whether a known line has no source text. */
export function lacksText(lines: readonly LineTicks[], sources: SourceTexts): boolean {
  return lines.some(({ file, line, loop }) => {
    const first = loop ?? line;
    return file !== undefined && first > 0 && sources.lineOf(file, first) === undefined;
  });
}

/** Returns which of some lines are of several scripts, as a sentence; undefined if none is. */
export function severalScripts(
  lines: readonly LineTicks[],
  { names, sources }: Pick<LinesReport, "names" | "sources">,
): string | undefined {
  const note = scriptsNote(
    lines.map(({ file = "" }) => ({ file: names.file(file), scripts: sources.scriptsOf(file) })),
  );
  return note && `${note}.`;
}

/** Returns the self ticks of the lines that are not shown, and those outside JS functions. */
export function restOf(
  { profile, lines, order }: Pick<LinesReport, "profile" | "lines" | "order">,
  shown: readonly LineTicks[],
): [Ticks, string][] {
  const { ticks, excluded } = profile.info;
  const isShown = new Set(shown);
  const left = lines.filter((line) => line[order] > 0 && !isShown.has(line));
  const rest: [Ticks, string][] = [
    [selfOf(left), `… ${left.length} more`],
    [ticks - excluded - selfOf(lines), "outside JS functions"],
  ];
  return rest.filter(([self]) => self > 0);
}

/** Returns the titles of {@link numbersOf}. */
export function numberTitles(order: LineOrder): string[] {
  return order === "self" ? ["self", "share", "total"] : ["total", "share", "self"];
}

/** Returns a line's ticks: those it is ranked by, their share, and the others. */
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

/** Returns the width of a column, at most `limit`. */
function widest(cells: readonly string[], limit: number): number {
  const most = cells.reduce((width, cell) => Math.max(width, widthOf(cell)), 0);
  return Math.min(most, Math.floor(limit));
}

/** Returns a line's position, function and source text, safe to show and not much longer than `columns`. */
export function cellsOf(
  { file, line, loop, function: owner, total, inferred, isShared }: LineTicks,
  { names, sources }: Pick<LinesReport, "names" | "sources">,
  columns: number,
): { where: string; owner: string; source: string } {
  const { title, position } = names.function(owner);
  const show = (name: string) => printable(endsOf(name, columns));
  const first = loop ?? line;
  if (first === 0 || file === undefined) {
    return { where: show(position), owner: show(title), source: "(line unknown)" };
  }
  const found = sources.lineOf(file, first);
  // What the function begins with tells rows of one line apart, and is where a long line is worth reading.
  const begins = owner.line === first ? owner.column : undefined;
  const column = isShared && begins !== undefined ? `:${begins}` : "";
  const number = `${loop === undefined ? line : `${loop}+`}${column}`;
  return {
    where: `${show(`${names.file(file)}:${number}`)} ${inferredMark(inferred, total)}`.trimEnd(),
    owner: show(title),
    source: lineText(found === undefined ? undefined : textAround(found, begins ?? 1), loop),
  };
}
