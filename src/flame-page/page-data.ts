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
  /** An index into `FRAME_KINDS`: `js` for functions of any tier. */
  readonly kind: PackedColumn;
  /** An index into `PageData.origins`. */
  readonly origin: PackedColumn;
}

/** Frames in columns: a function in a tier, at a line, inlined or not. */
export interface PackedFrames {
  readonly function: PackedColumn;
  /** An index into `FRAME_KINDS`. */
  readonly kind: PackedColumn;
  /** The line that runs or calls, from 1; 0 where it is not known. */
  readonly line: PackedColumn;
  /** 1 where the caller's code holds the frame. */
  readonly inlined: PackedColumn;
}

/** The call tree without its root, each node before its callees and heaviest callees first. */
export interface PackedNodes {
  /** How many levels up from the node before is the caller; 0 for a callee of that node. */
  readonly rise: PackedColumn;
  readonly frame: PackedColumn;
}

/** The ticks by stack and thread. */
export interface PackedSamples {
  /** Steps from the sample before: 0 is the root, 1 the first of `PackedNodes`. Ascending. */
  readonly node: PackedColumn;
  readonly thread: PackedColumn;
  readonly ticks: PackedColumn;
}

/** The ticks in the order of time, cut in slices of equal numbers of ticks. */
export interface PackedSlices {
  /** Ticks a slice; the last of a thread can have fewer. */
  readonly size: number;
  readonly thread: PackedColumn;
  /** Microseconds from the first tick of the thread to the first of the slice. */
  readonly start: PackedColumn;
  /** How many of the rows that follow are of the slice. */
  readonly rows: PackedColumn;
  /** Signed steps from the row before, as `unsigned` makes them. */
  readonly node: PackedColumn;
  readonly ticks: PackedColumn;
}

/** Some lines of a script. */
export interface SourceRange {
  /** The number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

export interface PageSource {
  /** An index into `PageData.files`. */
  readonly file: number;
  readonly ranges: readonly SourceRange[];
  /** The source map on disk that has the text; undefined where the log has it. */
  readonly mapFile?: string | undefined;
}

export interface PageThread {
  readonly title: string;
  readonly ticks: number;
}

/** What was left out so that the page stays small. */
export interface Merged {
  /** How many frames of the call tree became part of a `merged` frame. */
  readonly frames: number;
  /** The ticks in `merged` frames. */
  readonly ticks: number;
  /** The most ticks that one of them had, with its callees. */
  readonly largest: number;
  /** Scripts whose text is not in the page. */
  readonly sources: number;
}

/** All that a page shows, as it is in the page. */
export interface PageData {
  readonly version: 1;
  /** What the logs together are called. */
  readonly title: string;
  readonly logs: readonly string[];
  /** The version of V8; empty where the log has none. */
  readonly v8: string;
  /** What the tiers of this V8 are called, where it is not as today. */
  readonly kindTitles: Partial<Record<FrameKindName, string>>;
  /** The ticks that the page shows: all but the excluded. */
  readonly ticks: number;
  readonly excluded: number;
  readonly threads: readonly PageThread[];
  readonly files: readonly string[];
  /** Whose code functions are: packages, `app`, `node`, `v8`, libraries. */
  readonly origins: readonly string[];
  readonly functions: PackedFunctions;
  readonly frames: PackedFrames;
  readonly nodes: PackedNodes;
  readonly samples: PackedSamples;
  readonly slices: PackedSlices | undefined;
  readonly merged: Merged;
  readonly sources: readonly PageSource[];
}
