import type { VmState } from "./vm-state.js";

/** Ticks counted by stack and VM state, in columns. Only the first `length` entries count. */
export interface SampleTable {
  readonly length: number;
  /** The stack: a node of the call tree. */
  readonly node: Int32Array;
  readonly vmState: Uint8Array;
  readonly ticks: Float64Array;
}

/** Builds a {@link SampleTable}: the samples of one node are a linked list over its VM states. */
export class SampleTableBuilder implements SampleTable {
  length = 0;
  node = new Int32Array(256);
  vmState = new Uint8Array(256);
  ticks = new Float64Array(256);
  #next = new Int32Array(256);
  /** By node: 1 + its first sample, 0 for none. */
  #first = new Int32Array(1024);

  /** Counts ticks on a stack and returns the row that holds them. */
  add(node: number, state: VmState, ticks = 1): number {
    if (node >= this.#first.length) this.#first = widen(this.#first, node);
    let sample = this.#first[node]! - 1;
    while (sample >= 0 && this.vmState[sample] !== state) sample = this.#next[sample]! - 1;
    if (sample < 0) sample = this.#append(node, state);
    this.ticks[sample]! += ticks;
    return sample;
  }

  #append(node: number, state: VmState): number {
    const sample = this.length++;
    if (sample === this.node.length) {
      this.node = widen(this.node, sample);
      this.#next = widen(this.#next, sample);
      const states = new Uint8Array(this.node.length);
      states.set(this.vmState);
      this.vmState = states;
      const ticks = new Float64Array(this.node.length);
      ticks.set(this.ticks);
      this.ticks = ticks;
    }
    this.node[sample] = node;
    this.vmState[sample] = state;
    this.#next[sample] = this.#first[node]!;
    this.#first[node] = sample + 1;
    return sample;
  }
}

function widen(column: Int32Array, index: number): Int32Array<ArrayBuffer> {
  let capacity = column.length;
  while (capacity <= index) capacity *= 2;
  const wide = new Int32Array(capacity);
  wide.set(column);
  return wide;
}
