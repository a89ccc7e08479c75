import { TIME_CATEGORIES } from "../profile/categories.js";
import {
  type FlamePageData,
  type PackedChange,
  type PackedThreadTimes,
  type PackedTimes,
  type PageDiff,
  signed,
  unpackColumn,
} from "./page-data.js";

/** The functions, in columns; see `PackedFunctions`. */
interface Functions {
  readonly length: number;
  readonly titles: readonly string[];
  /** An index into the files; -1 for none. */
  readonly file: Int32Array;
  readonly line: Int32Array;
  readonly column: Int32Array;
  readonly kind: Uint8Array;
  readonly origin: Int32Array;
}

/** The frames, in columns; see `PackedFrames`. */
interface Frames {
  readonly function: Int32Array;
  readonly kind: Uint8Array;
  readonly line: Int32Array;
  readonly column: Int32Array;
  readonly inlined: Uint8Array;
  readonly inferred: Uint8Array;
}

/** The call tree in depth-first order. Node 0 is the root: its frame and parent are -1. */
interface Nodes {
  readonly length: number;
  readonly parent: Int32Array;
  readonly frame: Int32Array;
}

/** Ticks by stack and thread. */
interface Samples {
  readonly length: number;
  readonly node: Int32Array;
  readonly thread: Int32Array;
  readonly ticks: Float64Array;
}

/**
 * What a thread did, in rows in the order of time: ticks in a row with one stack and category. Times are in microseconds since
 * the first log of a recording was opened.
 */
export interface ThreadTimes extends Pick<PackedThreadTimes, "turns" | "marks"> {
  readonly length: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly node: Int32Array;
  /** An index into `TIME_CATEGORIES`. */
  readonly category: Uint8Array;
  readonly ticks: Float64Array;
  /** The ticks of all rows before one. */
  readonly before: Float64Array;
  /** When it waited: from and to, one after the other. */
  readonly waits: Float64Array;
  /** When it collected garbage, as far as ticks tell, in the same form. */
  readonly gc: Float64Array;
}

/** When ticks were. */
export interface Times {
  /** Of the first and the last thread: where the axis begins and ends. */
  readonly from: number;
  readonly to: number;
  readonly threads: readonly ThreadTimes[];
}

/** The unpacked data of a page. */
export interface Model {
  readonly data: FlamePageData;
  readonly functions: Functions;
  readonly frames: Frames;
  readonly nodes: Nodes;
  readonly samples: Samples;
  readonly times: Times | undefined;
  /** Only if the page compares two sides: then the threads of the samples are 0 for before and 1 for after. */
  readonly sides: SideModel | undefined;
}

/** Unpacks the data of a page. */
export function readModel(data: FlamePageData): Model {
  const { functions, frames, samples } = data;
  const ticks = unpackColumn(samples.ticks);
  return {
    data,
    functions: {
      length: functions.titles.length,
      titles: functions.titles,
      file: integers(functions.file).map((file) => file - 1),
      line: integers(functions.line),
      column: integers(functions.column),
      kind: new Uint8Array(unpackColumn(functions.kind)),
      origin: integers(functions.origin),
    },
    frames: {
      function: integers(frames.function),
      kind: new Uint8Array(unpackColumn(frames.kind)),
      line: integers(frames.line),
      column: integers(frames.column),
      inlined: new Uint8Array(unpackColumn(frames.inlined)),
      inferred: new Uint8Array(unpackColumn(frames.inferred)),
    },
    nodes: readNodes(data),
    samples: {
      length: ticks.length,
      node: summed(unpackColumn(samples.node)),
      thread: integers(samples.thread),
      ticks,
    },
    times: data.times === undefined ? undefined : readTimes(data.times),
    sides: data.diff && readSideModel(data.diff),
  };
}

function integers(column: string): Int32Array {
  return new Int32Array(unpackColumn(column));
}

/** Returns the running sums of steps. */
function summed(steps: Float64Array): Int32Array {
  const sums = new Int32Array(steps.length);
  for (let i = 0, at = 0; i < sums.length; i++) {
    at += steps[i]!;
    sums[i] = at;
  }
  return sums;
}

/** Decodes numbers with a sign, in place. */
function signedColumn(column: Float64Array): Float64Array {
  for (let i = 0; i < column.length; i++) column[i] = signed(column[i]!);
  return column;
}

