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

/** The lines of a script that have ticks. */
export interface LinesWithTicks {
  /** From 1, in any order. */
  readonly lines: readonly number[];
  /** The places in long lines, in any order; each can be there several times. Default: none. */
  readonly places?: readonly Omit<SourcePlace, "text">[] | undefined;
  /** The ticks of the script. If not all scripts fit, those with the most come first. */
  readonly ticks: number;
}

/** The excerpts of a page, and how many scripts did not fit. */
interface SourceExcerpts {
  readonly sources: readonly PageSource[];
  readonly leftOut: number;
}

/**
 * Returns the lines with ticks of scripts and the lines around them: scripts with the most ticks first, up to
 * `room` characters. `files` are the names by number.
 */
export function sourceExcerpts(
  sources: readonly SourceText[],
  files: readonly string[],
  byFile: ReadonlyMap<number, LinesWithTicks>,
  room: number,
): SourceExcerpts {
  const numbers = new Map(files.map((file, number) => [file, number]));
  const candidates = sources.flatMap((source) => {
    const { file, mapFile } = source;
    const number = numbers.get(file);
    const lines = number === undefined ? undefined : byFile.get(number);
    if (number === undefined || lines === undefined) return [];
    const ranges = excerpt(source, lines.lines);
    const places = placesIn(source, lines.places ?? []);
    return ranges.length === 0 ? [] : [{ file: number, ranges, places, mapFile, ticks: lines.ticks }];
  });
  candidates.sort((a, b) => b.ticks - a.ticks || a.file - b.file);
  const kept: PageSource[] = [];
  let left = room;
  for (const { file, ranges, places, mapFile } of candidates) {
    const lines = ranges.reduce((sum, range) => sum + range.lines.join("\n").length, 0);
    const size = places.reduce((sum, { text }) => sum + text.length, lines);
    if (size > left) continue;
    left -= size;
    kept.push({
      file,
      ranges,
      ...(places.length > 0 && { places }),
      ...(mapFile !== undefined && { mapFile: printable(mapFile) }),
    });
  }
  return { sources: kept, leftOut: candidates.length - kept.length };
}

function excerpt(source: SourceText, lines: readonly number[]): SourceRange[] {
  const { lineCount } = source;
  // Most of a long text has no ticks, and need not be split, or even be a text.
  const all = lineCount === undefined ? sourceLines(source.text) : [];
  return rangesAround(lines, lineCount ?? all.length).map(({ first, last }) => ({
    first,
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
