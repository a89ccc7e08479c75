import { widened } from "../profile/columns.js";
import { zeros } from "../profile/long-column.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Timeline } from "../profile/timeline.js";
import type { Ticks } from "../profile/units.js";
import { BatchKernel } from "./batch-kernel.js";
import type { Batch, BatchColumns, BatchMerger, BatchStore, RowsOf, Run, Squares } from "./batch-store.js";

/** The maximum number of batches that the ticks of a thread are cut into. */
const BATCHES = 32;

/** The ticks of each thread in their order, cut into √n batches of the same size, at most 32. */
export class TickBatches {
  readonly runs: readonly Run[];
  readonly #store: BatchStore;

  private constructor(runs: readonly Run[], store: BatchStore) {
    this.runs = runs;
    this.#store = store;
  }

  /** Cuts the ticks of a timeline into batches. */
  static of(timeline: Timeline, samples: SampleTable): TickBatches {
    const store =
      BatchKernel.open(samples.length, timeline.length) ?? new ScriptBatches(samples.length, timeline.length);
    const runs = runsOf(timeline, samples).map(({ start, end }): Run => {
      const size = end - start;
      const number = Math.min(BATCHES, Math.floor(Math.sqrt(size)));
      let at = start;
      const batches = Array.from({ length: number }, (_, i) => {
        const first = at;
        at = start + Math.round((size * (i + 1)) / number);
        return store.count(timeline.sample.subarray(first, at));
      });
      return { size, batches };
    });
    return new TickBatches(runs, store);
  }

  /** Returns the same batches of merged samples. `rows` has, by sample, the one of `count` that it was merged into. */
  merged(rows: Int32Array, count: number): TickBatches {
    const { store, move } = this.#store.merger(rows, count);
    const runs = this.runs.map(({ size, batches }) => ({ size, batches: batches.map(move) }));
    return new TickBatches(runs, store);
  }

  /**
   * Returns the squares of each row. With c ticks of a row in a batch of n and m in the thread of N, those found are the sum
   * of n (c/n - m/N)² over the batches of a thread, which is Σ c²/n - m²/N. Of independent ticks, (batches - 1) m/N (1 - m/N)
   * is expected.
   */
  squares(rows: number, rowsOf: RowsOf): Squares {
    if (typeof rowsOf === "object") {
      const squares = this.#store.squares(this.runs, rows, rowsOf);
      if (squares !== undefined) return squares;
    }
    return squaresOf(this.runs, this.#store.columns(), { rows, rowsOf });
  }
}

/** Does without a kernel what {@link BatchKernel} does. */
class ScriptBatches implements BatchStore {
  #length = 0;
  readonly #samples: Int32Array;
  readonly #ticks: Int32Array;
  readonly #counts: Counts;

  /** `most` is the number of ticks. */
  constructor(rows: number, most: number) {
    this.#samples = zeros(Int32Array, most);
    this.#ticks = zeros(Int32Array, most);
    this.#counts = new Counts(rows);
  }

  count(samples: Int32Array): Batch {
    for (let i = 0; i < samples.length; i++) this.#counts.add(samples[i]!, 1);
    return this.#take(samples.length);
  }

  merger(rows: Int32Array, count: number): BatchMerger {
    const store = new ScriptBatches(count, this.#length);
    const move = ({ size, start, end }: Batch) => {
      for (let i = start; i < end; i++) store.#counts.add(rows[this.#samples[i]!]!, this.#ticks[i]!);
      return store.#take(size);
    };
    return { store, move };
  }

  squares(): undefined {
    return undefined;
  }

  columns(): BatchColumns {
    return { samples: this.#samples, ticks: this.#ticks };
  }

  #take(size: Ticks): Batch {
    const start = this.#length;
    this.#counts.take((sample, count) => {
      this.#samples[this.#length] = sample;
      this.#ticks[this.#length++] = count;
    });
    return { size, start, end: this.#length };
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

/** Does {@link TickBatches.squares}. */
function squaresOf(
  runs: readonly Run[],
  columns: BatchColumns,
  { rows, rowsOf }: { readonly rows: number; readonly rowsOf: RowsOf },
): Squares {
  const found = new Float64Array(rows);
  const expected = new Float64Array(rows);
  const inBatch = new Counts(rows);
  const inRun = new Counts(rows);
  for (const { size, batches } of runs) {
    for (const batch of batches) {
      countRows(batch, columns, rowsOf, inBatch);
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
  } else if ("row" in rowsOf) {
    for (let i = start; i < end; i++) {
      const row = rowsOf.row[samples[i]!]!;
      if (row >= 0 && row < counts.rows) counts.add(row, ticks[i]!);
    }
  } else {
    for (let i = start; i < end; i++) {
      for (let left = rowsOf.mask[samples[i]!]!; left !== 0; left &= left - 1)
        counts.add(31 - Math.clz32(left & -left), ticks[i]!);
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
    if (this.#counts[row] === 0) {
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
