import { ROOT } from "../../profile/call-tree.js";
import type { Profile } from "../../profile/profile.js";
import { gapLimit } from "../../profile/sampling.js";
import { soundTimeline } from "../../profile/sound-numbers.js";
import type { Micros } from "../../profile/units.js";

/** The rows held in memory at a time, which a reader can skip or process as a group. */
export const GROUP_ROWS = 100_000;

/** Frames of stacks in columns, up to the number of rows of a Parquet row group. */
export class RowGroup {
  length = 0;
  /** A row of the profile's samples. */
  readonly source: Int32Array;
  /** The number of the stack, unique in the file. */
  readonly stack: Int32Array;
  /** The node of the frame. */
  readonly node: Int32Array;
  readonly depth: Int32Array;
  /** The time of the stack's first tick, in microseconds. Not used if stacks stand for all their ticks. */
  readonly time: Float64Array;
  readonly ticks: Float64Array;

  constructor(capacity: number) {
    this.source = new Int32Array(capacity);
    this.stack = new Int32Array(capacity);
    this.node = new Int32Array(capacity);
    this.depth = new Int32Array(capacity);
    this.time = new Float64Array(capacity);
    this.ticks = new Float64Array(capacity);
  }
}

/** A stack of the table: of all ticks of a sample, or of some ticks in a row. */
interface TableStack {
  source: number;
  time: Micros;
  ticks: number;
}

/**
 * Yields the rows of a profile's table group by group, reusing one object. `offsets` are added to the times of
 * each thread.
 */
export function* rowGroups(profile: Profile, offsets: readonly Micros[]): Iterable<RowGroup> {
  const { tree, samples } = profile;
  const rows = new RowGroup(GROUP_ROWS);
  let number = 0;
  for (const { source, time, ticks } of profile.timeline ? ticksInRow(profile, offsets) : stacksOf(profile)) {
    let depth = 0;
    for (let node = samples.node[source]!; node !== ROOT; node = tree.parent[node]!) {
      if (rows.length === GROUP_ROWS) {
        yield rows;
        rows.length = 0;
      }
      const row = rows.length++;
      rows.source[row] = source;
      rows.stack[row] = number;
      rows.node[row] = node;
      rows.depth[row] = depth++;
      rows.time[row] = time;
      rows.ticks[row] = ticks;
    }
    number++;
  }
  if (rows.length > 0) yield rows;
}

function* stacksOf({ samples }: Profile): Iterable<TableStack> {
  const stack = { source: 0, time: 0, ticks: 0 };
  for (let i = 0; i < samples.length; i++) {
    stack.source = i;
    stack.ticks = samples.ticks[i]!;
    yield stack;
  }
}

/** Yields the ticks in the order of the log, reusing one object. Ticks in a row with the same stack are one. */
function* ticksInRow(profile: Profile, offsets: readonly Micros[]): Iterable<TableStack> {
  const { samples, info } = profile;
  const { length, sample, timestamp } = soundTimeline(profile.timeline!);
  const limits = info.threads.map((thread) => gapLimit(thread.sampling ?? info.sampling));
  const stack = { source: 0, time: 0, ticks: 0 };
  for (let start = 0, end = 0; start < length; start = end) {
    const source = sample[start]!;
    const thread = samples.thread[source]!;
    for (end = start + 1; end < length && sample[end] === source; end++) {
      const step = timestamp[end]! - timestamp[end - 1]!;
      if (!(step >= 0 && step <= limits[thread]!)) break;
    }
    stack.source = source;
    stack.time = timestamp[start]! + (offsets[thread] ?? 0);
    stack.ticks = end - start;
    yield stack;
  }
}
