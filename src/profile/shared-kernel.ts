import { mayLoadKernels } from "../kernels/load-kernel.js";
import type { CallTree } from "./call-tree.js";
import type { Column } from "./columns.js";
import { type ColumnKernel, isWorthKernel, openColumnKernel, type TreeKernel } from "./tree-kernel.js";

/** Columns begin at multiples of so many bytes. */
const ALIGNMENT = 8;

/** The kernel that loops share one after the other, so that each has memory that is there already. */
interface SharedKernel {
  readonly kernel: ColumnKernel;
  /** Where the columns begin, and where the memory that was used so far ends. */
  readonly start: number;
  limit: number;
  /** The tree that is at the start, and where its columns are. */
  tree: CallTree | undefined;
  parent: number;
  frame: number;
  /** Columns by node that are behind the tree, and where. */
  readonly kept: Map<Column, number>;
  treeEnd: number;
}

/** Weak, so that its memory can be freed between reports. */
let known: WeakRef<SharedKernel> | undefined;

/**
 * Returns a kernel as {@link openColumnKernel} does, but with the memory that the last one had: what it gave out is no longer
 * valid, so copy what is kept.
 */
export function shareColumnKernel(rows: number): ColumnKernel | undefined {
  const shared = sharedKernel(rows);
  if (shared === undefined) return undefined;
  shared.tree = undefined;
  shared.kept.clear();
  return { ...shared.kernel, ...roomFrom(shared, shared.start) };
}

/** A kernel with a copy of a tree and of columns that belong to it. */
interface SharedTreeKernel extends TreeKernel {
  /** Returns the offset of one of these columns. */
  keptAt(column: Column): number;
}

/**
 * Returns a kernel as {@link shareColumnKernel} does, with a copy of a tree, and of columns by its nodes that several loops ask for:
 * they stay there as the tree does, and do not change.
 */
export function shareTreeKernel(
  tree: CallTree,
  columns: readonly Column[] = [],
): SharedTreeKernel | undefined {
  const shared = sharedKernel(tree.length);
  if (shared === undefined) return undefined;
  const { kept } = shared;
  if (shared.tree !== tree) {
    const { place, room } = roomFrom(shared, shared.start);
    shared.tree = tree;
    shared.parent = place(tree.parent.subarray(0, tree.length));
    shared.frame = place(tree.frame.subarray(0, tree.length));
    shared.treeEnd = room(0);
    kept.clear();
  }
  for (const column of columns) {
    if (kept.has(column)) continue;
    const { place, room } = roomFrom(shared, shared.treeEnd);
    kept.set(column, place(column));
    shared.treeEnd = room(0);
  }
  const { parent, frame, treeEnd } = shared;
  const keptAt = (column: Column) => kept.get(column)!;
  return { ...shared.kernel, ...roomFrom(shared, treeEnd), parent, frame, keptAt };
}

function sharedKernel(rows: number): SharedKernel | undefined {
  const kernel = known?.deref();
  if (kernel !== undefined && isWorthKernel(rows) && mayLoadKernels()) return kernel;
  const opened = openColumnKernel(rows);
  if (opened === undefined) return undefined;
  const start = opened.room(0);
  const place = { tree: undefined, parent: 0, frame: 0, kept: new Map<Column, number>(), treeEnd: 0 };
  const shared = { kernel: opened, start, limit: start, ...place };
  known = new WeakRef(shared);
  return shared;
}

/** Gives out the memory of a kernel from an offset on. */
function roomFrom(shared: SharedKernel, offset: number): Pick<ColumnKernel, "place" | "room" | "spare"> {
  const { kernel } = shared;
  let end = offset;
  const take = (bytes: number) => {
    const at = end;
    end += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    const used = Math.min(bytes, shared.limit - at);
    if (end > shared.limit) {
      kernel.room(end - shared.limit);
      shared.limit = end;
    }
    return { at, used };
  };
  return {
    room(bytes) {
      const { at, used } = take(bytes);
      if (used > 0) kernel.bytes(at, used).fill(0);
      return at;
    },
    spare: (bytes) => take(bytes).at,
    place(column: Column) {
      const { at } = take(column.byteLength);
      kernel
        .bytes(at, column.byteLength)
        .set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
      return at;
    },
  };
}
