import { LONG_LINE } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { type LineOptions, type LineTicks, lineTicks } from "./line-ticks.js";
import type { ScriptLines, SourceTexts } from "./source-texts.js";

/** One of the places in a line where it runs or calls. */
export interface LinePlace {
  /** From 1; undefined if the log does not tell. */
  readonly column: number | undefined;
  readonly self: Ticks;
  readonly total: Ticks;
}

/** Returns the places that tell what a line does, in their order. */
export type PlacesInLine = (line: LineTicks) => readonly LinePlace[];

/** A row of an annotated script: a line, a place in it, lines left out, or a function's ticks at unknown lines. */
export type ListingRow =
  | {
      readonly kind: "line";
      /** From 1. */
      readonly line: number;
      readonly self: Ticks;
      readonly total: Ticks;
      /** The part of `total` in which the log does not say the line, but what is known allows no other. */
      readonly inferred: Ticks;
      /** Undefined if there is no text, or the text ends before this line. */
      readonly text: string | undefined;
    }
  | (LinePlace & { readonly kind: "place"; readonly line: number; readonly text: string })
  | { readonly kind: "gap"; readonly lines: number }
  | {
      readonly kind: "unknown-line";
      /** The line where the function begins, or the loop that the line is in; 0 if unknown. */
      readonly line: number;
      readonly isInLoop: boolean;
      readonly function: LineTicks["function"];
      readonly self: Ticks;
      readonly total: Ticks;
    };

interface ListingOptions {
  /** Lines to show around those with ticks; `Infinity` for all. */
  readonly context: number;
  /** The line where a function begins, always shown; lines before it only with ticks. Default: none. */
  readonly from?: number | undefined;
  /** The places to show in lines. Default: none. */
  readonly places?: PlacesInLine | undefined;
  /** The last line to show without ticks. Default: the last one. */
  readonly to?: number | undefined;
}

/** A script, or one function of it, with the ticks of each line, in source order. */
export interface Listing {
  readonly rows: readonly ListingRow[];
  /** Whether a line with ticks is past the end of the text, which is then not the one that ran. */
  readonly isPastEnd: boolean;
}

/** Returns the lines with ticks and those near them; without a text, only the lines with ticks. */
export function listing(
  lines: readonly LineTicks[],
  script: ScriptLines | undefined,
  options: ListingOptions,
): Listing {
  const known = new Map(lines.filter(({ line }) => line > 0).map((ticks) => [ticks.line, ticks]));
  const unknown = unknownByStart(lines);
  const count = script?.lines.length ?? 0;
  const marked = [...known.keys(), ...unknown.keys()].filter((line) => line > 0);
  const context = script === undefined ? 0 : options.context;
  const bounds = { context, from: options.from ?? 1, to: Math.min(options.to ?? count, count) };
  const rows: ListingRow[] = [...(unknown.get(0) ?? [])];
  let last = bounds.from - 1;
  const shown = linesNear(marked, bounds);
  if (options.from !== undefined && options.from <= count) shown.add(options.from);
  for (const line of Array.from(shown).sort((a, b) => a - b)) {
    const ticks = known.get(line);
    const text = script?.lines[line - 1];
    if (script !== undefined && line > last + 1) rows.push(gap(last + 1, line - 1, script));
    last = line;
    if (text !== undefined || ticks !== undefined) {
      const { self = 0, total = 0, inferred = 0 } = ticks ?? {};
      rows.push({ kind: "line", line, self, total, inferred, text });
    }
    if (text !== undefined && ticks !== undefined)
      for (const place of options.places?.(ticks) ?? []) rows.push({ ...place, kind: "place", line, text });
    for (const row of unknown.get(line) ?? []) rows.push(row);
  }
  if (last < bounds.to) rows.push(gap(last + 1, bounds.to, script));
  return { rows, isPastEnd: script !== undefined && marked.some((line) => line > count) };
}

/** Returns what stands for lines without ticks: a line is no longer than what says that there is one. */
function gap(from: number, to: number, script: ScriptLines | undefined): ListingRow {
  const text = script?.lines[from - 1];
  if (from < to || text === undefined) return { kind: "gap", lines: to - from + 1 };
  return { kind: "line", line: from, self: 0, total: 0, inferred: 0, text };
}