function readNodes({ nodes }: FlamePageData): Nodes {
  const rise = unpackColumn(nodes.rise);
  const parent = new Int32Array(rise.length + 1).fill(-1);
  for (let node = 1; node < parent.length; node++) {
    let caller = node - 1;
    for (let steps = rise[node - 1]!; steps > 0; steps--) caller = parent[caller]!;
    parent[node] = caller;
  }
  const frame = new Int32Array(parent.length).fill(-1);
  frame.set(unpackColumn(nodes.frame), 1);
  return { length: parent.length, parent, frame };
}

function readTimes({ threads: packed }: PackedTimes): Times {
  const threads = packed.map(readThread);
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (const { length, start, end } of threads) {
    if (length === 0) continue;
    from = Math.min(from, start[0]!);
    to = Math.max(to, end[length - 1]!);
  }
  return { from: Math.min(from, to), to: Math.max(to, from === to ? from + 1 : to), threads };
}

function readThread({
  gap,
  span,
  node,
  category,
  ticks,
  waits,
  turns,
  marks,
}: PackedThreadTimes): ThreadTimes {
  const start = unpackColumn(gap);
  const end = unpackColumn(span);
  const { length } = start;
  let last = 0;
  for (let row = 0; row < length; row++) {
    start[row] = last + signed(start[row]!);
    last = start[row]! + end[row]!;
    end[row] = last;
  }
  const times = unpackColumn(waits);
  last = 0;
  for (let i = 0; i < times.length; i++) {
    last += i % 2 === 0 ? signed(times[i]!) : times[i]!;
    times[i] = last;
  }
  const categories = new Uint8Array(unpackColumn(category));
  const counts = unpackColumn(ticks);
  const before = new Float64Array(length);
  for (let row = 1; row < length; row++) before[row] = before[row - 1]! + counts[row - 1]!;
  return {
    length,
    start,
    end,
    node: summed(signedColumn(unpackColumn(node))),
    category: categories,
    gc: gcSpans(start, end, categories),
    ticks: counts,
    before,
    waits: times,
    turns,
    marks,
  };
}

const GC = TIME_CATEGORIES.indexOf("gc");

function gcSpans(start: Float64Array, end: Float64Array, category: Uint8Array): Float64Array {
  const spans: number[] = [];
  for (let row = 0; row < category.length; row++) {
    if (category[row] !== GC) continue;
    if (row > 0 && category[row - 1] === GC && end[row - 1] === start[row])
      spans[spans.length - 1] = end[row]!;
    else spans.push(start[row]!, end[row]!);
  }
  return Float64Array.from(spans);
}

/** Self or total of functions before and after, in percent of a side, by function. */
export interface ChangeColumns {
  /** 0 without a row in the comparison, else 1 + an index into `VERDICTS`. */
  readonly verdict: Uint8Array;
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** The 95 % interval of the change. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** What a page has of two sides. */
export interface SideModel {
  readonly data: PageDiff;
  readonly self: ChangeColumns;
  readonly total: ChangeColumns;
  /** By function: its file before, -1 for none. */
  readonly fileBefore: Int32Array;
  readonly lineBefore: Int32Array;
  readonly causes: ReadonlyMap<number, readonly string[]>;
}

/** Which ticks of a function a reader looks at. */
export type Measure = "self" | "total";

/** Unpacks what a page has of two sides. */
function readSideModel(data: PageDiff): SideModel {
  return {
    data,
    self: readChange(data.self),
    total: readChange(data.total),
    fileBefore: Int32Array.from(unpackColumn(data.fileBefore), (file) => file - 1),
    lineBefore: Int32Array.from(unpackColumn(data.lineBefore)),
    causes: new Map(data.causes),
  };
}

function readChange({ verdict, before, after, low, high }: PackedChange): ChangeColumns {
  const percent = (column: string) => unpackColumn(column).map((value) => signed(value) / 1e4);
  return {
    verdict: new Uint8Array(unpackColumn(verdict)),
    before: percent(before),
    after: percent(after),
    low: percent(low),
    high: percent(high),
  };
}

/** The directions of a change, and what stands before the names of functions that changed. */
export const SIGNS = ["", "▲", "▼", "+", "−"] as const;

/**
 * Returns the sign of a function's change, an index into {@link SIGNS}: 0 if it may be chance. Without a verdict,
 * a change counts whose interval does not contain 0.
 */
export function signOf(sides: SideModel, measure: Measure, id: number): number {
  const { verdict, low, high, before, after } = sides[measure];
  if (id < 0 || verdict[id] === 0) return 0;
  if (sides.data.hasVerdict) return verdict[id]! - 1;
  if (low[id]! > 0) return before[id] === 0 ? 3 : 1;
  if (high[id]! < 0) return after[id] === 0 ? 4 : 2;
  return 0;
}
