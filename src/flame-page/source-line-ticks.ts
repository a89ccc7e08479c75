import { groupBy, valueAt } from "../base/maps.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import type { Shown } from "./graph.js";
import type { Model } from "./model.js";
import type { PageSource } from "./page-data.js";

export interface LineTicks {
  /** In code of the line itself. */
  self: number;
  /** Including callees; a recursive line counts once per stack. */
  total: number;
}

/**
 * Returns the ticks of the lines of a file by line number; those of a function whose line is unknown by
 * {@link unknownLine}. Hidden frames count at their caller's line. `fileOf` has the files of functions.
 */
export function lineTicks(
  model: Model,
  shown: Pick<Shown, "owner" | "self" | "total">,
  file: number,
  fileOf: Float64Array = model.functions.file,
): Map<number, LineTicks> {
  const { frames } = model;
  return ticksByLine(model, shown, (frame) => {
    const id = frames.function[frame]!;
    return fileOf[id] === file ? frames.line[frame]! || unknownLine(id) : 0;
  });
}

/** Returns the ticks by what stands for the line of a frame; 0 for none. */
function ticksByLine(
  { nodes }: Model,
  { owner, self, total }: Pick<Shown, "owner" | "self" | "total">,
  lineOfFrame: (frame: number) => number,
): Map<number, LineTicks> {
  const numbers = new Map<number, number>();
  const sums: { readonly line: number; readonly ticks: LineTicks }[] = [];
  /** By node: the number of its line; -1 for none. */
  const lineOf = new Int32Array(nodes.length).fill(-1);
  for (let node = ROOT + 1; node < nodes.length; node++) {
    const line = owner[node] === node ? lineOfFrame(nodes.frame[node]!) : 0;
    if (line !== 0)
      lineOf[node] = valueAt(numbers, line, () => sums.push({ line, ticks: { self: 0, total: 0 } }) - 1);
    const own = sums[lineOf[owner[node]!]!];
    if (own !== undefined) own.ticks.self += self[node]!;
  }
  const groups = { count: sums.length, of: (node: number) => lineOf[node]! };
  visitOutermost(depthFirst(nodes), groups, (node, number) => {
    sums[number]!.ticks.total += total[node]!;
  });
  return new Map(sums.flatMap(({ line, ticks }) => (ticks.total > 0 ? [[line, ticks] as const] : [])));
}

/** Returns the ticks of each place in the long lines of a source; undefined for one without. */
export function placeTicks(
  model: Model,
  shown: Pick<Shown, "owner" | "self" | "total">,
  { after: file, places = [] }: PageSource,
): (LineTicks | undefined)[] {
  const { functions, frames } = model;
  const numbers = new Map(places.map(({ line, column }, i) => [`${line}:${column}`, i + 1]));
  const placeOfFrame = frames.column.map((column, i) =>
    column === 0 ? 0 : (numbers.get(`${frames.line[i]}:${column}`) ?? 0),
  );
  const ticks = ticksByLine(model, shown, (frame) =>
    functions.file[frames.function[frame]!] === file ? placeOfFrame[frame]! : 0,
  );
  return places.map((_, i) => ticks.get(i + 1));
}

/** Returns what stands for the unknown lines of a function among line numbers: a negative number. */
export function unknownLine(id: number): number {
  return -1 - id;
}

/** Returns the functions with ticks at unknown lines, by the lines where they begin. */
export function withUnknownLines(
  lines: Iterable<number>,
  beginOf: (id: number) => number,
): Map<number, number[]> {
  const ids = new Set(Array.from(lines, unknownLine).filter((id) => id >= 0));
  return groupBy(ids, beginOf);
}
