import { valueAt } from "../../base/maps.js";
import { printable } from "../../facts/label.js";
import type { PageSource, SourcePlace, SourceRange } from "../../flame-page/page-data.js";
import type { SourceText } from "../../profile/profile.js";
import { sourceLines } from "../../profile/source-lines.js";

/** The number of lines shown on each side of a line with ticks. */
const CONTEXT = 30;
/** Longer lines are cut: minified code is one line. */
const LINE_LENGTH = 400;
/** As much of a long line is shown for each place in it. */
const PLACE_LENGTH = 120;

export interface LinesWithTicks {
  /** From 1, in any order. */
  readonly lines: readonly number[];
  /** The places in long lines, in any order; each can be there several times. Default: none. */
  readonly places?: readonly Omit<SourcePlace, "text">[] | undefined;
  /** The ticks of the script. If not all scripts fit, those with the most come first. */
  readonly ticks: number;
}

/** The sources of a page, and how many scripts did not fit. */
interface SourceExcerpts {
  readonly sources: readonly PageSource[];
  readonly leftOut: number;
}

/** A script of a page, and what it has of its ticks. */
export interface WeightedSource {
  readonly source: PageSource;
  readonly weight: number;
}

/** Returns the sources that fit into `room` characters, those with the most ticks first. */
export function fittingSources(all: readonly WeightedSource[], room: number): SourceExcerpts {
  const sources: PageSource[] = [];
  let left = room;
  for (const { source } of all.toSorted((a, b) => b.weight - a.weight)) {
    const lines = source.ranges.flatMap((range) => range.lines);
    const texts = [...lines.flat(), ...(source.places ?? []).map(({ text }) => text)];
    const size = texts.reduce((sum, text) => sum + (text?.length ?? 0) + 1, 0);
    if (size > left) continue;
    left -= size;
    sources.push(source);
  }
  return { sources, leftOut: all.length - sources.length };
}

/**
 * Returns the lines with ticks of scripts and the lines around them, as many as have room. `files` are the names by number.
 */
export function sourceExcerpts(
  sources: readonly SourceText[],
  files: readonly string[],
  byFile: ReadonlyMap<number, LinesWithTicks>,
  room: number,
): SourceExcerpts {
  const numbers = new Map(files.map((file, number) => [file, number]));
  const found = sources.flatMap((text): WeightedSource[] => {
    const after = numbers.get(text.file);
    const lines = after === undefined ? undefined : byFile.get(after);
    if (after === undefined || lines === undefined) return [];
    const ranges = excerpt(text, lines.lines);
    const places = placesIn(text, lines.places ?? []);
    const source = { before: -1, after, ranges, ...(places.length > 0 && { places }), ...mapFileOf(text) };
    return ranges.length === 0 ? [] : [{ source, weight: lines.ticks }];
  });
  return fittingSources(found, room);
}

/** Returns what a page says of where a text is from. */
export function mapFileOf({ mapFile }: SourceText): Pick<PageSource, "mapFile"> {
  return mapFile === undefined ? {} : { mapFile: printable(mapFile) };
}

function excerpt(source: SourceText, lines: readonly number[]): SourceRange[] {
  const { lineCount } = source;
  // Most of a long text has no ticks, and need not be split, or even be a text.
  const all = lineCount === undefined ? sourceLines(source.text) : [];
  return rangesAround(lines, lineCount ?? all.length).map(({ first, last }) => ({
    before: 0,
    after: first,
    lines: (source.linesBetween?.(first, last) ?? all.slice(first - 1, last)).map(cutLine),
  }));
}

/** Returns the texts at places in a source, each once. */
function placesIn(source: SourceText, places: readonly Omit<SourcePlace, "text">[]): SourcePlace[] {
  if (places.length === 0) return [];
  const lines = new Map<number, string>();
  const all = source.line === undefined ? sourceLines(source.text) : [];
  const found = new Map<string, SourcePlace>();
  for (const { line, column } of places) {
    const whole = valueAt(lines, line, () => source.line?.(line) ?? all[line - 1] ?? "");
    const key = `${line}:${column}`;
    if (column > whole.length || found.has(key)) continue;
    found.set(key, { line, column, text: printable(whole.slice(column - 1, column - 1 + PLACE_LENGTH)) });
  }
  return Array.from(found.values()).sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Returns the ranges of the lines near some lines, of `length` ones. Lines are from 1. */
export function rangesAround(
  lines: readonly number[],
  length: number,
): readonly { readonly first: number; readonly last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    if (line < 1 || line > length) continue;
    const first = Math.max(1, line - CONTEXT);
    const last = Math.min(length, line + CONTEXT);
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else ranges.push({ first, last });
  }
  return ranges;
}

/** Returns a line of a source, cut if it is long. */
export function cutLine(line: string): string {
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line;
}
