import { ROOT } from "../../profile/call-tree.js";
import { soundTicksOf } from "../../profile/moved-ticks.js";
import type { Profile } from "../../profile/profile.js";
import { gapLimit } from "../../profile/sampling.js";
import type { Micros } from "../../profile/units.js";
import { GROUP_ROWS } from "./pages.js";

/**
 * Frames of stacks in columns, up to the number of rows of a Parquet row group: what differs from frame to frame by row,
 * the rest by stack. A stack can begin in one group and end in the next.
 */
export class RowGroup {
  /** The number of rows. */
  length = 0;
  /** By row: the node of the frame, and the frame itself. */
  readonly node: Int32Array;
  readonly frame: Int32Array;
  readonly depth: Int32Array;
  /** The number of stacks. */
  stacks = 0;
  /** By stack: a row of the profile's samples. */
  readonly source: Int32Array;
  /** By stack: its number, unique in the file. */
  readonly number: Int32Array;
  /** By stack: the time of its first tick, in microseconds. Not used if stacks stand for all their ticks. */
  readonly time: Float64Array;
  readonly ticks: Float64Array;
  /** By stack: the row behind its last one. */
  readonly end: Int32Array;

  constructor(capacity: number) {
    this.node = new Int32Array(capacity);
    this.frame = new Int32Array(capacity);
    this.depth = new Int32Array(capacity);
    this.source = new Int32Array(capacity);
    this.number = new Int32Array(capacity);
    this.time = new Float64Array(capacity);
    this.ticks = new Float64Array(capacity);
    this.end = new Int32Array(capacity);
  }
}

/** Stacks of the table, each of all ticks of a sample, or of some ticks in a row. Only the first `length` count. */
interface TableStacks {
  length: number;
  readonly source: Int32Array;
  readonly time: Float64Array;
  readonly ticks: Float64Array;
}

/** Stacks are passed on as many at a time. */
const BATCH = 1000;

/**
 * Yields the rows of a profile's table group by group, reusing one object. `offsets` are added to the times of
 * each thread.
 */
export function* rowGroups(profile: Profile, offsets: readonly Micros[]): Iterable<RowGroup> {
  const { node: leaf } = profile.samples;
  const { parent, frame } = profile.tree;
  const rows = new RowGroup(GROUP_ROWS);
  let number = 0;
  for (const stacks of profile.timeline ? ticksInRow(profile, offsets) : stacksOf(profile)) {
    for (let i = 0; i < stacks.length; i++, number++) {
      let depth = 0;
      let node = leaf[stacks.source[i]!]!;
      while (node !== ROOT) {
        if (rows.length === GROUP_ROWS) {
          yield rows;
          rows.length = 0;
          rows.stacks = 0;
        }
        let row = rows.length;
        for (; node !== ROOT && row < GROUP_ROWS; node = parent[node]!, row++) {
          rows.node[row] = node;
          rows.frame[row] = frame[node]!;
          rows.depth[row] = depth++;
        }
        rows.length = row;
        const stack = rows.stacks++;
        rows.number[stack] = number;
        rows.source[stack] = stacks.source[i]!;
        rows.time[stack] = stacks.time[i]!;
        rows.ticks[stack] = stacks.ticks[i]!;
        rows.end[stack] = row;
      }
    }
  }
  if (rows.length > 0) yield rows;
}

function emptyStacks(): TableStacks {
  return {
    length: 0,
    source: new Int32Array(BATCH),
    time: new Float64Array(BATCH),
    ticks: new Float64Array(BATCH),
  };
}

function* stacksOf({ samples }: Profile): Iterable<TableStacks> {
  const stacks = emptyStacks();
  for (let start = 0; start < samples.length; start += BATCH) {
    stacks.length = Math.min(BATCH, samples.length - start);
    for (let i = 0; i < stacks.length; i++) {
      stacks.source[i] = start + i;
      stacks.ticks[i] = samples.ticks[start + i]!;
    }
    yield stacks;
  }
}

/** Yields the ticks in the order of the log, reusing one object. Ticks in a row with the same stack are one. */
function* ticksInRow(profile: Profile, offsets: readonly Micros[]): Iterable<TableStacks> {
  const { samples, info } = profile;
  const limits = info.threads.map((thread) => gapLimit(thread.sampling ?? info.sampling));
  const stacks = emptyStacks();
  let last = -1;
  let limit = 0;
  let before = 0;
  for (const { length, sample, timestamp } of soundTicksOf(profile.timeline!)) {
    for (let i = 0; i < length; i++) {
      const source = sample[i]!;
      const time = timestamp[i]!;
      const step = time - before;
      before = time;
      if (source === last && step >= 0 && step <= limit) {
        stacks.ticks[stacks.length - 1]!++;
        continue;
      }
      // Not before: the last one could go on.
      if (stacks.length === BATCH) {
        yield stacks;
        stacks.length = 0;
      }
      const thread = samples.thread[source]!;
      limit = limits[thread]!;
      last = source;
      stacks.source[stacks.length] = source;
      stacks.time[stacks.length] = time + (offsets[thread] ?? 0);
      stacks.ticks[stacks.length++] = 1;
    }
  }
  if (stacks.length > 0) yield stacks;
}
