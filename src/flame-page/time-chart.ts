import { reaching } from "../profile/columns.js";
import { type Chart, withRows } from "./chart.js";
import type { Model, Slices } from "./model.js";
import type { Shown } from "./shown-graph.js";

/** A place on the axis of a chart over time. */
export interface TimeMark {
  /** From the left, in ticks. */
  readonly tick: number;
  /** Since the first tick of the thread. */
  readonly micros: number;
  readonly thread: number;
}

/** A chart over time, with the time of each slice. */
export interface TimeChart {
  readonly chart: Chart;
  readonly marks: readonly TimeMark[];
}

/** The chart with the ticks from left to right as they came, one thread after the other. */
export function timeChart(
  { slices }: Model,
  { graph, place }: Shown,
  threads: readonly boolean[],
): TimeChart {
  const boxes = new BoxList(graph.length + 2 * (slices?.node.length ?? 0));
  const marks: TimeMark[] = [];
  const path: number[] = [];
  let tick = 0;
  for (let slice = 0; slice < (slices?.length ?? 0); slice++) {
    const { thread, firstRow, node, ticks, start } = slices as Slices;
    if (!threads[thread[slice]!]) continue;
    marks.push({ tick, micros: start[slice]!, thread: thread[slice]! });
    for (let row = firstRow[slice]!; row < firstRow[slice + 1]!; row++) {
      path.length = 0;
      for (let at = place[node[row]!]!; at >= 0; at = graph.parent[at]!) path.push(at);
      boxes.add(path.reverse(), tick, ticks[row]!);
      tick += ticks[row]!;
    }
  }
  if (tick === 0) boxes.add([0], 0, graph.total[0]!);
  const { length, node, depth, start, ticks, parent } = boxes;
  return { chart: withRows({ graph, length, node, depth, start, ticks, parent }), marks };
}

/** Boxes while they are put side by side: what stays the same from stack to stack grows. */
class BoxList {
  length = 0;
  node: Int32Array;
  depth: Int32Array;
  parent: Int32Array;
  start: Float64Array;
  ticks: Float64Array;
  /** The boxes of the last stack, the root first. */
  readonly #open: number[] = [];

  constructor(capacity: number) {
    this.node = new Int32Array(capacity);
    this.depth = new Int32Array(capacity);
    this.parent = new Int32Array(capacity);
    this.start = new Float64Array(capacity);
    this.ticks = new Float64Array(capacity);
  }

  /** Adds a stack, the root first, right of the last one. */
  add(stack: readonly number[], start: number, ticks: number): void {
    const open = this.#open;
    let same = 0;
    while (same < open.length && same < stack.length && this.node[open[same]!] === stack[same]) same++;
    open.length = same;
    for (const box of open) this.ticks[box]! += ticks;
    for (let depth = same; depth < stack.length; depth++)
      open.push(this.#append(stack[depth]!, depth, start, ticks));
  }

  #append(node: number, depth: number, start: number, ticks: number): number {
    const box = this.length++;
    if (box >= this.node.length) {
      this.node = reaching(this.node, box);
      this.depth = reaching(this.depth, box);
      this.parent = reaching(this.parent, box);
      this.start = reaching(this.start, box);
      this.ticks = reaching(this.ticks, box);
    }
    this.node[box] = node;
    this.depth[box] = depth;
    this.parent[box] = this.#open[depth - 1] ?? -1;
    this.start[box] = start;
    this.ticks[box] = ticks;
    return box;
  }
}
