import { widened } from "../base/columns.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Timeline } from "../profile/timeline.js";

/** The maximum number of batches that the ticks of a thread are cut into. */
const BATCHES = 32;

/**
 * Which rows each sample belongs to: a function that calls `count` with each of them; or, faster, a column by sample with the only
 * row, another number for none.
 */
export type RowsOf =
  | ((sample: number, count: (row: number) => void) => void)
  | { readonly row: ArrayLike<number> };

/**
 * Returns which rows are on the stack of each sample, each once. `ofFrame` has the row of a frame: those from 0 to less than
 * `rows` count.
 */
export function rowsOnStack(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  ofFrame: ArrayLike<number>,
  rows: number,
): RowsOf {
  /** By row: the last stack that had it. */
  const seen = new Int32Array(rows);
  let stack = 0;
  return (sample, count) => {
    stack++;
    for (let node = samples.node[sample]!; node !== ROOT; node = tree.parent[node]!) {
      const row = ofFrame[tree.frame[node]!]!;
      if (row < 0 || row >= rows || seen[row] === stack) continue;
      seen[row] = stack;
      count(row);
    }
  };
}

/** By row: the squares of its shares of the batches, as found and as expected of independent ticks. */
interface Squares {
  readonly found: Float64Array;
  readonly expected: Float64Array;
}

/** Ticks that follow each other in one thread. */
export interface Run {
  readonly size: Ticks;
  readonly batches: readonly Batch[];
}

/** Ticks that follow each other: where their samples begin and end in the columns. */
interface Batch {
  readonly size: Ticks;
  readonly start: number;
  readonly end: number;
}

/** The ticks of each thread in their order, cut into √n batches of the same size, at most 32. */
export class TickBatches {
  readonly runs: readonly Run[];
  readonly #counted: BatchColumns;

  private constructor(runs: readonly Run[], counted: BatchColumns) {
    this.runs = runs;
    this.#counted = counted;
  }

  /** Cuts the ticks of a timeline into batches. */
  static of(timeline: Timeline, samples: SampleTable): TickBatches {
    const counted = new BatchColumns(samples.length, timeline.length, timeline.ticks !== undefined);
    const runs = runsOf(timeline, samples).map(({ start, end }): Run => {
      const all = end - start;
      const number = Math.min(BATCHES, Math.floor(Math.sqrt(all)));
      let at = start;
      const batches = Array.from({ length: number }, (_, i) => {
        const first = at;
        at = start + Math.round((all * (i + 1)) / number);
        return counted.add(timeline.sample.subarray(first, at), timeline.ticks?.subarray(first, at));
      });
      return { size: batches.reduce((sum, { size }) => sum + size, 0), batches };
    });
    return new TickBatches(runs, counted);
  }

