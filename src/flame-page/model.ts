import { TIME_CATEGORIES } from "../profile/categories.js";
import {
  type FlamePageData,
  type PackedChange,
  type PackedColumn,
  type PackedFrames,
  type PackedFunctions,
  type PackedSamples,
  type PackedThreadTimes,
  type PackedTimes,
  type PageDiff,
  signed,
  unpackColumn,
} from "./page-data.js";

/** Columns as numbers. */
type Unpacked<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends PackedColumn ? Float64Array : Columns[Name];
};

/** The functions. In `file` is an index into the files, and -1 for none. */
interface Functions extends Unpacked<PackedFunctions> {
  readonly length: number;
}

/** The call tree in depth-first order. Node 0 is the root: its frame and parent are -1. */
interface Nodes {
  readonly length: number;
  readonly parent: Int32Array;
  readonly frame: Int32Array;
}

/** Ticks by stack and thread. In `node` is the node, not a step. */
interface Samples extends Unpacked<PackedSamples> {
  readonly length: number;
}

/**
 * What a thread did, in rows in the order of time: ticks in a row with one stack and category. Times are in microseconds since
 * the first log of a recording was opened.
 */
export interface ThreadTimes extends Pick<PackedThreadTimes, "turns" | "marks"> {
  readonly length: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly node: Float64Array;
  /** An index into `TIME_CATEGORIES`. */
  readonly category: Uint8Array;
  readonly ticks: Float64Array;
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
  readonly frames: Unpacked<PackedFrames>;
  readonly nodes: Nodes;
  readonly samples: Samples;
  readonly times: Times | undefined;
  /** Only if the page compares two sides: then the threads of the samples are 0 for before and 1 for after. */
  readonly sides: SideModel | undefined;
}

/** Unpacks the data of a page. */
export function readModel(data: FlamePageData): Model {
  const functions = unpacked(data.functions);
  const samples = unpacked(data.samples);
  return {
    data,
    functions: {
      ...functions,
      length: functions.titles.length,
      file: functions.file.map((file) => file - 1),
    },
    frames: unpacked(data.frames),
    nodes: readNodes(data),
    samples: { ...samples, length: samples.ticks.length, node: summed(samples.node) },
    times: data.times === undefined ? undefined : readTimes(data.times),
    sides: data.diff && readSideModel(data.diff),
  };
}

function unpacked<Columns extends object>(columns: Columns): Unpacked<Columns> {
  const numbers = Object.entries(columns).map(([name, column]) => [
    name,
    typeof column === "string" ? unpackColumn(column) : column,
  ]);
  return Object.fromEntries(numbers) as Unpacked<Columns>;
}

/** Returns the running sums of steps. */
function summed(steps: Float64Array): Float64Array {
  const sums = new Float64Array(steps.length);
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
  return {
    length,
    start,
    end,
    node: summed(signedColumn(unpackColumn(node))),
    category: categories,
    gc: gcSpans(start, end, categories),
    ticks: unpackColumn(ticks),
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
export type ChangeColumns = Unpacked<PackedChange>;

/** What a page has of two sides. */
export interface SideModel {
  readonly data: PageDiff;
  readonly self: ChangeColumns;
  readonly total: ChangeColumns;
  /** By function: its file before, -1 for none. */
  readonly fileBefore: Float64Array;
  readonly lineBefore: Float64Array;
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
    fileBefore: unpackColumn(data.fileBefore).map((file) => file - 1),
    lineBefore: unpackColumn(data.lineBefore),
    causes: new Map(data.causes),
  };
}

function readChange(packed: PackedChange): ChangeColumns {
  const { verdict, before, after, low, high } = unpacked(packed);
  const percent = (column: Float64Array) => column.map((value) => signed(value) / 1e4);
  return {
    verdict,
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
