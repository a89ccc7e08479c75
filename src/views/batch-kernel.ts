import { type ColumnKernel, openColumnKernel } from "../profile/tree-kernel.js";
import type { Batch, BatchColumns, BatchMerger, BatchStore, RowColumn, Run, Squares } from "./batch-store.js";

/** The kernel gets the ticks in parts: it does as well with any number of them. */
const MOST_TICKS = 1 << 20;

/** The batches of some samples in the memory of a kernel. Columns are given by their offsets. */
export class BatchKernel implements BatchStore {
  readonly #kernel: ColumnKernel;
  /** How many samples there can be. */
  readonly #rows: number;
  #length = 0;
  /** The samples of all batches, and their ticks. */
  readonly #samples: number;
  readonly #ticks: number;
  /** By sample: room for a number, all 0. */
  readonly #counts: number;
  /** Room for the row of each sample. */
  readonly #rowOf: number;
  /** Room for the samples of a batch, so many. */
  #window = { offset: 0, length: 0 };
  /** Room for the counts of so many rows. */
  #scratch = { offset: 0, rows: 0 };

  private constructor(kernel: ColumnKernel, rows: number, most: number) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#samples = kernel.room(integers(most));
    this.#ticks = kernel.room(integers(most));
    this.#counts = kernel.room(integers(rows));
    this.#rowOf = kernel.room(integers(rows));
  }

  /** Returns the kernel for the batches of so many ticks of some samples; undefined if there is none for them. */
  static open(rows: number, ticks: number): BatchKernel | undefined {
    const kernel = openColumnKernel(Math.min(ticks, MOST_TICKS));
    return kernel && new BatchKernel(kernel, rows, ticks);
  }

  /** Counts ticks by sample. */
  count(samples: Int32Array): Batch {
    if (samples.length > this.#window.length) {
      const offset = this.#kernel.room(integers(samples.length));
      this.#window = { offset, length: samples.length };
    }
    const { offset } = this.#window;
    this.#kernel.integers(offset, samples.length).set(samples);
    return this.#add(samples.length, { from: 0, to: samples.length, samples: offset, ticks: 0, rows: 0 });
  }

  /** Returns a kernel for merged samples, and a function that counts those of a batch there. */
  merger(rows: Int32Array, count: number): BatchMerger {
    const store = new BatchKernel(this.#kernel, count, this.#length);
    const numbers = this.#kernel.place(rows);
    const move = ({ size, start, end }: Batch) =>
      store.#add(size, { from: start, to: end, samples: this.#samples, ticks: this.#ticks, rows: numbers });
    return { store, move };
  }

  #add(size: number, { from, to, samples, ticks, rows }: Counted): Batch {
    const start = this.#length;
    const { countTicks } = this.#kernel.exports;
    this.#length = countTicks(
      from,
      to,
      samples,
      ticks,
      rows,
      this.#counts,
      this.#samples,
      this.#ticks,
      start,
    );
    return { size, start, end: this.#length };
  }

  /** Returns the squares of rows. */
  squares(runs: readonly Run[], rows: number, rowsOf: RowColumn): Squares {
    const kernel = this.#kernel;
    const { addSquares, endRun } = kernel.exports;
    const isMask = "mask" in rowsOf;
    const column = isMask ? rowsOf.mask : rowsOf.row;
    kernel.integers(this.#rowOf, this.#rows).set(column);
    const offset = this.#roomFor(rows);
    const [found, expected] = [offset, offset + doubles(rows)];
    const [counts, inRun, ofBatch, ofRun] = [2, 3, 4, 5].map((part) => offset + part * doubles(rows)) as [
      number,
      number,
      number,
      number,
    ];
    for (const { size, batches } of runs) {
      for (const { start, end, size: part } of batches)
        addSquares(
          start,
          end,
          this.#samples,
          this.#ticks,
          this.#rowOf,
          isMask,
          rows,
          part,
          counts,
          ofBatch,
          inRun,
          ofRun,
          found,
        );
      endRun(batches.length, size, inRun, ofRun, found, expected);
    }
    return {
      found: kernel.doubles(found, rows).slice(),
      expected: kernel.doubles(expected, rows).slice(),
    };
  }

  /** Returns where there is room for six columns of doubles for so many rows, all 0. */
  #roomFor(rows: number): number {
    if (rows > this.#scratch.rows) this.#scratch = { offset: this.#kernel.room(6 * doubles(rows)), rows };
    else this.#kernel.bytes(this.#scratch.offset, 6 * doubles(rows)).fill(0);
    return this.#scratch.offset;
  }

  /** The columns of all batches as they are now. */
  columns(): BatchColumns {
    const { integers: at } = this.#kernel;
    return { samples: at(this.#samples, this.#length), ticks: at(this.#ticks, this.#length) };
  }
}

/** What is counted: entries of two columns, and the numbers in place of their samples. 0 stands for no column. */
interface Counted {
  readonly from: number;
  readonly to: number;
  readonly samples: number;
  readonly ticks: number;
  readonly rows: number;
}

function integers(count: number): number {
  return count * Int32Array.BYTES_PER_ELEMENT;
}

function doubles(count: number): number {
  return count * Float64Array.BYTES_PER_ELEMENT;
}
