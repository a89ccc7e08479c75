import { type Kernel, loadKernel } from "../kernels/load-kernel.js";
import type { CallTree } from "./call-tree.js";
import type { Column } from "./columns.js";
import type { ExportLoops } from "./export-loops.js";

/** Trees with fewer nodes take less time than loading the kernel. */
const LEAST_NODES = 1 << 14;
/** Of larger trees, the copy in the kernel's memory counts more than the time until V8 has compiled a loop. */
const MOST_NODES = 1 << 20;
/** Columns begin at multiples of so many bytes. */
const ALIGNMENT = 8;
const PAGE_BYTES = 1 << 16;

/** The exports of src/kernels/assembly/call-trees.ts. Columns are given by their offsets. */
interface TreeExports extends Kernel, ExportLoops {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly columns: { readonly value: number };
  markShared(
    length: number,
    parent: number,
    frame: number,
    frames: number,
    isShared: number,
    mayMerge: number,
  ): number;
  mergeNodes(
    length: number,
    parent: number,
    frame: number,
    frames: number,
    mayMerge: number,
    numbers: number,
    wasMerged: number,
    table: number,
    slots: number,
  ): number;
  countOnPath(
    length: number,
    parent: number,
    frame: number,
    wanted: number,
    depth: number,
    found: number,
  ): void;
  labelNodes(
    length: number,
    parent: number,
    frame: number,
    labels: number,
    isHidden: number,
    isUnknown: number,
    ofNode: number,
    visible: number,
    leaves: number,
    callers: number,
  ): void;
  enterNodes(length: number, parent: number, frame: number, wanted: number, entries: number): void;
}

/** A copy of a tree in the memory of a kernel of its own. The columns that it gives out keep that memory. */
export interface TreeKernel {
  readonly exports: TreeExports;
  /** The offsets of the tree's columns. */
  readonly parent: number;
  readonly frame: number;
  /** Returns the offset of a copy of a column. Columns that were returned before are no longer valid. */
  place(column: Column): number;
  /** Returns the offset of room for so many bytes, all 0; as {@link place}. */
  room(bytes: number): number;
  /** Returns the column of integers at an offset. */
  integers(offset: number, length: number): Int32Array;
  /** Returns the column of bytes at an offset. */
  bytes(offset: number, length: number): Uint8Array;
  /** Returns the column of numbers of 64 bits at an offset. */
  floats(offset: number, length: number): Float64Array;
}

/**
 * Returns the kernel for loops over all nodes of a tree; undefined if JavaScript does as well, because the tree is small or
 * very large, or if there are no kernels. The columns of the tree have room for so many nodes `more`.
 */
export function openTreeKernel({ length, parent, frame }: CallTree, more = 0): TreeKernel | undefined {
  if (length < LEAST_NODES || length > MOST_NODES) return undefined;
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
  const placeTree = (column: Int32Array) => {
    const offset = place(column.subarray(0, length));
    room(more * Int32Array.BYTES_PER_ELEMENT);
    return offset;
  };
  return {
    exports,
    parent: placeTree(parent),
    frame: placeTree(frame),
    place,
    room,
    integers: (offset, count) => new Int32Array(memory.buffer, offset, count),
    bytes: (offset, count) => new Uint8Array(memory.buffer, offset, count),
    floats: (offset, count) => new Float64Array(memory.buffer, offset, count),
  };
}
