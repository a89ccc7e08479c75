import type { MatchedBy } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import type { Scale } from "./scales.js";

/** What became of a row: `same` if its change may be chance. */
export type Verdict = "slower" | "faster" | "new" | "gone" | "same";

/** Self or total ticks of a row before and after, in the unit of the scale. */
export interface Change {
  /** Means over the runs. */
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** The 95 % interval of the change. */
  readonly low: number;
  readonly high: number;
  /** The false discovery rate at which the change counts; undefined if it was not tested. */
  readonly rate: number | undefined;
  /** The smallest true change that these runs would find in 80 % of cases; undefined without a verdict. */
  readonly least: number | undefined;
  readonly verdict: Verdict;
}

/** What changed together with a row, and may be why. Fractions are 0 to 1, numbers are in the unit of the scale. */
export type Cause =
  /** The fraction of self ticks in the interpreter and the baseline compiler's code. */
  | { readonly kind: "slow-tiers"; readonly before: number; readonly after: number }
  /** Deoptimizations in each run, and the most frequent reason of the side that has more. */
  | { readonly kind: "deopts"; readonly before: number; readonly after: number; readonly reason: string }
  /** The fraction of self ticks in code that was inlined into a caller. */
  | { readonly kind: "inlining"; readonly before: number; readonly after: number }
  /** Garbage collection in it and in what it calls. */
  | { readonly kind: "gc"; readonly before: number; readonly after: number }
  /** Compilers and the parser in it and in what it calls. */
  | { readonly kind: "compile"; readonly before: number; readonly after: number }
  /** The source text is another one. */
  | { readonly kind: "source" }
  /** What it lost another function with the same caller gained, or the other way round; their caller is the same. */
  | { readonly kind: "moved"; readonly other: RowName; readonly caller: RowName }
  /** Its source is the same, and this much of the change came through one caller. */
  | { readonly kind: "caller"; readonly caller: RowName; readonly change: number }
  /** Its own code takes as long: this much of the change is in a function that it calls. */
  | { readonly kind: "callee"; readonly callee: RowName; readonly change: number };

/** A function, or another group, with what it took before and after. */
export interface DiffRow {
  /** As it is called after, or before if it is gone. */
  readonly name: RowName;
  /** As it was called before; undefined if it is new. */
  readonly nameBefore: RowName | undefined;
  /** How it was matched; undefined if it is on one side only. */
  readonly matchedBy: MatchedBy | undefined;
  readonly self: Change;
  readonly total: Change;
  /** The verdict on self, or on total if that on self is `same`. */
  readonly verdict: Verdict;
  /** What changed with it; empty if its verdict is `same`. */
  readonly causes: readonly Cause[];
  /** The same row in each run; undefined where it has no ticks. */
  readonly runs: {
    readonly before: readonly (RunRow | undefined)[];
    readonly after: readonly (RunRow | undefined)[];
  };
}

/** Two sets of runs, compared. */
export interface Diff {
  readonly before: readonly RunSummary[];
  readonly after: readonly RunSummary[];
  readonly scale: Scale;
  /** Whether both sides have the runs for a verdict: two at least. */
  readonly hasVerdict: boolean;
  /** Those with a verdict first, then by size of the change. */
  readonly rows: readonly DiffRow[];
  /** How many numbers were tested. */
  readonly tests: number;
  /**
   * How many times as long as the runs before those after are; 1 if they are about as long. Their shares differ
   * by that alone: what is done once takes a smaller part of a longer run.
   */
  readonly lengthRatio: number;
  /** How many rows have another share in runs of another length, and no verdict because that may be all. */
  readonly changedByLength: number;
  /** The share of ticks, on both sides together, that is in rows found on both sides: 0 to 1. */
  readonly matched: number;
  /**
   * The smallest true change of a row of 10 % that these runs would find in 80 % of cases, as a fraction of the
   * row; undefined without a verdict.
   */
  readonly leastAtTenth: number | undefined;
  /**
   * How many runs a side it would take at least to settle the largest change; undefined with a verdict, without
   * a change, or if it would take too many.
   */
  readonly runsNeeded: number | undefined;
}
