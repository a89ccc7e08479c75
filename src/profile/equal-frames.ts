import { type CallTree, ROOT } from "./call-tree.js";
import type { Column } from "./columns.js";
import { moveCharges } from "./deopt.js";
import { type Frame, frameKeys } from "./frame.js";
import { FrameTable } from "./frame-table.js";
import { renumberTicks } from "./moved-ticks.js";
import { hashOf } from "./pair-numbers.js";
import type { Stacks } from "./remap.js";
import type { SampleTable } from "./sample-table.js";

/**
 * Merges equal frames, and the stacks that differed only in them. Reuses and overwrites the columns it is
 * given: few stacks merge, and the others move up.
 */
export function mergeEqualFrames({ frames, tree, samples, timeline, deopts }: Stacks): Stacks {
  const table = new FrameTable<Frame>(frameKeys());
  const numbers = Int32Array.from(frames, (frame) => table.intern(frame));
  if (table.frames.length === frames.length) return { frames, tree, samples, timeline, deopts };
  const merged = mergeNodes(tree, numbers, table.frames.length);
  const rows = mergeSamples(samples, merged);
  return {
    frames: table.frames,
    tree: merged.tree,
    samples: rows.samples,
    timeline: timeline && renumberTicks(timeline, rows.numbers),
    deopts: deopts && moveCharges(deopts, rows.numbers),
  };
}

interface MergedNodes {
  readonly tree: CallTree;
  /** New node numbers by old node number. */
  readonly numbers: Int32Array;
  /** By new node number: 1 if several nodes were merged into it. */
  readonly wasMerged: Uint8Array;
}

function mergeNodes(
  { length, parent, frame }: CallTree,
  frames: Int32Array,
  frameCount: number,
): MergedNodes {
  const isShared = sharedNumbers(frames, frameCount);
  const numbers = new Int32Array(length);
  const wasMerged = new Uint8Array(length);
  /**
   * By new node number: 1 if its stack has a frame that was merged. Only such stacks can be equal to others.
   */
  const hasShared = new Uint8Array(length);
  const known = new NodeSlots(parent, frame);
  let kept = ROOT + 1;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = numbers[parent[node]!]!;
    const number = frames[frame[node]!]!;
    const mayMerge = hasShared[caller]! | isShared[number]!;
    if (mayMerge) {
      const equal = known.find(caller, number, kept);
      if (equal !== kept) {
        numbers[node] = equal;
        wasMerged[equal] = 1;
        continue;
      }
    }
    parent[kept] = caller;
    frame[kept] = number;
    hasShared[kept] = mayMerge;
    numbers[node] = kept++;
  }
  const tree = { length: kept, parent: first(parent, kept), frame: first(frame, kept) };
  return { tree, numbers, wasMerged };
}

/** Returns the first entries of a column: in memory of their own if most of the column is not needed any more. */
function first<C extends Column>(column: C, length: number): C {
  return (length * 2 < column.length ? column.slice(0, length) : column.subarray(0, length)) as C;
}

/** Finds nodes by caller and frame in the columns of a tree that is being made. */
class NodeSlots {
  readonly #parent: Int32Array;
  readonly #frame: Int32Array;
  /** Open addressing. A slot holds a node; 0 is free, because the root is nobody's child. */
  #slots = new Int32Array(1 << 10);
  #used = 0;

  constructor(parent: Int32Array, frame: Int32Array) {
    this.#parent = parent;
    this.#frame = frame;
  }

  /** Returns the node of a frame under a caller; if there is none, `made`, which the columns get next. */
  find(caller: number, number: number, made: number): number {
    const parent = this.#parent;
    const frame = this.#frame;
    const mask = this.#slots.length - 1;
    let slot = hashOf(caller, number) & mask;
    for (let node = this.#slots[slot]!; node !== 0; node = this.#slots[slot]!) {
      if (parent[node] === caller && frame[node] === number) return node;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = made;
    if (++this.#used * 2 > this.#slots.length) this.#widen(made, hashOf(caller, number));
    return made;
  }

  /** Makes room for twice as many nodes. `made` is not in the columns yet. */
  #widen(made: number, hash: number): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (const node of this.#slots) {
      if (node === 0) continue;
      let slot = (node === made ? hash : hashOf(this.#parent[node]!, this.#frame[node]!)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = node;
    }
    this.#slots = slots;
  }
}

/** Returns 1 for each number that occurs more than once. */
function sharedNumbers(numbers: Int32Array, count: number): Uint8Array {
  const isThere = new Uint8Array(count);
  const isShared = new Uint8Array(count);
  for (const number of numbers) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  return isShared;
}

/** Returns the samples of the merged nodes, and the new row of each old row. */
function mergeSamples(
  { length, node, vmState, thread, ticks }: SampleTable,
  { numbers: nodes, wasMerged }: MergedNodes,
): { readonly samples: SampleTable; readonly numbers: Int32Array } {
  const numbers = new Int32Array(length);
  /** By merged node: 1 + its last row; and by row, 1 + the row of its node before. */
  const lastRow = new Int32Array(wasMerged.length);
  const rowBefore = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const owner = nodes[node[i]!]!;
    if (wasMerged[owner] === 1) {
      let row = lastRow[owner]! - 1;
      // A log has one thread and few states.
      while (row >= 0 && (vmState[row] !== vmState[i] || thread[row] !== thread[i]))
        row = rowBefore[row]! - 1;
      if (row >= 0) {
        ticks[row]! += ticks[i]!;
        numbers[i] = row;
        continue;
      }
      rowBefore[kept] = lastRow[owner]!;
      lastRow[owner] = kept + 1;
    }
    node[kept] = owner;
    vmState[kept] = vmState[i]!;
    thread[kept] = thread[i]!;
    ticks[kept] = ticks[i]!;
    numbers[i] = kept++;
  }
  const samples = {
    length: kept,
    node: first(node, kept),
    vmState: first(vmState, kept),
    thread: first(thread, kept),
    ticks: first(ticks, kept),
  };
  return { samples, numbers };
}
