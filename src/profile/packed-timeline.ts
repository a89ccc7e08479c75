import type { Micros } from "../base/units.js";
import { soundTime } from "./sound-numbers.js";
import { type TickColumns, type Timeline, TimelineBuilder } from "./timeline.js";

/** Bytes are allocated in pieces of this size: nothing is copied when a log is long. */
const CHUNK_BYTES = 1 << 17;
/** A tick takes at most 5 bytes for its sample, and 9 for its time. */
const TICK_BYTES = 14;
/** The most ticks in a batch. */
const BATCH = 1 << 12;
/** Steps of at most this size, forward or back, are stored as such. */
const LARGEST_STEP = 2 ** 28;

/** Some ticks in a row, packed. */
interface PackedChunk {
  readonly bytes: Uint8Array;
  readonly ticks: number;
}

/** Ticks of a log, as they were recorded. */
interface PackedTicks {
  readonly length: number;
  readonly chunks: readonly PackedChunk[];
  /** Set if the log has no times: when its first tick was, and how far ticks are apart. */
  readonly spacing: { readonly first: Micros; readonly interval: Micros } | undefined;
}

/** What stands for the sample of the tick before, for a new one, and for the sample 0. */
const [SAME, NEW, FIRST] = [0, 1, 2];

/**
 * Builds a {@link PackedTimeline}. A tick takes 2 to 5 bytes: its sample, and how much longer or shorter the step to it
 * is than the one before, both in groups of 7 bits. A time that is not near the one before is there in full.
 */
export class PackedTimelineBuilder {
  #length = 0;
  readonly #chunks: PackedChunk[] = [];
  #bytes = new Uint8Array(CHUNK_BYTES);
  #floats = new DataView(this.#bytes.buffer);
  #used = 0;
  /** The number of ticks before this chunk. */
  #before = 0;
  #sample = -1;
  /** The number of samples so far. */
  #samples = 0;
  #time = 0;
  #step = 0;
  #spacing: PackedTicks["spacing"];

  /** Spaces the ticks evenly: for logs without times. `first` is the time of the first tick. */
  space(first: Micros, interval: Micros): void {
    this.#spacing = { first, interval };
  }

