import { type Kernel, loadKernel } from "../kernels/load-kernel.js";
import type { CallTree } from "./call-tree.js";
import type { Column } from "./columns.js";
import type { ExportLoops } from "./export-loops.js";
import { zeros } from "./long-column.js";
import type { PageExports } from "./page-exports.js";
import type {
  CallTreesExports,
  MergedNodesExports,
  PairsExports,
  SampleRowsExports,
  ShownStacksExports,
} from "./tree-loops.js";
import type { ViewExports } from "./view-exports.js";

/** Columns with fewer rows take less time than loading the kernel. */
const LEAST_ROWS = 1 << 14;
/** Of longer columns, the copy in the kernel's memory counts more than the time until V8 has compiled a loop. */
const MOST_ROWS = 1 << 19;
/** Columns begin at multiples of so many bytes. */
const ALIGNMENT = 8;
const PAGE_BYTES = 1 << 16;

/** The exports of src/kernels/assembly/call-trees.ts and of all that it is made of. */
interface TreeExports
  extends Kernel,
    CallTreesExports,
    ExportLoops,
    PairsExports,
    MergedNodesExports,
    PageExports,
    SampleRowsExports,
    ShownStacksExports,
    ViewExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly columns: { readonly value: number };
}

/** A kernel for loops over columns, with a memory of its own. The columns that it gives out keep that memory. */
export interface ColumnKernel {
  readonly exports: TreeExports;
  /** Returns the offset of a copy of a column. Columns that were returned before are no longer valid. */
  place(column: Column): number;
  /** Returns the offset of room for so many bytes, all 0; as {@link place}. */
  room(bytes: number): number;
  /** Returns the offset of room for so many bytes, with anything in them; as {@link place}. */
  spare(bytes: number): number;
  /** Returns the column of integers at an offset. */
  integers(offset: number, length: number): Int32Array;
  /** Returns the column of bytes at an offset. */
  bytes(offset: number, length: number): Uint8Array;
  /** Returns the column of integers of 16 bits at an offset. */
  shorts(offset: number, length: number): Uint16Array;
  /** Returns the column of doubles at an offset. */
  doubles(offset: number, length: number): Float64Array;
  /** Returns a copy of the column of integers at an offset, which does not keep the memory. */
  copied(offset: number, length: number): Int32Array;
}

/** A {@link ColumnKernel} that has a copy of a tree. */
export interface TreeKernel extends ColumnKernel {
  /** The offsets of the tree's columns. */
  readonly parent: number;
  readonly frame: number;
}

/**
 * Returns the kernel for loops over columns of so many rows; undefined if JavaScript does as well, because they are short or
 * very long, or if there are no kernels.
 */
export function openColumnKernel(rows: number): ColumnKernel | undefined {
  if (!isWorthKernel(rows)) return undefined;
  const exports = loadKernel<TreeExports>("call-trees");
  if (exports === undefined) return undefined;
  const { memory } = exports;
  let end = exports.columns.value;
  const room = (bytes: number) => {
    const offset = end;
    end += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return offset;
  };
  const place = (column: Column) => {
    const offset = room(column.byteLength);
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    new Uint8Array(memory.buffer).set(bytes, offset);
    return offset;
  };
  const integers = (offset: number, count: number) => new Int32Array(memory.buffer, offset, count);
  return {
    exports,
    place,
    room,
    spare: room,
    integers,
    bytes: (offset, count) => new Uint8Array(memory.buffer, offset, count),
    shorts: (offset, count) => new Uint16Array(memory.buffer, offset, count),
    doubles: (offset, count) => new Float64Array(memory.buffer, offset, count),
    copied(offset, count) {
      const column = zeros(Int32Array, count);
      column.set(integers(offset, count));
      return column;
    },
  };
}

/** Whether a kernel does better with columns of so many rows than JavaScript. */
export function isWorthKernel(rows: number): boolean {
  return rows >= LEAST_ROWS && rows <= MOST_ROWS;
}

/**
 * Returns the {@link openColumnKernel} for loops over all nodes of a tree, with a copy of it whose columns have room for so
 * many nodes `more`.
 */
export function openTreeKernel({ length, parent, frame }: CallTree, more = 0): TreeKernel | undefined {
  const kernel = openColumnKernel(length);
  if (kernel === undefined) return undefined;
  const placed = (column: Int32Array) => {
    const offset = kernel.place(column.subarray(0, length));
    kernel.room(more * Int32Array.BYTES_PER_ELEMENT);
    return offset;
  };
  return { ...kernel, parent: placed(parent), frame: placed(frame) };
}
