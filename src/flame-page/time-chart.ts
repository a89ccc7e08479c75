import { reaching } from "../profile/columns.js";
import { type Chart, withRows } from "./chart.js";
import type { Graph, Shown } from "./graph.js";
import type { Model, Slices } from "./model.js";

/** A point on the axis of a chart over time. */
export interface TimeMark {
  /** In ticks from the left. */
  readonly tick: number;
  /** Microseconds since the first tick of the thread. */
  readonly micros: number;
  readonly thread: number;
}

/** A chart over time, with the time of each slice. */
export interface TimeChart {
  readonly chart: Chart;
  readonly marks: readonly TimeMark[];
}

/** Returns the chart with the ticks in their order from left to right, one thread after the other. */
export function timeChart(
  { slices }: Model,
  { graph, graphNode }: Shown,
  threads: readonly boolean[],
): TimeChart {
  const boxes = new BoxList(graph, graph.length + 2 * (slices?.node.length ?? 0));
  const marks: TimeMark[] = [];
  let tick = 0;
  for (let slice = 0; slice < (slices?.length ?? 0); slice++) {
    const { thread, firstRow, node, ticks, start } = slices as Slices;
    if (!threads[thread[slice]!]) continue;
    marks.push({ tick, micros: start[slice]!, thread: thread[slice]! });
    for (let row = firstRow[slice]!; row < firstRow[slice + 1]!; row++) {
      boxes.add(graphNode[node[row]!]!, tick);
      tick += ticks[row]!;
    }
  }
  if (tick === 0) {
    boxes.add(0, 0);
    tick = graph.total[0]!;
  }
  boxes.close(0, tick);
  const { length, node, depth, start, ticks, parent } = boxes;
  return { chart: withRows({ graph, length, node, depth, start, ticks, parent }), marks };
}

/** Collects boxes side by side. Boxes that consecutive stacks share stay open. */
class BoxList {
  length = 0;
  node: Int32Array;
  depth: Int32Array;
  parent: Int32Array;
  start: Float64Array;
  ticks: Float64Array;
  readonly #graph: Graph;
  /** The boxes of the last stack, the root first. */
  readonly #open: number[] = [];
  /** By node of the graph: 1 if its box is open. */
  readonly #isOpen: Uint8Array;

  constructor(graph: Graph, capacity: number) {
    this.#graph = graph;
    this.#isOpen = new Uint8Array(graph.length);
    this.node = new Int32Array(capacity);
    this.depth = new Int32Array(capacity);
    this.parent = new Int32Array(capacity);
    this.start = new Float64Array(capacity);
    this.ticks = new Float64Array(capacity);
  }

  /** Adds the stack of a node right of the last one. Only visits what the two do not share. */
  add(leaf: number, start: number): void {
    const added: number[] = [];
    let node = leaf;
    for (; node >= 0 && this.#isOpen[node] === 0; node = this.#graph.parent[node]!) added.push(node);
    this.close(node < 0 ? 0 : this.#graph.depth[node]! + 1, start);
    for (const own of added.reverse()) this.#open.push(this.#append(own, start));
  }

  /** Ends the boxes at or below a depth at a tick. */
  close(depth: number, end: number): void {
    for (const box of this.#open.splice(depth)) {
      this.ticks[box] = end - this.start[box]!;
      this.#isOpen[this.node[box]!] = 0;
    }
  }

  #append(node: number, start: number): number {
    const box = this.length++;
    if (box >= this.node.length) {
      this.node = reaching(this.node, box);
      this.depth = reaching(this.depth, box);
      this.parent = reaching(this.parent, box);
      this.start = reaching(this.start, box);
      this.ticks = reaching(this.ticks, box);
    }
    this.node[box] = node;
    this.depth[box] = this.#open.length;
    this.parent[box] = this.#open.at(-1) ?? -1;
    this.start[box] = start;
    this.#isOpen[node] = 1;
    return box;
  }
}