  /** Returns the same batches of merged samples. `rows` has, by sample, the one of `count` that it was merged into. */
  merged(rows: Int32Array, count: number): TickBatches {
    const merged = new BatchColumns(count, this.#counted.length, this.#counted.ticks instanceof Float64Array);
    const runs = this.runs.map(({ size, batches }) => ({
      size,
      batches: batches.map((batch) => merged.addMerged(batch, this.#counted, rows)),
    }));
    return new TickBatches(runs, merged);
  }

  /**
   * Returns the squares of each row. With c ticks of a row in a batch of n and m in the thread of N, those found are the sum
   * of n (c/n - m/N)² over the batches of a thread, which is Σ c²/n - m²/N. Of independent ticks, (batches - 1) m/N (1 - m/N)
   * is expected.
   */
  squares(rows: number, rowsOf: RowsOf): Squares {
    const found = new Float64Array(rows);
    const expected = new Float64Array(rows);
    const inBatch = new Counts(rows);
    const inRun = new Counts(rows);
    for (const { size, batches } of this.runs) {
      for (const batch of batches) {
        countRows(batch, this.#counted, rowsOf, inBatch);
        inBatch.take((row, c) => {
          found[row]! += (c * c) / batch.size;
          inRun.add(row, c);
        });
      }
      inRun.take((row, c) => {
        found[row]! -= (c * c) / size;
        expected[row]! += (batches.length - 1) * (c / size) * (1 - c / size);
      });
    }
    return { found, expected };
  }
}

/** The samples of each batch, each once, and how often. */
class BatchColumns {
  length = 0;
  readonly samples: Int32Array;
  readonly ticks: Int32Array | Float64Array;
  readonly #counts: Counts;

  /** `most` is the number of ticks. `areWeighed`: whether they may be fractions. */
  constructor(rows: number, most: number, areWeighed: boolean) {
    this.samples = new Int32Array(most);
    this.ticks = areWeighed ? new Float64Array(most) : new Int32Array(most);
    this.#counts = new Counts(rows);
  }

  /** Counts ticks by sample. */
  add(samples: Int32Array, weights: Float64Array | undefined): Batch {
    let size = 0;
    for (let i = 0; i < samples.length; i++) {
      const weight = weights === undefined ? 1 : weights[i]!;
      size += weight;
      this.#counts.add(samples[i]!, weight);
    }
    return this.#take(size);
  }

  /** Counts a batch of other columns by what its samples were merged into. */
  addMerged({ size, start, end }: Batch, { samples, ticks }: BatchColumns, rows: Int32Array): Batch {
    for (let i = start; i < end; i++) this.#counts.add(rows[samples[i]!]!, ticks[i]!);
    return this.#take(size);
  }

  #take(size: Ticks): Batch {
    const start = this.length;
    this.#counts.take((sample, count) => {
      this.samples[this.length] = sample;
      this.ticks[this.length++] = count;
    });
    return { size, start, end: this.length };
  }
}

/** Where the ticks of each thread begin and end. */
function runsOf({ length, sample }: Timeline, { thread, length: rows }: SampleTable) {
  const runs: { start: number; end: number }[] = [];
  const isOneThread = thread.subarray(0, rows).every((of) => of === thread[0]);
  for (let start = 0, end = 0; start < length; start = end) {
    const of = thread[sample[start]!]!;
    end = isOneThread ? length : start + 1;
    while (end < length && thread[sample[end]!] === of) end++;
    runs.push({ start, end });
  }
  return runs;
}

/** Counts the ticks of a batch by row. */
function countRows(
  { start, end }: Batch,
  { samples, ticks }: BatchColumns,
  rowsOf: RowsOf,
  counts: Counts,
): void {
  if (typeof rowsOf === "function") {
    let now = 0;
    const count = (row: number) => counts.add(row, now);
    for (let i = start; i < end; i++) {
      now = ticks[i]!;
      rowsOf(samples[i]!, count);
    }
  } else {
    for (let i = start; i < end; i++) {
      const row = rowsOf.row[samples[i]!]!;
      if (row >= 0 && row < counts.rows) counts.add(row, ticks[i]!);
    }
  }
}

/** Counts by number, of which most are 0. */
class Counts {
  /** How many counts are not 0. */
  length = 0;
  readonly #counts: Float64Array;
  #touched = new Int32Array(64);

  constructor(rows: number) {
    this.#counts = new Float64Array(rows);
  }

  /** How many counts there can be. */
  get rows(): number {
    return this.#counts.length;
  }

  add(row: number, count: number): void {
    if (this.#counts[row] === 0 && count > 0) {
      if (this.length === this.#touched.length) this.#touched = widened(this.#touched, this.length * 2);
      this.#touched[this.length++] = row;
    }
    this.#counts[row]! += count;
  }

  /** Calls `visit` with each count that is not 0, and makes it 0. */
  take(visit: (row: number, count: number) => void): void {
    for (let i = 0; i < this.length; i++) {
      const row = this.#touched[i]!;
      visit(row, this.#counts[row]!);
      this.#counts[row] = 0;
    }
    this.length = 0;
  }
}
