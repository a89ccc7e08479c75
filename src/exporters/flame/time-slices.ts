import { unsigned } from "../../flame-page/packed-column.js";
import type { PackedSlices } from "../../flame-page/page-data.js";
import { reaching } from "../../profile/columns.js";
import type { Profile } from "../../profile/profile.js";
import { soundTime, soundTimeline } from "../../profile/sound-numbers.js";
import { packColumn } from "./pack-column.js";

/** The limits of the slices, of the rows in all of them, and of their boxes in a chart over time. */
export interface SliceLimits {
  readonly slices: number;
  readonly rows: number;
  readonly boxes: number;
}

/** The nodes of samples in the tree of a page. */
export interface SampleNodes {
  /** By row of the samples: the node. */
  readonly node: Int32Array;
  /** By node: its caller; -1 for the root. */
  readonly parent: Int32Array;
  /** By node: the number of its callers. */
  readonly depth: Int32Array;
}

/** Slices that are made one after the other, in columns. A row has the ticks of one stack in one slice. */
class Slices {
  readonly #size: number;
  // By slice.
  readonly #thread: number[] = [];
  readonly #start: number[] = [];
  readonly #rows: number[] = [];
  // By row: the step from the node before, and the ticks.
  #steps = new Int32Array(64);
  #ticks = new Int32Array(64);
  #length = 0;
  #node = 0;

  /** `size` is the number of ticks in each slice but the last one of a thread. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Begins a slice, at a time since the first tick of its thread. */
  begin(thread: number, start: number): void {
    this.#thread.push(thread);
    this.#start.push(start);
  }

  /**
   * Ends a slice with ticks at these nodes, and sets their counts to 0. Its rows are in the order of the tree, so that stacks
   * with the same callers are adjacent.
   */
  end(counts: Int32Array, found: Int32Array): void {
    if (found.length === 0) return;
    found.sort();
    this.#rows.push(found.length);
    const end = this.#length + found.length;
    this.#steps = reaching(this.#steps, end);
    this.#ticks = reaching(this.#ticks, end);
    let before = this.#node;
    for (let i = 0; i < found.length; i++) {
      const node = found[i]!;
      this.#steps[this.#length + i] = unsigned(node - before);
      this.#ticks[this.#length + i] = counts[node]!;
      counts[node] = 0;
      before = node;
    }
    this.#node = before;
    this.#length = end;
  }

  pack(): PackedSlices {
    return {
      size: this.#size,
      thread: packColumn(this.#thread),
      start: packColumn(this.#start),
      rows: packColumn(this.#rows),
      node: packColumn(this.#steps.subarray(0, this.#length)),
      ticks: packColumn(this.#ticks.subarray(0, this.#length)),
    };
  }
}

/**
 * Cuts the ticks in their order into slices of equal numbers of ticks, and merges equal stacks within a
 * slice. Returns undefined without a timeline.
 */
export function timeSlices(
  { timeline: times, ...rest }: Profile,
  nodes: SampleNodes,
  limits: SliceLimits,
): PackedSlices | undefined {
  if (times === undefined) return undefined;
  const timeline = soundTimeline(times);
  const profile = { ...rest, timeline };
  let size = Math.max(1, Math.ceil(timeline.length / limits.slices));
  if (!hasRoomForTicks(profile, nodes, limits)) {
    // The coarsest cut is one slice per thread.
    while (size < timeline.length && !hasRoom(profile, nodes, size, limits)) size *= 2;
  }
  return cut(profile, nodes.node, size, nodes.parent.length).pack();
}

/** Returns whether there is room for all ticks apart, which takes less time to find out than what slices share. */
function hasRoomForTicks({ timeline }: Profile, { node, depth }: SampleNodes, limits: SliceLimits): boolean {
  if (timeline === undefined) return true;
  const { length, sample } = timeline;
  if (length > limits.rows) return false;
  let boxes = 0;
  for (let tick = 0; tick < length && boxes <= limits.boxes; tick++)
    boxes += depth[node[sample[tick]!]!]! + 1;
  return boxes <= limits.boxes;
}

/** Returns whether slices of a size are within the limits. */
function hasRoom(
  { timeline, samples }: Profile,
  { node: nodes, parent }: SampleNodes,
  size: number,
  limits: SliceLimits,
): boolean {
  if (timeline === undefined) return true;
  /** By node: the last slice with a stack that ends at it, and with a stack through it. */
  const [ends, passes] = [new Int32Array(parent.length), new Int32Array(parent.length)];
  const { length, sample: sampleOf } = timeline;
  let rows = 0;
  let boxes = 0;
  let slice = 0;
  let thread = -1;
  let left = 0;
  for (let tick = 0; tick < length; tick++) {
    const sample: number = sampleOf[tick]!;
    if (left === 0 || samples.thread[sample] !== thread) {
      slice++;
      left = size;
      thread = samples.thread[sample]!;
    }
    left--;
    const node = nodes[sample]!;
    if (ends[node] === slice) continue;
    ends[node] = slice;
    for (let at = node; at >= 0 && passes[at] !== slice; at = parent[at]!) {
      passes[at] = slice;
      boxes++;
    }
    if (++rows > limits.rows || boxes > limits.boxes) return false;
  }
  return true;
}

function cut({ timeline, samples }: Profile, nodes: Int32Array, size: number, nodeCount: number): Slices {
  const slices = new Slices(size);
  if (timeline === undefined) return slices;
  const { length, sample, timestamp } = timeline;
  /** By node: its ticks in the slice; and the nodes that have some. */
  const counts = new Int32Array(nodeCount);
  const found = new Int32Array(Math.min(size, nodeCount));
  let count = 0;
  let firstTime = 0;
  let from = 0;
  let last = -1;
  for (let tick = 0; tick < length; tick++) {
    const row = sample[tick]!;
    const thread = samples.thread[row]!;
    const isNew = tick === 0 || thread !== last;
    if (isNew || tick - from === size) {
      slices.end(counts, found.subarray(0, count));
      count = 0;
      const time = timestamp[tick]!;
      if (isNew) firstTime = time;
      // If several threads share a log file, time can go back.
      slices.begin(thread, soundTime(Math.max(0, Math.round(time - firstTime))));
      from = tick;
      last = thread;
    }
    const node = nodes[row]!;
    if (counts[node]!++ === 0) found[count++] = node;
  }
  slices.end(counts, found.subarray(0, count));
  return slices;
}
