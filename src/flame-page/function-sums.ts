import type { Graph } from "./graph.js";

/** Ticks by function, in columns. */
export interface FunctionSums {
  readonly self: Float64Array;
  /** Including callees; a recursive function counts once per stack. */
  readonly total: Float64Array;
}

/** Returns the ticks of each function of a graph; `length` is the number of functions. */
export function functionSums(
  graph: Pick<Graph, "length" | "depth" | "function" | "self" | "total">,
  length: number,
): FunctionSums {
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  const onPath = new Int32Array(length);
  const path: number[] = [];
  for (let node = 1; node < graph.length; node++) {
    while (path.length >= graph.depth[node]!) onPath[path.pop()!]!--;
    const id = graph.function[node]!;
    self[id]! += graph.self[node]!;
    if (onPath[id]!++ === 0) total[id]! += graph.total[node]!;
    path.push(id);
  }
  return { self, total };
}

/** Returns the ticks of each function before and after; undefined if the graph has no sides. */
export function sideSums(graph: Graph, length: number): readonly [FunctionSums, FunctionSums] | undefined {
  const { sides } = graph;
  if (sides === undefined) return undefined;
  const of = (side: 0 | 1) =>
    functionSums({ ...graph, self: sides.self[side], total: sides.total[side] }, length);
  return [of(0), of(1)];
}
