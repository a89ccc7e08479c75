import type { Graph } from "./graph.js";

/** Boxes to paint. Those of one depth do not overlap; the first is the root and spans all. */
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
  /** … and their right sides, in ticks. */
  readonly ends: readonly Float64Array[];
}

/** The chart of a graph with the heaviest callees at the left. */
export function leftHeavyChart(graph: Graph): Chart {
  const node = new Int32Array(graph.length);
  for (let n = 0; n < node.length; n++) node[n] = n;
  const { depth, start, total, parent, length } = graph;
  return withRows({ graph, length, node, depth, start, ticks: total, parent });
}

/** A chart of boxes that are, in each depth, from left to right. */
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
    const place = filled[at]!++;
    rows[at]![place] = box;
    ends[at]![place] = start[box]! + ticks[box]!;
  }
  return { ...boxes, rows, ends };
}

/** The box at a place; -1 for none. `tick` is counted from the left. */
export function boxAt(chart: Chart, depth: number, tick: number): number {
  const box = chart.rows[depth]?.[firstEndingAfter(chart, depth, tick)];
  return box !== undefined && chart.start[box]! <= tick ? box : -1;
}

/** Where in the row of a depth the first box is that ends right of `tick`; the row's length for none. */
export function firstEndingAfter({ ends }: Chart, depth: number, tick: number): number {
  return bisect(ends[depth] ?? new Float64Array(), tick, 0, ends[depth]?.length ?? 0);
}

/** As {@link firstEndingAfter} for the ends of a row, searched from `from` on; quick where it is not far. */
export function nextEndingAfter(ends: Float64Array, tick: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < ends.length && ends[low + step]! <= tick) {
    low += step;
    step *= 2;
  }
  return bisect(ends, tick, low, Math.min(ends.length, low + step));
}

function bisect(ends: Float64Array, tick: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! > tick) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The callers of a box with itself, the root first. */
export function pathOf({ parent }: Chart, box: number): number[] {
  const path: number[] = [];
  for (let at = box; at >= 0; at = parent[at]!) path.push(at);
  return path.reverse();
}

/** Which way from a box to the next: to its caller, its first callee, or a neighbour of its depth. */
export type Direction = "caller" | "callee" | "left" | "right";

/** The box that is next in a direction; the box itself where there is none. */
export function neighbour(chart: Chart, box: number, direction: Direction): number {
  const depth = chart.depth[box]!;
  if (direction === "caller") return Math.max(0, chart.parent[box]!);
  if (direction === "callee") {
    const row = chart.rows[depth + 1] ?? new Int32Array();
    const first = firstEndingAfter(chart, depth + 1, chart.start[box]!);
    // Over time the heaviest callee is not the first one.
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

/** The functions of a box and its callers, the outermost first, without the root. */
export function functionsOf(chart: Chart, box: number): number[] {
  return pathOf(chart, box)
    .slice(1)
    .map((at) => chart.graph.function[chart.node[at]!]!);
}

/** The box to which these functions lead from the root: as far as they do, by the widest box of each. */
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
