import { upperBound } from "../base/sorted.js";
import { type Graph, isMatch, type MatchedFrames } from "./graph.js";

/** What a thread has in a chart over time. */
export interface Track {
  readonly thread: number;
  /** The box of all that the thread did. */
  readonly box: number;
  /** The row with what it did by category; its turns are in the next one, if it has some. */
  readonly strip: number;
  /** The rows of turns and marks; -1 for none. */
  readonly turns: number;
  /** Whether its frames are shown. */
  readonly isOpen: boolean;
}

/**
 * The boxes to paint. Boxes of one row do not overlap; the first box is the root and spans all. Widths are in ticks, or over time
 * in microseconds.
 */
export interface Chart {
  readonly graph: Graph;
  readonly length: number;
  /** The node of the graph that a box shows. */
  readonly node: Int32Array;
  /** The row of a box. Callees are in the row after their caller's. */
  readonly depth: Int32Array;
  /** The left side. */
  readonly start: Float64Array;
  /** The width. */
  readonly span: Float64Array;
  /** The box of the caller; -1 for the root. */
  readonly parent: Int32Array;
  /** The boxes of each row, from left to right. */
  readonly rows: readonly Int32Array[];
  /** The right sides of those boxes. */
  readonly ends: readonly Float64Array[];
  /** Only over time: one a thread. */
  readonly tracks?: readonly Track[] | undefined;
}

/** Returns the chart of a graph with the heaviest callees on the left. */
export function leftHeavyChart(graph: Graph): Chart {
  const node = new Int32Array(graph.length);
  for (let n = 0; n < node.length; n++) node[n] = n;
  const { depth, start, total, parent, length } = graph;
  return withRows({ graph, length, node, depth, start, span: total, parent });
}

/** Returns the track that a row belongs to; undefined for none. */
export function trackOf({ tracks = [] }: Pick<Chart, "tracks">, row: number): Track | undefined {
  return tracks.findLast(({ strip }) => strip <= row);
}

/** Returns a chart of boxes that are sorted from left to right in each row, of which there are at least `least`. */
export function withRows(boxes: Omit<Chart, "rows" | "ends">, least = 0): Chart {
  const { length, depth, start, span } = boxes;
  let depths = least;
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
    ends[at]![slot] = start[box]! + span[box]!;
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
  const tracks = chart.tracks ?? [];
  const track = tracks.findIndex((one) => one.box === box);
  if (tracks.length > 1) {
    if (direction === "callee" && box === 0) return tracks[0]!.box;
    // Threads stand below each other.
    if (track >= 0 && direction !== "callee")
      return (tracks[track + (direction === "left" ? -1 : 1)] ?? tracks[track]!).box;
  }
  if (direction === "callee") {
    const row = chart.rows[depth + 1] ?? new Int32Array();
    const first = firstEndingAfter(chart, depth + 1, chart.start[box]!);
    // Over time, the heaviest callee need not be the first.
    let heaviest = -1;
    for (let i = first; i < row.length && chart.parent[row[i]!] === box; i++) {
      if (heaviest < 0 || chart.span[row[i]!]! > chart.span[heaviest]!) heaviest = row[i]!;
    }
    return heaviest < 0 ? box : heaviest;
  }
  const row = chart.rows[depth]!;
  const at = firstEndingAfter(chart, depth, chart.start[box]!);
  return row[at + (direction === "left" ? -1 : 1)] ?? box;
}

/**
 * Returns the box of a matching frame after another box, or before it, around the ends; -1 for none. `from` is
 * -1 to begin at an end.
 */
export function nextMatch(chart: Chart, matches: MatchedFrames, from: number, isForward: boolean): number {
  const { length, graph, node } = chart;
  const step = isForward ? 1 : -1;
  const begin = from < 0 && !isForward ? length : from;
  for (let i = 1; i <= length; i++) {
    const box = (((begin + step * i) % length) + length) % length;
    if (isMatch(matches, graph, node[box]!)) return box;
  }
  return -1;
}

/** A way from the root to a box, which can be found again in another chart. */
export interface BoxPath {
  /** The thread whose track it is in; -1 for none. */
  readonly thread: number;
  /** The functions of the box and its callers, outermost first. */
  readonly functions: readonly number[];
  /** Where the box begins over time; -1 if that does not matter. */
  readonly at: number;
}

export function wayTo(chart: Chart, box: number): BoxPath {
  const track = chart.tracks && trackOf(chart, chart.depth[box]!);
  const path = pathOf(chart, box).filter((at) => chart.node[at]! > 0);
  return {
    thread: track?.thread ?? -1,
    functions: path.map((at) => chart.graph.function[chart.node[at]!]!),
    at: track === undefined || path.length === 0 ? -1 : chart.start[box]!,
  };
}

/**
 * Returns the box that a way leads to, as far as it exists: over time the one at its time, else the widest of each function.
 */
export function follow(chart: Chart, way: BoxPath): number {
  const { tracks = [], depth } = chart;
  const track = tracks.find(({ thread }) => thread === way.thread);
  if (track !== undefined) return followFrom(chart, track.box, way);
  if (tracks.length === 0 || way.functions.length === 0) return followFrom(chart, 0, way);
  // In the thread where it goes on for longest.
  const ends = tracks.map(({ box }) => ({ box, end: followFrom(chart, box, way) }));
  const length = ({ box, end }: { readonly box: number; readonly end: number }) => depth[end]! - depth[box]!;
  return ends.reduce((best, one) => (length(one) > length(best) ? one : best)).end;
}

function followFrom(chart: Chart, from: number, { functions, at: time }: BoxPath): number {
  const { graph } = chart;
  let at = from;
  for (const id of functions) {
    const level = chart.depth[at]! + 1;
    let best = -1;
    const row = chart.rows[level] ?? new Int32Array();
    for (let i = firstEndingAfter(chart, level, chart.start[at]!); i < row.length; i++) {
      const box = row[i]!;
      if (chart.parent[box] !== at) break;
      if (graph.function[chart.node[box]!] !== id) continue;
      const isThere = time >= 0 && chart.start[box]! <= time && time < chart.start[box]! + chart.span[box]!;
      if (best < 0 || isThere || chart.span[box]! > chart.span[best]!) best = box;
      if (isThere) break;
    }
    if (best < 0) break;
    at = best;
  }
  return at;
}
