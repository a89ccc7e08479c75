import { LONG_LINE } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { type LineOptions, type LineTicks, lineTicks } from "./line-ticks.js";
import type { SourceTexts } from "./source-texts.js";

/** One of the places in a line where it runs or calls. */
export interface LinePlace {
  /** From 1; undefined if the log does not tell. */
  readonly column: number | undefined;
  readonly self: Ticks;
  readonly total: Ticks;
}

/** Returns the places that tell what a line does, in their order. */
export type PlacesInLine = (line: LineTicks) => readonly LinePlace[];

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
