/**
 * Non-negative integers as base64 of little-endian groups of 7 bits, with the highest bit of a byte set if
 * another byte follows. Small numbers, of which trees and ticks consist, take one byte each.
 */
export type PackedColumn = string;

export function unpackColumn(column: PackedColumn): Float64Array {
  const text = atob(column);
  let length = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 128) length++;
  const numbers = new Float64Array(length);
  let number = 0;
  let unit = 1;
  for (let i = 0, n = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    if (byte < 128) {
      numbers[n++] = number + byte * unit;
      number = 0;
      unit = 1;
    } else {
      number += (byte - 128) * unit;
      unit *= 128;
    }
  }
  return numbers;
}

/** Maps a signed number to a non-negative one: 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4. */
export function unsigned(signed: number): number {
  return signed < 0 ? -2 * signed - 1 : 2 * signed;
}

/** Reverses {@link unsigned}. */
export function signed(unsigned: number): number {
  return unsigned % 2 === 0 ? unsigned / 2 : -(unsigned + 1) / 2;
}

/** The kinds that frames are coloured by: the tier of a function's code, or what else runs. */
export const FRAME_KINDS = [
  "ignition",
  "sparkplug",
  "turboprop",
  "maglev",
  "turbofan",
  "js",
  "wasm",
  "builtin",
  "regexp",
  "cpp",
  "library",
  "gc",
  "compile",
  "parse",
  "profiler",
  "unknown",
  "merged",
  "idle",
] as const;

export type FrameKindName = (typeof FRAME_KINDS)[number];

/** An index into {@link FRAME_KINDS}. */
export type FrameKind = number;

export function frameKind(name: FrameKindName): FrameKind {
  return FRAME_KINDS.indexOf(name);
}

/** The titles of the kinds. `merged` stands for frames too small to keep. */
export const KIND_TITLES: Readonly<Record<FrameKindName, string>> = {
  ignition: "Ignition",
  sparkplug: "Sparkplug",
  turboprop: "TurboProp",
  maglev: "Maglev",
  turbofan: "TurboFan",
  js: "JavaScript",
  wasm: "WebAssembly",
  builtin: "V8 builtin or stub",
  regexp: "Regular expression",
  cpp: "C++",
  library: "Library, no symbol",
  gc: "Garbage collection",
  compile: "Compiling",
  parse: "Parsing",
  profiler: "The profiler itself",
  unknown: "Unknown",
  merged: "Merged small frames",
  idle: "Idle",
};

/** Functions in columns. */
export interface PackedFunctions {
  readonly titles: readonly string[];
  /** 1 + an index into `FlamePageData.files`; 0 for none. */
  readonly file: PackedColumn;
  /** From 1; 0 for none. */
  readonly line: PackedColumn;
  readonly column: PackedColumn;
  /** An index into `FRAME_KINDS`; `js` for functions of any tier. */
  readonly kind: PackedColumn;
  /** An index into `FlamePageData.origins`. */
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

/** A turn of the event loop, as `ticks timeline` lists it. Times are in microseconds. */
export interface PageTurn {
  readonly start: number;
  readonly length: number;
  /** What is surely one turn; 0 if these can be several. */
  readonly least: number;
  readonly most: number;
  readonly kind: "timer" | "immediate" | "microtask" | "load" | "other";
  /** The callback: a function of the page; -1 if the page does not have it. */
  readonly function: number;
  readonly title: string;
  /** `file:line`; empty for none. */
  readonly position: string;
  readonly ticks: number;
  readonly gc: number;
  /** Where its ticks were, most first. */
  readonly lines: readonly { readonly title: string; readonly position: string; readonly ticks: number }[];
  /** How often it recurs; left out if that is not even. */
  readonly period?: number;
  readonly times?: number;
}

/** What happened at a moment: a function lost its optimized code, or had its first tick in faster code. */
export interface PageMark {
  /** Microseconds. */
  readonly at: number;
  readonly kind: "deopt" | "tier";
  readonly text: string;
}

/**
 * What a thread did, in rows in the order of time: ticks in a row with one stack and category. All times are microseconds since
 * the first log of a recording was opened.
 */
export interface PackedThreadTimes {
  /** From the end of the row before to the start of this one. Signed, encoded by `unsigned`. */
  readonly gap: PackedColumn;
  readonly span: PackedColumn;
  /** Signed steps from the previous row, encoded by `unsigned`. */
  readonly node: PackedColumn;
  /** An index into {@link TIME_CATEGORIES}. */
  readonly category: PackedColumn;
  readonly ticks: PackedColumn;
  /** When it waited, also where the page leaves out those ticks: the signed gap before each wait, and its length. */
  readonly waits: PackedColumn;
  readonly turns: readonly PageTurn[];
  readonly marks: readonly PageMark[];
}

/** When ticks were. */
export interface PackedTimes {
  /** Microseconds: rows of a bucket so wide are sorted by stack, because each tick apart had no room. 0 if all had. */
  readonly width: number;
  /** Whether it is known when all threads began; else those where it is not begin at 0. */
  readonly hasStarts: boolean;
  readonly threads: readonly PackedThreadTimes[];
}

/** What a tick of the page is: one of a log; a sample of another tool; a microsecond, where samples weigh their time; or a byte or an object. */
export type PageUnit = "tick" | "sample" | "µs" | "byte" | "object";

/** A line on both sides, or what stands in its place before and after; null where there is none. */
export type SourceLine = string | readonly [string | null, string | null];

/** Some lines of a script; of two sides, lines that stand beside each other. */
export interface SourceRange {
  /** The numbers of the first lines, from 1; 0 for a side without one. */
  readonly before: number;
  readonly after: number;
  readonly lines: readonly SourceLine[];
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

/** The shown lines of a script. A page of one side has all after. */
export interface PageSource {
  /** Indices into `FlamePageData.files`; -1 for a side without the text. */
  readonly before: number;
  readonly after: number;
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
 * of the side, in the mean of its runs; or what a run takes, where that is what the comparison judges.
 */
export interface PageDiff {
  readonly sides: readonly [PageSide, PageSide];
  /** The ticks of a whole side, of the larger one if `perRun` is set. */
  readonly unit: number;
  /** What `unit` stands for in one run; undefined if ticks are shares of their side. */
  readonly perRun?:
    | { readonly amount: number; readonly unit: "ticks" | "ms" | "bytes" | "objects" }
    | undefined;
  /** Whether both sides have the runs for a verdict. */
  readonly hasVerdict: boolean;
  /** What changed, in sentences. */
  readonly summary: readonly string[];
  readonly self: PackedChange;
  readonly total: PackedChange;
  /** By function: its file before, 1 + an index into `FlamePageData.files`, 0 for none. */
  readonly fileBefore: PackedColumn;
  readonly lineBefore: PackedColumn;
  /** What changed together with functions. */
  readonly causes: readonly (readonly [number, readonly string[]])[];
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
interface Merged {
  /** The number of frames of the call tree that were merged. */
  readonly frames: number;
  /** The ticks in `merged` frames. */
  readonly ticks: number;
  /** The highest total ticks of a merged frame. */
  readonly largest: number;
  /** The number of scripts whose text is not in the page. */
  readonly sources: number;
}

export interface FlamePageData {
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
  /** Undefined if they are not known, and if the page compares two sides. */
  readonly times: PackedTimes | undefined;
  readonly unit: PageUnit;
  readonly merged: Merged;
  readonly sources: readonly PageSource[];
  /** Only if the page compares two sides. */
  readonly diff?: PageDiff | undefined;
}
