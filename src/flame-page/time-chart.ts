import { reaching } from "../base/columns.js";
import { type Chart, type Track, withRows } from "./chart.js";
import type { Graph, Shown } from "./graph.js";
import type { ThreadTimes, Times } from "./model.js";

/** What a chart over time shows. */
interface TimeChoice {
  /** By thread: whether it has a track. */
  readonly threads: readonly boolean[];
  /** The threads whose frames are shown. */
  readonly open: ReadonlySet<number>;
}

/**
 * Returns the chart with what each thread did, at its time: a track a thread, under one axis. Where a thread did nothing, there
 * is no box. Positions are microseconds since `times.from`.
 */
export function timeChart(times: Times, { graph, graphNode }: Shown, { threads, open }: TimeChoice): Chart {
  const shown = times.threads.flatMap((own, thread) =>
    threads[thread] && own.length > 0 ? [{ ...own, thread }] : [],
  );
  const boxes = new BoxList(graph);
  const tracks: Track[] = [];
  const hasRoot = shown.length !== 1;
  if (hasRoot) boxes.append(0, 0, 0, -1);
  let row = hasRoot ? 1 : 0;
  for (const one of shown) {
    const { thread, turns, marks, gc } = one;
    const strip = row++;
    const turnRow = turns.length + marks.length + gc.length > 0 ? row++ : -1;
    const isOpen = open.has(thread);
    const box = boxes.length;
    const from = times.from;
    boxes.append(0, row, hasRoot ? one.start[0]! - from : 0, hasRoot ? 0 : -1);
    row += isOpen ? addRows(boxes, one, { graphNode, from, box }) : 1;
    boxes.span[box] = hasRoot ? one.end[one.length - 1]! - one.start[0]! : times.to - from;
    tracks.push({ thread, box, strip, turns: turnRow, isOpen });
  }
  if (hasRoot) boxes.span[0] = shown.length === 0 ? graph.total[0]! : times.to - times.from;
  const { length, node, depth, start, span, parent } = boxes;
  return withRows({ graph, length, node, depth, start, span, parent, tracks }, row);
}

/** Adds the frames of a thread below its box. Returns how many rows it has, with that of the box. */
function addRows(
  boxes: BoxList,
  { length, start, end, node }: ThreadTimes,
  { graphNode, from, box }: { readonly graphNode: Int32Array; readonly from: number; readonly box: number },
): number {
  boxes.open(box);
  let last = start[0]!;
  for (let row = 0; row < length; row++) {
    if (start[row]! > last) boxes.close(1, last - from);
    if (end[row]! > start[row]!) boxes.add(graphNode[node[row]!]!, start[row]! - from);
    last = Math.max(last, end[row]!);
  }
  boxes.close(0, last - from);
  return boxes.deepest;
}

/** Collects boxes side by side. Boxes that consecutive stacks share stay open. */
class BoxList {
  length = 0;
  /** The most rows of a thread so far, since its box was opened. */
  deepest = 1;
  node = new Int32Array(1024);
  depth = new Int32Array(1024);
  parent = new Int32Array(1024);
  start = new Float64Array(1024);
  span = new Float64Array(1024);
  readonly #graph: Graph;
  /** The boxes of the last stack, that of the thread first. */
  readonly #open: number[] = [];
  /** By node of the graph: 1 if its box is open. */
  readonly #isOpen: Uint8Array;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#isOpen = new Uint8Array(graph.length);
  }

  /** Begins the stacks of a thread, below its box. */
  open(box: number): void {
    this.#open.push(box);
    this.#isOpen[0] = 1;
    this.deepest = 1;
  }

  /** Adds the stack of a node right of the last one. Only visits what the two do not share. */
  add(leaf: number, start: number): void {
    const added: number[] = [];
    let node = leaf;
    for (; this.#isOpen[node] === 0; node = this.#graph.parent[node]!) added.push(node);
    this.close(this.#graph.depth[node]! + 1, start);
    for (let i = added.length - 1; i >= 0; i--) {
      const caller = this.#open.at(-1)!;
      this.#open.push(this.append(added[i]!, this.depth[caller]! + 1, start, caller));
      this.#isOpen[added[i]!] = 1;
    }
    this.deepest = Math.max(this.deepest, this.#open.length);
  }

  /** Ends the boxes that are that many callers away from the thread's, or more. */
  close(depth: number, end: number): void {
    while (this.#open.length > depth) {
      const box = this.#open.pop()!;
      this.span[box] = end - this.start[box]!;
      this.#isOpen[this.node[box]!] = 0;
    }
  }

  append(node: number, depth: number, start: number, parent: number): number {
    const box = this.length++;
    if (box >= this.node.length) {
      this.node = reaching(this.node, box);
      this.depth = reaching(this.depth, box);
      this.parent = reaching(this.parent, box);
      this.start = reaching(this.start, box);
      this.span = reaching(this.span, box);
    }
    this.node[box] = node;
    this.depth[box] = depth;
    this.parent[box] = parent;
    this.start[box] = start;
    return box;
  }
}
