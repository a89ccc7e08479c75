import type { Ticks } from "../profile/units.js";

/**
 * Which rows each sample belongs to: a function that calls `count` with each of them; or, faster, columns by
 * sample. `row` has the only row, another number for none. `mask` has a bit for each of the first 31 rows.
 */
export type RowsOf = ((sample: number, count: (row: number) => void) => void) | RowColumn;

/** Which rows each sample belongs to, in a column: see {@link RowsOf}. */
export type RowColumn = { readonly row: ArrayLike<number> } | { readonly mask: Int32Array };

/** By row: the squares of its shares of the batches, as found and as expected of independent ticks. */
export interface Squares {
  readonly found: Float64Array;
  readonly expected: Float64Array;
}

/** Ticks that follow each other in one thread. */
export interface Run {
  readonly size: Ticks;
  readonly batches: readonly Batch[];
}

/** Ticks that follow each other: where their samples begin and end in the columns. */
export interface Batch {
  readonly size: Ticks;
  readonly start: number;
  readonly end: number;
}

/** The samples of each batch, each once, and how often. */
export interface BatchColumns {
  readonly samples: Int32Array;
  readonly ticks: Int32Array;
}

/** Counts the samples of batches, and keeps what it counted. */
export interface BatchStore {
  /** Counts ticks by sample. */
  count(samples: Int32Array): Batch;
  /** Returns another store, and a function that counts the samples of a batch there, by what they were merged into. */
  merger(rows: Int32Array, count: number): BatchMerger;
  /** Returns the squares of rows; undefined if JavaScript does it. */
  squares(runs: readonly Run[], rows: number, rowsOf: RowColumn): Squares | undefined;
  /** The columns of all batches as they are now. */
  columns(): BatchColumns;
}

/** What {@link BatchStore.merger} returns. */
export interface BatchMerger {
  readonly store: BatchStore;
  readonly move: (batch: Batch) => Batch;
}