/** Returns a script without some of its rows. Gaps count the lines that are left out. */
export function withoutRows({ rows, isPastEnd }: Listing, isLeftOut: (row: number) => boolean): Listing {
  const shown: ListingRow[] = [];
  for (const [i, row] of rows.entries()) {
    if (row.kind !== "gap" && !isLeftOut(i)) {
      shown.push(row);
      continue;
    }
    const lines = row.kind === "gap" ? row.lines : row.kind === "line" ? 1 : 0;
    const last = shown.at(-1);
    if (last?.kind === "gap") shown[shown.length - 1] = { kind: "gap", lines: last.lines + lines };
    else if (lines > 0) shown.push({ kind: "gap", lines });
  }
  return { rows: shown, isPastEnd };
}

/**
 * Returns the ticks at unknown lines, by the line where their loop or function begins; 0 if that is unknown
 * too.
 */
function unknownByStart(lines: readonly LineTicks[]): Map<number, ListingRow[]> {
  const byStart = new Map<number, ListingRow[]>();
  for (const { line, loop, function: owner, self, total } of lines) {
    if (line > 0) continue;
    const start = loop ?? owner.line ?? 0;
    const rows = byStart.get(start) ?? [];
    rows.push({
      kind: "unknown-line",
      line: start,
      isInLoop: loop !== undefined,
      function: owner,
      self,
      total,
    });
    byStart.set(start, rows);
  }
  return byStart;
}

/** {@link ListingOptions} with defaults filled in. */
interface Bounds {
  readonly context: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the marked lines and those near them. */
function linesNear(marked: readonly number[], bounds: Bounds): Set<number> {
  const { context, from, to } = bounds;
  const near = new Set(marked);
  const isAll = context === Number.POSITIVE_INFINITY;
  for (const line of isAll ? [from] : marked) {
    const end = Math.min(to, line + context);
    for (let other = Math.max(from, line - context); other <= end; other++) near.add(other);
  }
  return near;
}

/** In one line, as many places are told, those with the most ticks. */
const MOST_PLACES = 20;

/**
 * Returns what tells the places in a line: those of the calls in a line with several, and all of a long line, in their order. The
 * last one is for ticks at unknown places. A line has none if there is one, or if its frames have no columns.
 * The options are those that the lines were made with.
 */
export function placesInLines(profile: Profile, sources: SourceTexts, options: LineOptions): PlacesInLine {
  const groupOf = (line: LineTicks) => (options.byFunction ? line.function : line.file);
  type Group = ReturnType<typeof groupOf>;
  let known: Map<Group, Map<number, LineTicks[]>> | undefined;
  const find = () => {
    const groups = new Map<Group, Map<number, LineTicks[]>>();
    for (const place of lineTicks(profile, { ...options, byColumn: true })) {
      if (place.line === 0) continue;
      const group = valueAt(groups, groupOf(place), () => new Map<number, LineTicks[]>());
      const places = valueAt(group, place.line, () => []);
      places.push(place);
    }
    return groups;
  };
  return (line) => {
    known ??= find();
    const places = known.get(groupOf(line))?.get(line.line) ?? [];
    // Texts that nothing is told of are not read.
    if (places.every(({ column }) => column === undefined)) return [];
    const isLong = (sources.lineOf(line.file, line.line)?.length ?? 0) > LONG_LINE;
    return placesOf(places, isLong);
  };
}

function placesOf(places: readonly LineTicks[], isLong: boolean): readonly LinePlace[] {
  const order = ({ column }: LinePlace) => column ?? Number.POSITIVE_INFINITY;
  const found = places
    .map(({ column, self, total }) => ({ column, self, total }))
    .filter(({ column, self, total }) => column !== undefined && (isLong || total > self))
    .sort((a, b) => b.total - a.total || order(a) - order(b));
  const unknown = places.find(({ column }) => column === undefined);
  if (found.length < 2 && !(found.length > 0 && isLong && unknown !== undefined)) return [];
  const most = found.slice(0, MOST_PLACES).sort((a, b) => order(a) - order(b));
  if (unknown === undefined) return most;
  const { self, total } = unknown;
  return [...most, { column: undefined, self, total }];
}
