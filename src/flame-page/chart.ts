import { upperBound } from "../profile/sorted.js";
import type { Graph } from "./graph.js";

/** The boxes to paint. Boxes of one depth do not overlap; the first box is the root and spans all. */
export interface Chart {
  readonly graph: Graph;
  readonly length: number;
  /** The node of the graph that a box shows. */
  readonly node: Int32Array;
  readonly depth: Int32Array;
  /** The left side, in ticks. */
  readonly start: Float64Array;
  /** The width, in ticks. */
  readonly ticks: Float64Array;
  /** The box of the caller; -1 for the root. */
  readonly parent: Int32Array;
  /** The boxes of each depth, from left to right. */
  readonly rows: readonly Int32Array[];
  /** The right sides of those boxes, in ticks. */
  readonly ends: readonly Float64Array[];
}

/** Returns the chart of a graph with the heaviest callees on the left. */
export function leftHeavyChart(graph: Graph): Chart {
  const node = new Int32Array(graph.length);
  for (let n = 0; n < node.length; n++) node[n] = n;
  const { depth, start, total, parent, length } = graph;
  return withRows({ graph, length, node, depth, start, ticks: total, parent });
}

/** Returns a chart of boxes that are sorted from left to right in each depth. */
export function withRows(boxes: Omit<Chart, "rows" | "ends">): Chart {
  const { length, depth, start, ticks } = boxes;
  let depths = 0;
  for (let box = 0; box < length; box++) depths = Math.max(depths, depth[box]! + 1);
  const counts = new Int32Array(depths);
  for (let box = 0; box < length; box++) counts[depth[box]!]!++;
  const rows = Array.from(counts, (count) => new Int32Array(count));
  const ends = Array.from(counts, (count) => new Float64Array(count));
  const filled = new Int32Array(depths);
  for (let box = 0; box < length; box++) {
    const at = depth[box]!;
    const slot = filled[at]!++;
    rows[at]![slot] = box;
    ends[at]![slot] = start[box]! + ticks[box]!;
  }
  return { ...boxes, rows, ends };
}

/** Returns the box at a depth and tick; -1 for none. `tick` counts from the left. */
export function boxAt(chart: Chart, depth: number, tick: number): number {
  const box = chart.rows[depth]?.[firstEndingAfter(chart, depth, tick)];
  return box !== undefined && chart.start[box]! <= tick ? box : -1;
}

/**
 * Returns the index, in the row of a depth, of the first box that ends right of `tick`; the row's length if
 * none does.
 */
export function firstEndingAfter({ ends }: Chart, depth: number, tick: number): number {
  return upperBound(ends[depth] ?? [], tick);
}

/** Like {@link firstEndingAfter} for the ends of a row, searching from `from`. Fast if the result is near. */
export function nextEndingAfter(ends: Float64Array, tick: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < ends.length && ends[low + step]! <= tick) {
    low += step;
    step *= 2;
  }
  return upperBound(ends, tick, low, Math.min(ends.length, low + step));
}

/** Returns the callers of a box and the box itself, the root first. */
export function pathOf({ parent }: Chart, box: number): number[] {
  const path: number[] = [];
  for (let at = box; at >= 0; at = parent[at]!) path.push(at);
  return path.reverse();
}

/** A direction from a box: to its caller, its first callee, or a neighbour of its depth. */
export type Direction = "caller" | "callee" | "left" | "right";

/** Returns the next box in a direction; the box itself if there is none. */
export function neighbour(chart: Chart, box: number, direction: Direction): number {
  const depth = chart.depth[box]!;
  if (direction === "caller") return Math.max(0, chart.parent[box]!);
  if (direction === "callee") {
    const row = chart.rows[depth + 1] ?? new Int32Array();
    const first = firstEndingAfter(chart, depth + 1, chart.start[box]!);
    // Over time, the heaviest callee need not be the first.
    let heaviest = -1;
    for (let i = first; i < row.length && chart.parent[row[i]!] === box; i++) {
      if (heaviest < 0 || chart.ticks[row[i]!]! > chart.ticks[heaviest]!) heaviest = row[i]!;
    }
    return heaviest < 0 ? box : heaviest;
  }
  const row = chart.rows[depth]!;
  const at = firstEndingAfter(chart, depth, chart.start[box]!);
  return row[at + (direction === "left" ? -1 : 1)] ?? box;
}

/**
 * Returns the box of a matching function after another box, or before it, around the ends; -1 for none. `matches`
 * has 1 for each function that matches, `from` is -1 to begin at an end.
 */
export function nextMatch(chart: Chart, matches: Uint8Array, from: number, isForward: boolean): number {
  const { length, graph, node } = chart;
  const step = isForward ? 1 : -1;
  const begin = from < 0 && !isForward ? length : from;
  for (let i = 1; i <= length; i++) {
    const box = (((begin + step * i) % length) + length) % length;
    if (matches[graph.function[node[box]!]!] === 1) return box;
  }
  return -1;
}

/** Returns the functions of a box and its callers, outermost first, without the root. */
export function functionsOf(chart: Chart, box: number): number[] {
  return pathOf(chart, box)
    .slice(1)
    .map((at) => chart.graph.function[chart.node[at]!]!);
}

/**
 * Returns the box that these functions lead to from the root, as far as they exist, through the widest box of
 * each.
 */
export function follow(chart: Chart, functions: readonly number[]): number {
  let at = 0;
  for (const [level, id] of functions.entries()) {
    let widest = -1;
    const row = chart.rows[level + 1] ?? new Int32Array();
    for (let i = firstEndingAfter(chart, level + 1, chart.start[at]!); i < row.length; i++) {
      const box = row[i]!;
      if (chart.parent[box] !== at) break;
      if (chart.graph.function[chart.node[box]!] !== id) continue;
      if (widest < 0 || chart.ticks[box]! > chart.ticks[widest]!) widest = box;
    }
    if (widest < 0) break;
    at = widest;
  }
  return at;
}
