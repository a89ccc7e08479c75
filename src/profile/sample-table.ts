import { reaching, widened } from "./columns.js";
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

/** Builds a {@link SampleTable}: the samples of one node are a linked list over its VM states and threads. */
export class SampleTableBuilder implements SampleTable {
  length = 0;
  node = new Int32Array(256);
  vmState = new Uint8Array(256);
  thread = new Uint16Array(256);
  ticks = new Float64Array(256);
  #next = new Int32Array(256);
  /** By node: 1 + its first sample, 0 for none. */
  #first = new Int32Array(1024);

  /** Counts ticks on a stack and returns the row that holds them. */
  add(node: number, state: VmState, ticks = 1, thread = 0): number {
    if (node >= this.#first.length) this.#first = reaching(this.#first, node);
    let sample = this.#first[node]! - 1;
    while (sample >= 0 && (this.vmState[sample] !== state || this.thread[sample] !== thread)) {
      sample = this.#next[sample]! - 1;
    }
    if (sample < 0) sample = this.#append(node, state, thread);
    this.ticks[sample]! += ticks;
    return sample;
  }

  #append(node: number, state: VmState, thread: number): number {
    const sample = this.length++;
    if (sample === this.node.length) this.#grow(sample * 2);
    this.node[sample] = node;
    this.vmState[sample] = state;
    this.thread[sample] = thread;
    this.#next[sample] = this.#first[node]!;
    this.#first[node] = sample + 1;
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
