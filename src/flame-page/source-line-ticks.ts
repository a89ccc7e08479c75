import type { Shown } from "./graph.js";
import type { Model } from "./model.js";
import type { PageSource } from "./page-data.js";

/** The ticks of one line of a script. */
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
  fileOf: Int32Array = model.functions.file,
): Map<number, LineTicks> {
  const { frames } = model;
  return ticksByLine(model, shown, (frame) => {
    const id = frames.function[frame]!;
    return fileOf[id] === file ? frames.line[frame]! || unknownLine(id) : 0;
  });
}

/** Returns the ticks by what stands for the line of a frame; 0 for none. */
function ticksByLine(
  model: Model,
  shown: Pick<Shown, "owner" | "self" | "total">,
  lineOfFrame: (frame: number) => number,
): Map<number, LineTicks> {
  const { nodes } = model;
  const lines = new Map<number, LineTicks>();
  /** By node: its line, or what stands for it; 0 for none. */
  const lineOf = new Int32Array(nodes.length);
  const onPath = new Map<number, number>();
  const path: number[] = [];
  const depth = new Int32Array(nodes.length);
  for (let node = 1; node < nodes.length; node++) {
    depth[node] = depth[nodes.parent[node]!]! + 1;
    lineOf[node] = shown.owner[node] === node ? lineOfFrame(nodes.frame[node]!) : 0;
    while (path.length >= depth[node]!) leave(onPath, path.pop()!);
    path.push(lineOf[node]!);
    if (shown.total[node] === 0) continue;
    const own = lineOf[shown.owner[node]!]!;
    if (own !== 0) ticksOf(lines, own).self += shown.self[node]!;
    if (lineOf[node]! !== 0) {
      const times = onPath.get(lineOf[node]!) ?? 0;
      onPath.set(lineOf[node]!, times + 1);
      if (times === 0) ticksOf(lines, lineOf[node]!).total += shown.total[node]!;
    }
  }
  return lines;
}

/** Returns the ticks of each place in the long lines of a source; undefined for one without. */
export function placeTicks(
  model: Model,
  shown: Pick<Shown, "owner" | "self" | "total">,
  { file, places = [] }: PageSource,
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
  const found = new Map<number, number[]>();
  for (const id of new Set(Array.from(lines, unknownLine).filter((id) => id >= 0))) {
    const begin = beginOf(id);
    const own = found.get(begin);
    if (own === undefined) found.set(begin, [id]);
    else own.push(id);
  }
  return found;
}

function leave(onPath: Map<number, number>, line: number): void {
  if (line !== 0) onPath.set(line, (onPath.get(line) ?? 0) - 1);
}

function ticksOf(lines: Map<number, LineTicks>, line: number): LineTicks {
  let ticks = lines.get(line);
  if (ticks === undefined) {
    ticks = { self: 0, total: 0 };
    lines.set(line, ticks);
  }
  return ticks;
}
