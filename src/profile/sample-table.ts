import { LongColumn, nextCapacity } from "./long-column.js";
import type { VmState } from "./vm-state.js";

/** Ticks counted by stack, VM state and thread, in columns. Only the first `length` entries count. */
export interface SampleTable {
  readonly length: number;
  /** The stack: a node of the call tree. */
  readonly node: Int32Array;
  readonly vmState: Uint8Array;
  /** An index into the profile's threads. */
  readonly thread: Uint16Array;
  /** Of 32 bits where no sum can be larger, as in one log: to scale them, copy them with `Float64Array.from`. */
  readonly ticks: Float64Array | Uint32Array;
}

/**
 * Builds a {@link SampleTable}. The samples of one node are a linked list over its VM states and threads,
 * highest thread first: threads are added one after the other, and earlier ones do not slow the next one
 * down.
 */
export class SampleTableBuilder implements SampleTable {
  length = 0;
  readonly #columns: {
    readonly node: LongColumn<Int32Array>;
    readonly vmState: LongColumn<Uint8Array>;
    readonly thread: LongColumn<Uint16Array>;
    readonly ticks: LongColumn<Float64Array>;
    readonly next: LongColumn<Int32Array>;
    readonly first: LongColumn<Int32Array>;
  };
  node: Int32Array;
  vmState: Uint8Array;
  thread: Uint16Array;
  ticks: Float64Array;
  #next: Int32Array;
  /** By node: 1 + its first sample; 0 if it has none. */
  #first: Int32Array;

  /** `capacity` is the number of rows that are there from the start, at least 1. */
  constructor(capacity = 256) {
    this.#columns = {
      node: new LongColumn(new Int32Array(capacity)),
      vmState: new LongColumn(new Uint8Array(capacity)),
      thread: new LongColumn(new Uint16Array(capacity)),
      ticks: new LongColumn(new Float64Array(capacity)),
      next: new LongColumn(new Int32Array(capacity)),
      first: new LongColumn(new Int32Array(1024)),
    };
    const { node, vmState, thread, ticks, next, first } = this.#columns;
    this.node = node.column;
    this.vmState = vmState.column;
    this.thread = thread.column;
    this.ticks = ticks.column;
    this.#next = next.column;
    this.#first = first.column;
  }

  /** Counts ticks on a stack and returns the row that holds them. */
  add(node: number, state: VmState, ticks = 1, thread = 0): number {
    if (node >= this.#first.length) this.#reachNode(node);
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
    // Memory that is never written to takes no room.
    if (sample >= 0) this.#next[made] = sample + 1;
    if (before < 0) this.#first[node] = made + 1;
    else this.#next[before] = made + 1;
    return made;
  }

  /** Returns the table. What only building it needs can then be freed. */
  finish(): SampleTable {
    const { length, node, vmState, thread, ticks } = this;
    return { length, node, vmState, thread, ticks };
  }

  #append(node: number, state: VmState, thread: number): number {
    const sample = this.length++;
    if (sample === this.node.length) this.#grow(nextCapacity(sample));
    this.node[sample] = node;
    this.vmState[sample] = state;
    if (thread !== 0) this.thread[sample] = thread;
    return sample;
  }

  #reachNode(node: number): void {
    let capacity = this.#first.length;
    while (capacity <= node) capacity = nextCapacity(capacity);
    this.#first = this.#columns.first.grow(capacity);
  }

  #grow(capacity: number): void {
    const { node, vmState, thread, ticks, next } = this.#columns;
    this.node = node.grow(capacity);
    this.vmState = vmState.grow(capacity);
    this.thread = thread.grow(capacity);
    this.ticks = ticks.grow(capacity);
    this.#next = next.grow(capacity);
  }
}
