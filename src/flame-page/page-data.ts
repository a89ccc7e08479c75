import type { FrameKindName } from "./frame-kind.js";
import type { PackedColumn } from "./packed-column.js";

/** Functions in columns. */
export interface PackedFunctions {
  readonly titles: readonly string[];
  /** 1 + an index into `PageData.files`; 0 for none. */
  readonly file: PackedColumn;
  /** From 1; 0 for none. */
  readonly line: PackedColumn;
  readonly column: PackedColumn;
  /** An index into `FRAME_KINDS`; `js` for functions of any tier. */
  readonly kind: PackedColumn;
  /** An index into `PageData.origins`. */
  readonly origin: PackedColumn;
}

/** Frames in columns: a function in a tier, at a line, inlined or not. */
export interface PackedFrames {
  readonly function: PackedColumn;
  /** An index into `FRAME_KINDS`. */
  readonly kind: PackedColumn;
  /** The line that runs or calls, from 1; 0 if unknown. */
  readonly line: PackedColumn;
  /** Where in a long line, from 1; 0 if unknown, and in other lines. */
  readonly column: PackedColumn;
  /** 1 if the frame is inlined into its caller's code. */
  readonly inlined: PackedColumn;
  /** 1 if the frame is not in the log, but inferred. */
  readonly inferred: PackedColumn;
}

/** The call tree without its root, each node before its callees, heaviest callees first. */
export interface PackedNodes {
  /** How many levels the caller is above the previous node; 0 for a callee of that node. */
  readonly rise: PackedColumn;
  readonly frame: PackedColumn;
}

/** The ticks by stack and thread. */
export interface PackedSamples {
  /** Steps from the previous sample: 0 is the root, 1 the first of `PackedNodes`. Ascending. */
  readonly node: PackedColumn;
  readonly thread: PackedColumn;
  readonly ticks: PackedColumn;
}

/** The ticks in the order of time, cut into slices of equal numbers of ticks. */
export interface PackedSlices {
  /** Ticks per slice; the last slice of a thread can have fewer. */
  readonly size: number;
  readonly thread: PackedColumn;
  /** Microseconds from the first tick of the thread to the first of the slice. */
  readonly start: PackedColumn;
  /** The number of rows of each slice. */
  readonly rows: PackedColumn;
  /** Signed steps from the previous row, encoded by `unsigned`. */
  readonly node: PackedColumn;
  readonly ticks: PackedColumn;
}

/** Some lines of a script. */
export interface SourceRange {
  /** The number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** A place in a long line. */
export interface SourcePlace {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** What is there. */
  readonly text: string;
}

/** The shown lines of a script. */
export interface PageSource {
  /** An index into `PageData.files`. */
  readonly file: number;
  readonly ranges: readonly SourceRange[];
  /** The places with ticks in its long lines, in their order. Left out if there are none. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** The source map file that has the text; undefined if the text is from the log. */
  readonly mapFile?: string | undefined;
}

/** Self or total of functions before and after, in columns by function, in millionths of a side's ticks. */
export interface PackedChange {
  /** 0 without a row in the comparison, else 1 + an index into `VERDICTS`. */
  readonly verdict: PackedColumn;
  readonly before: PackedColumn;
  readonly after: PackedColumn;
  /** The 95 % interval of the change. Signed, encoded by `unsigned`. */
  readonly low: PackedColumn;
  readonly high: PackedColumn;
}

/** What the runs say of a function: it may be chance, or it is sure. */
export const VERDICTS = ["same", "slower", "faster", "new", "gone"] as const;

/** A line on both sides, or what stands in its place before and after; null where there is none. */
export type DiffLine = string | readonly [string | null, string | null];

/** Lines of a script before and after that stand beside each other. */
export interface DiffRange {
  /** The numbers of the first lines, from 1. */
  readonly before: number;
  readonly after: number;
  readonly lines: readonly DiffLine[];
}

/** The shown lines of a script before and after. */
export interface DiffSource {
  /** Indices into `PageData.files`; -1 for a side without the text. */
  readonly before: number;
  readonly after: number;
  readonly ranges: readonly DiffRange[];
  readonly mapFile?: string | undefined;
}

/** The runs of one side. */
export interface PageSide {
  readonly title: string;
  readonly runs: number;
  readonly ticks: number;
  readonly waited?: PageWaits | undefined;
  readonly v8: string;
}

/**
 * What a page has of two sides. Its samples have the side in the column of the threads, and for ticks the share
 * of the side, in the mean of its runs.
 */
export interface PageDiff {
  readonly sides: readonly [PageSide, PageSide];
  /** The ticks of a whole side. */
  readonly unit: number;
  /** Whether both sides have the runs for a verdict. */
  readonly hasVerdict: boolean;
  /** What changed, in sentences. */
  readonly summary: readonly string[];
  readonly self: PackedChange;
  readonly total: PackedChange;
  /** By function: its file before, 1 + an index into `PageData.files`, 0 for none. */
  readonly fileBefore: PackedColumn;
  readonly lineBefore: PackedColumn;
  /** What changed together with functions. */
  readonly causes: readonly (readonly [number, readonly string[]])[];
  readonly sources: readonly DiffSource[];
}

/** Ticks in which the thread waited, which the page leaves out. */
export interface PageWaits {
  readonly ticks: number;
  /** `idle`, `Atomics.wait` or both. */
  readonly how: string;
}

/** A thread with its ticks. */
export interface PageThread {
  readonly title: string;
  readonly ticks: number;
}

/** What was left out to keep the page small. */
export interface Merged {
  /** The number of frames of the call tree that were merged. */
  readonly frames: number;
  /** The ticks in `merged` frames. */
  readonly ticks: number;
  /** The highest total ticks of a merged frame. */
  readonly largest: number;
  /** The number of scripts whose text is not in the page. */
  readonly sources: number;
}

/** All data of a page, as embedded in it. */
export interface PageData {
  readonly version: 1;
  /** The title of the logs. */
  readonly title: string;
  readonly logs: readonly string[];
  /** The V8 version; empty if the log has none. */
  readonly v8: string;
  /** The names of this V8's tiers that differ from today's. */
  readonly kindTitles: Partial<Record<FrameKindName, string>>;
  /** The ticks that the page shows: all except the excluded. */
  readonly ticks: number;
  /** Those that waited, too. */
  readonly excluded: number;
  /** Undefined if there are none, or if the page shows them. */
  readonly waited?: PageWaits | undefined;
  readonly threads: readonly PageThread[];
  readonly files: readonly string[];
  /** The origins of functions: packages, `app`, `node`, `v8`, libraries. */
  readonly origins: readonly string[];
  readonly functions: PackedFunctions;
  readonly frames: PackedFrames;
  readonly nodes: PackedNodes;
  readonly samples: PackedSamples;
  readonly slices: PackedSlices | undefined;
  readonly merged: Merged;
  readonly sources: readonly PageSource[];
  /** Only if the page compares two sides. */
  readonly diff?: PageDiff | undefined;
}
