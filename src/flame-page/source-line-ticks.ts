import type { Model } from "./model.js";
import type { PageSource } from "./page-data.js";
import type { Shown } from "./shown-graph.js";

/** The ticks of one line of a script. */
export interface LineTicks {
  /** In code of the line itself. */
  self: number;
  /** Including callees; a recursive line counts once per stack. */
  total: number;
}

/**
 * Returns the ticks of the lines of a file by line number. Hidden frames count at their caller's line. `fileOf`
 * has the files of functions, and `lineOfFrame` what is counted of frames: their lines, or numbers from 1 for other places.
 */
export function lineTicks(
  model: Model,
  shown: Pick<Shown, "owner" | "self" | "total">,
  file: number,
  fileOf: Int32Array = model.functions.file,
  lineOfFrame: Int32Array = model.frames.line,
): Map<number, LineTicks> {
  const { nodes, frames } = model;
  const lines = new Map<number, LineTicks>();
  /** By node: its line in the file; 0 if it is elsewhere. */
  const lineOf = new Int32Array(nodes.length);
  const onPath = new Map<number, number>();
  const path: number[] = [];
  const depth = new Int32Array(nodes.length);
  for (let node = 1; node < nodes.length; node++) {
    depth[node] = depth[nodes.parent[node]!]! + 1;
    const frame = frames.function[nodes.frame[node]!]!;
    const line = fileOf[frame] === file ? lineOfFrame[nodes.frame[node]!]! : 0;
    lineOf[node] = shown.owner[node] === node ? line : 0;
    while (path.length >= depth[node]!) leave(onPath, path.pop()!);
    path.push(lineOf[node]!);
    if (shown.total[node] === 0) continue;
    const own = lineOf[shown.owner[node]!]!;
    if (own > 0) ticksOf(lines, own).self += shown.self[node]!;
    if (lineOf[node]! > 0) {
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
  const ticks = lineTicks(model, shown, file, functions.file, placeOfFrame);
  return places.map((_, i) => ticks.get(i + 1));
}

function leave(onPath: Map<number, number>, line: number): void {
  if (line > 0) onPath.set(line, (onPath.get(line) ?? 0) - 1);
}

function ticksOf(lines: Map<number, LineTicks>, line: number): LineTicks {
  let ticks = lines.get(line);
  if (ticks === undefined) {
    ticks = { self: 0, total: 0 };
    lines.set(line, ticks);
  }
  return ticks;
}
