import { signed, unpackColumn } from "./packed-column.js";
import type { PackedChange, PageDiff } from "./page-data.js";

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
export function readSideModel(data: PageDiff): SideModel {
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
