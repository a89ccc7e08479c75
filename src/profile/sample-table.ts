import { firstOf, reaching, widened } from "./columns.js";
import type { VmState } from "./vm-state.js";

/** Ticks counted by stack, VM state and thread, in columns. Only the first `length` entries count. */
export interface SampleTable {
  readonly length: number;
  /** The stack: a node of the call tree. */
  readonly node: Int32Array;
  readonly vmState: Uint8Array;
  /** An index into the profile's threads. */
  readonly thread: Uint16Array;
  readonly ticks: Float64Array;
}

/**
 * Builds a {@link SampleTable}. The samples of one node are a linked list over its VM states and threads,
 * highest thread first: threads are added one after the other, and earlier ones do not slow the next one
 * down.
 */
export class SampleTableBuilder implements SampleTable {
  length = 0;
  node: Int32Array;
  vmState: Uint8Array;
  thread: Uint16Array;
  ticks: Float64Array;
  #next: Int32Array;
  /** By node: 1 + its first sample; 0 if it has none. */
  #first = new Int32Array(1024);

  /** `capacity` is the number of rows that are there from the start, at least 1. */
  constructor(capacity = 256) {
    this.node = new Int32Array(capacity);
    this.vmState = new Uint8Array(capacity);
    this.thread = new Uint16Array(capacity);
    this.ticks = new Float64Array(capacity);
    this.#next = new Int32Array(capacity);
  }

  /** Counts ticks on a stack and returns the row that holds them. */
  add(node: number, state: VmState, ticks = 1, thread = 0): number {
    if (node >= this.#first.length) this.#first = reaching(this.#first, node);
    let before = -1;
    let sample = this.#first[node]! - 1;
    while (sample >= 0 && this.thread[sample]! >= thread) {
      if (this.thread[sample] === thread && this.vmState[sample] === state) {
        this.ticks[sample]! += ticks;
        return sample;
      }
      before = sample;
      sample = this.#next[sample]! - 1;
    }
    const made = this.#append(node, state, thread);
    this.ticks[made] = ticks;
    this.#next[made] = sample + 1;
    if (before < 0) this.#first[node] = made + 1;
    else this.#next[before] = made + 1;
    return made;
  }

  #append(node: number, state: VmState, thread: number): number {
    const sample = this.length++;
    if (sample === this.node.length) this.#grow(sample * 2);
    this.node[sample] = node;
    this.vmState[sample] = state;
    this.thread[sample] = thread;
    return sample;
  }

  #grow(capacity: number): void {
    this.node = widened(this.node, capacity);
    this.vmState = widened(this.vmState, capacity);
    this.thread = widened(this.thread, capacity);
    this.ticks = widened(this.ticks, capacity);
    this.#next = widened(this.#next, capacity);
  }
}

/**
 * Merges the rows of a table that became equal because their nodes did, and returns the new row of each old one.
 * Overwrites the columns. `isShared` has 1 for the nodes that may have equal rows.
 */
export function mergeRows(
  { length, node, vmState, thread, ticks }: SampleTable,
  isShared: Uint8Array,
): { readonly samples: SampleTable; readonly numbers: Int32Array } {
  const numbers = new Int32Array(length);
  /** By shared node: 1 + its last row. */
  const last = new Int32Array(isShared.length);
  /** By row of a shared node: 1 + the row of the same node before it. */
  const before = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const owner = node[i]!;
    if (isShared[owner] === 1) {
      let equal = last[owner]! - 1;
      while (equal >= 0 && (vmState[equal] !== vmState[i] || thread[equal] !== thread[i]))
        equal = before[equal]! - 1;
      if (equal >= 0) {
        ticks[equal]! += ticks[i]!;
        numbers[i] = equal;
        continue;
      }
      before[kept] = last[owner]!;
      last[owner] = kept + 1;
    }
    node[kept] = owner;
    vmState[kept] = vmState[i]!;
    thread[kept] = thread[i]!;
    ticks[kept] = ticks[i]!;
    numbers[i] = kept++;
  }
  const samples = {
    length: kept,
    node: firstOf(node, kept),
    vmState: firstOf(vmState, kept),
    thread: firstOf(thread, kept),
    ticks: firstOf(ticks, kept),
  };
  return { samples, numbers };
}
