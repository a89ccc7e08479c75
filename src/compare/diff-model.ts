import type { MatchedBy } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import type { RunUnit, Scale } from "./scales.js";

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
  /** With one run on a side: whether it is so large that chance is hardly the reason. False with several runs a side. */
  readonly isAlmostSure: boolean;
}

/** What something takes in one run, before and after: means over the runs of a side. */
export interface RunAmount {
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** The 95 % interval of the change. */
  readonly low: number;
  readonly high: number;
}

/** What a whole run takes, before and after. */
export interface PerRun extends SureAmount {
  /**
   * Ticks; CPU time if the sides have other sampling intervals, so that their ticks do not compare, or if the user says
   * how much work runs did. Bytes or objects of samples that weigh memory.
   */
  readonly unit: RunUnit;
  /** The CPU time of a run on the threads of the logs; undefined if an interval is not known, or if threads waited for a CPU. */
  readonly ms: { readonly before: number; readonly after: number } | undefined;
  /**
   * The CPU time of all threads, in milliseconds of a run or of a unit of work; undefined if `ticks record` did not measure
   * it of every run.
   */
  readonly cpu: SureAmount | undefined;
}

/** What a whole run takes of one thing. */
export interface SureAmount extends RunAmount {
  /** Whether runs of the same code would seldom differ so much; undefined with one run on a side. */
  readonly isSure: boolean | undefined;
}

/**
 * Why a row has no verdict though an interval of its change leaves out 0. `rest`: its share changed because what other
 * code takes did. `whole`: it changed as the whole run did. `length`: the runs have another length, which may be all. `few`:
 * it has too few ticks to be tested. `many`: many numbers were tested, and chance alone makes some look so.
 */
export type Unsettled = "rest" | "whole" | "length" | "few" | "many";

/** A line of a function's source that is on one side only. */
export interface ChangedLine {
  readonly side: "before" | "after";
  readonly text: string;
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
  /** The source text is another one. Lines that changed, if the logs have them, and how many more there are. */
  | {
      readonly kind: "source";
      readonly lines: readonly ChangedLine[];
      readonly more: number;
      /** Whether the function is new: these are its first lines. */
      readonly isNew: boolean;
    }
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
  /** What it takes in one run. */
  readonly perRun: { readonly self: RunAmount; readonly total: RunAmount };
  /** Undefined with a verdict, without several runs a side, and if no interval leaves out 0. */
  readonly unsettled: Unsettled | undefined;
  /** What it is in the story of the change: see {@link Part}. */
  readonly part: Part;
  /**
   * The row that explains it: it changed only through what it calls, in the end that row. Undefined if nothing explains
   * it, and for a row whose own source changed.
   */
  readonly foldedInto: RowName | undefined;
  /** What changed with it; empty if its verdict is `same`. */
  readonly causes: readonly Cause[];
  /** The same row in each run; undefined where it has no ticks. */
  readonly runs: {
    readonly before: readonly (RunRow | undefined)[];
    readonly after: readonly (RunRow | undefined)[];
  };
}

/**
 * What a row is in the story of a change, told in this order: functions of the program or its packages whose source
 * `changed`; other code of the `program` and its packages; the `rest`: Node, V8 and the system.
 */
export type Part = "changed" | "program" | "rest";

/** A file that only one side has under each of its names. */
export interface RenamedFile {
  readonly before: string;
  readonly after: string;
  /** How many rows of it were matched. */
  readonly rows: number;
}

/** Two sets of runs, compared. */
export interface Diff {
  readonly before: readonly RunSummary[];
  readonly after: readonly RunSummary[];
  readonly scale: Scale;
  readonly perRun: PerRun;
  /** Whether both sides have the runs for a verdict: two at least, which tell how many samples they have. */
  readonly hasVerdict: boolean;
  /** Those with a verdict first, by {@link Part}, then by size of the change. */
  readonly rows: readonly DiffRow[];
  /** How many numbers were tested. */
  readonly tests: number;
  /** What rows are judged by: what they take in a run, or their share of it. */
  readonly judgedBy: "run" | "share";
  /**
   * How many times as long as the runs before those after are; 1 if they are about as long. Their shares differ
   * by that alone: what is done once takes a smaller part of a longer run.
   */
  readonly lengthRatio: number;
  /** How many rows have another share in runs of another length, and no verdict because that may be all. */
  readonly changedByLength: number;
  /** Files of the program and its packages that have another name after, those with the most rows first. */
  readonly renamedFiles: readonly RenamedFile[];
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
