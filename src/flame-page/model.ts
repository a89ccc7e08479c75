import {
  type PackedChange,
  type PackedSlices,
  type PageData,
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

/** Ticks in the order of time. Slice `s` has the rows from `firstRow[s]` to `firstRow[s + 1]`. */
export interface Slices {
  readonly length: number;
  readonly size: number;
  readonly thread: Int32Array;
  /** Microseconds since the first tick of the thread. */
  readonly start: Float64Array;
  readonly firstRow: Int32Array;
  readonly node: Int32Array;
  readonly ticks: Float64Array;
}

/** The unpacked data of a page. */
export interface Model {
  readonly data: PageData;
  readonly functions: Functions;
  readonly frames: Frames;
  readonly nodes: Nodes;
  readonly samples: Samples;
  readonly slices: Slices | undefined;
  /** Only if the page compares two sides: then the threads of the samples are 0 for before and 1 for after. */
  readonly sides: SideModel | undefined;
}

/** Unpacks the data of a page. */
export function readModel(data: PageData): Model {
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
      kind: Uint8Array.from(unpackColumn(functions.kind)),
      origin: integers(functions.origin),
    },
    frames: {
      function: integers(frames.function),
      kind: Uint8Array.from(unpackColumn(frames.kind)),
      line: integers(frames.line),
      column: integers(frames.column),
      inlined: Uint8Array.from(unpackColumn(frames.inlined)),
      inferred: Uint8Array.from(unpackColumn(frames.inferred)),
    },
    nodes: readNodes(data),
    samples: {
      length: ticks.length,
      node: summed(unpackColumn(samples.node)),
      thread: integers(samples.thread),
      ticks,
    },
    slices: data.slices === undefined ? undefined : readSlices(data.slices),
    sides: data.diff && readSideModel(data.diff),
  };
}

function integers(column: string): Int32Array {
  return Int32Array.from(unpackColumn(column));
}

/** Returns the running sums of steps. */
function summed(steps: Float64Array): Int32Array {
  let at = 0;
  return Int32Array.from(steps, (step) => {
    at += step;
    return at;
  });
}

function readNodes({ nodes }: PageData): Nodes {
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

function readSlices({ size, thread, start, rows, node, ticks }: PackedSlices): Slices {
  const counts = unpackColumn(rows);
  const firstRow = new Int32Array(counts.length + 1);
  for (let slice = 0; slice < counts.length; slice++) firstRow[slice + 1] = firstRow[slice]! + counts[slice]!;
  return {
    length: counts.length,
    size,
    thread: integers(thread),
    start: unpackColumn(start),
    firstRow,
    node: summed(unpackColumn(node).map(signed)),
    ticks: unpackColumn(ticks),
  };
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
    verdict: Uint8Array.from(unpackColumn(verdict)),
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