  add(sample: number, timestamp: Micros): void {
    if (this.#used > CHUNK_BYTES - TICK_BYTES) this.#endChunk();
    const bytes = this.#bytes;
    let at = this.#used;
    let rest = sample === this.#sample ? SAME : sample === this.#samples ? NEW : sample + FIRST;
    if (sample >= this.#samples) this.#samples = sample + 1;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = rest | 0x80;
    bytes[at++] = rest;
    const step = timestamp - this.#time;
    // Not for other numbers: what is added to a time must give the next one exactly.
    const isShort = step === (step | 0) && Math.abs(step) < LARGEST_STEP && this.#time + step === timestamp;
    const longer = step - this.#step;
    rest = isShort ? 1 + (longer < 0 ? -2 * longer - 1 : 2 * longer) : 0;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = rest | 0x80;
    bytes[at++] = rest;
    if (!isShort) {
      this.#floats.setFloat64(at, timestamp);
      at += 8;
    }
    this.#step = isShort ? step : 0;
    this.#used = at;
    this.#sample = sample;
    this.#time = timestamp;
    this.#length++;
  }

  /** Returns the ticks. Call it after the last one. */
  finish(): Timeline {
    this.#endChunk();
    const ticks = { length: this.#length, chunks: this.#chunks, spacing: this.#spacing };
    return new PackedTimeline([{ ticks, rows: undefined, length: this.#length }]);
  }

  #endChunk(): void {
    this.#chunks.push({ bytes: this.#bytes.subarray(0, this.#used), ticks: this.#length - this.#before });
    this.#bytes = new Uint8Array(CHUNK_BYTES);
    this.#floats = new DataView(this.#bytes.buffer);
    this.#used = 0;
    this.#before = this.#length;
  }
}

/** The ticks of one log in a timeline. */
interface Part {
  readonly ticks: PackedTicks;
  /** By recorded sample: its row in the profile; -1 if its ticks are left out. Undefined if they are the same. */
  readonly rows: Int32Array | undefined;
  /** The number of ticks that are not left out. */
  readonly length: number;
}

/**
 * A timeline in less than half of the memory. The columns are made when they are asked for: loops over all ticks use
 * {@link PackedTimeline.batches}.
 */
export class PackedTimeline implements Timeline {
  readonly length: number;
  readonly #parts: readonly Part[];
  #columns: TickColumns | undefined;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  get sample(): Int32Array {
    return this.#unpacked().sample;
  }

  get timestamp(): Float64Array {
    return this.#unpacked().timestamp;
  }

  /** The ticks of each log as a timeline of their own. */
  get logs(): PackedTimeline[] {
    return this.#parts.map((part) => new PackedTimeline([part]));
  }

  /** Yields all ticks, some at a time. All batches are one reused object; none is empty. */
  *batches(): Iterable<TickColumns> {
    const batch = { length: 0, sample: new Int32Array(BATCH), timestamp: new Float64Array(BATCH) };
    for (const part of this.#parts) yield* unpack(part, batch);
  }

  /** Returns the timeline for renumbered samples, as `moveTicks` does. */
  moved(rows: Int32Array): PackedTimeline {
    const leavesOut = rows.includes(-1);
    return new PackedTimeline(
      this.#parts.map((part) => {
        const composed = part.rows?.map((row) => (row < 0 ? -1 : rows[row]!)) ?? rows;
        const moved = { ...part, rows: composed };
        return leavesOut ? { ...moved, length: keptTicks(moved) } : moved;
      }),
    );
  }

  /** Returns the ticks of both timelines. */
  followedBy(next: PackedTimeline): PackedTimeline {
    return new PackedTimeline([...this.#parts, ...next.#parts]);
  }

  #unpacked(): TickColumns {
    if (this.#columns !== undefined) return this.#columns;
    const sample = new Int32Array(this.length);
    const timestamp = new Float64Array(this.length);
    let at = 0;
    for (const batch of this.batches()) {
      sample.set(batch.sample.subarray(0, batch.length), at);
      timestamp.set(batch.timestamp.subarray(0, batch.length), at);
      at += batch.length;
    }
    this.#columns = { length: this.length, sample, timestamp };
    return this.#columns;
  }
}

function keptTicks(part: Part): number {
  let kept = 0;
  const batch = { length: 0, sample: new Int32Array(BATCH), timestamp: new Float64Array(BATCH) };
  for (const { length } of unpack(part, batch)) kept += length;
  return kept;
}

type Batch = { -readonly [K in keyof TickColumns]: TickColumns[K] };

/** Yields the ticks of a log that are not left out. */
function* unpack({ ticks: { chunks, spacing }, rows }: Part, batch: Batch): Iterable<TickColumns> {
  const state: UnpackState = { at: 0, sample: -1, samples: 0, time: 0, step: 0, index: 0 };
  for (const chunk of chunks) {
    state.at = 0;
    for (let left = chunk.ticks; left > 0; ) {
      const count = Math.min(left, BATCH);
      unpackBatch(chunk.bytes, count, state, batch);
      left -= count;
      if (spacing !== undefined) space(batch, spacing, state.index - count);
      if (rows !== undefined) keepRows(batch, rows);
      if (batch.length > 0) yield batch;
    }
  }
}

/** Where unpacking is: in a chunk, and at which tick of the log, with the values of the tick before. */
interface UnpackState {
  at: number;
  sample: number;
  samples: number;
  time: Micros;
  step: Micros;
  index: number;
}

function unpackBatch(bytes: Uint8Array, count: number, state: UnpackState, batch: Batch): void {
  const { sample: samples } = batch;
  const times = batch.timestamp;
  let { at, sample, samples: known, time, step } = state;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    if (value === NEW) sample = known;
    else if (value !== SAME) sample = value - FIRST;
    if (sample >= known) known = sample + 1;
    byte = bytes[at++]!;
    value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    if (value === 0) {
      time = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(at);
      at += 8;
      step = 0;
    } else {
      const longer = value - 1;
      step += (longer & 1) === 0 ? longer / 2 : -(longer + 1) / 2;
      time += step;
    }
    samples[i] = sample;
    times[i] = time;
  }
  state.at = at;
  state.sample = sample;
  state.samples = known;
  state.time = time;
  state.step = step;
  state.index += count;
  batch.length = count;
}

function space(
  { length, timestamp }: TickColumns,
  { first, interval }: { readonly first: Micros; readonly interval: Micros },
  index: number,
): void {
  for (let i = 0; i < length; i++) timestamp[i] = first + (index + i) * interval;
}

/** Numbers the samples of a batch anew, and leaves out the ticks of those without a number. */
function keepRows(batch: Batch, rows: Int32Array): void {
  const { length, sample, timestamp } = batch;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const row = rows[sample[i]!]!;
    if (row < 0) continue;
    sample[kept] = row;
    timestamp[kept++] = timestamp[i]!;
  }
  batch.length = kept;
}

/**
 * Returns the timeline for renumbered samples: `rows` maps old rows to new ones, -1 for a removed sample, whose
 * ticks are left out. The times are shared if no tick is left out. Do not change `rows` afterwards.
 */
export function moveTicks(timeline: Timeline, rows: Int32Array): Timeline {
  if (timeline instanceof PackedTimeline) return timeline.moved(rows);
  const { length, sample, timestamp, ticks } = timeline;
  const moved = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const row = rows[sample[i]!]!;
    if (row >= 0) moved[kept++] = row;
  }
  if (kept === length) return { length, sample: moved, timestamp, ticks };
  const keptOf = (column: Float64Array) => {
    const left = new Float64Array(kept);
    for (let i = 0, to = 0; i < length; i++) if (rows[sample[i]!]! >= 0) left[to++] = column[i]!;
    return left;
  };
  return {
    length: kept,
    sample: moved.subarray(0, kept),
    timestamp: keptOf(timestamp),
    ticks: ticks && keptOf(ticks),
  };
}

/** Joins timelines one after the other. */
export class TimelineJoiner {
  /** The ticks so far. Those of a single timeline stay where they are. */
  timeline: Timeline | undefined;
  #copy: TimelineBuilder | undefined;

  add(next: Timeline): void {
    const { timeline } = this;
    if (timeline === undefined) this.timeline = next;
    else if (timeline instanceof PackedTimeline && next instanceof PackedTimeline) {
      this.timeline = timeline.followedBy(next);
    } else {
      this.#copy ??= copied(new TimelineBuilder(), timeline);
      this.timeline = copied(this.#copy, next);
    }
  }
}

function copied(builder: TimelineBuilder, timeline: Timeline): TimelineBuilder {
  for (const { length, sample, timestamp, ticks } of ticksOf(timeline)) {
    for (let i = 0; i < length; i++) builder.add(sample[i]!, timestamp[i]!, ticks?.[i]);
  }
  return builder;
}

/** Yields all ticks of a timeline, some at a time. A batch is valid until the next one; none is empty. */
export function* ticksOf(timeline: Timeline): Iterable<TickColumns> {
  if (timeline instanceof PackedTimeline) {
    yield* timeline.batches();
    return;
  }
  const { length, sample, timestamp, ticks } = timeline;
  for (let start = 0; start < length; start += BATCH) {
    const end = Math.min(length, start + BATCH);
    yield {
      length: end - start,
      sample: sample.subarray(start, end),
      timestamp: timestamp.subarray(start, end),
      ticks: ticks?.subarray(start, end),
    };
  }
}

/** Yields the same ticks with sound times: see {@link soundTime}. */
export function* soundTicksOf(timeline: Timeline): Iterable<TickColumns> {
  for (const batch of ticksOf(timeline)) {
    const { length, timestamp } = batch;
    let i = 0;
    while (i < length && soundTime(timestamp[i]!) === timestamp[i]) i++;
    yield i === length ? batch : { ...batch, timestamp: timestamp.slice(0, length).map(soundTime) };
  }
}
