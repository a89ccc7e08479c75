import { firstOf, reaching, widened } from "../base/columns.js";
import type { Ticks } from "../base/units.js";
import { type CallTree, ROOT } from "./call-tree.js";
import { VM_STATES, type VmState } from "./vm-state.js";

/** Ticks counted by stack, VM state and thread, in columns. Only the first `length` entries count. */
export interface SampleTable {
  readonly length: number;
  /** The stack: a node of the call tree. */
  readonly node: Int32Array;
  /** An index into {@link VM_STATES}. */
  readonly vmState: Uint8Array;
  /** An index into the profile's threads. */
  readonly thread: Uint16Array;
  /** Fractions where samples weigh their time: see `tickTime` of {@link ProfileInfo}. */
  readonly ticks: Float64Array;
  /** How many samples the ticks are; undefined where each is one. */
  readonly count?: Float64Array | undefined;
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
  count: Float64Array | undefined;
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
    this.#first = reaching(this.#first, node);
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
    if (sample >= 0) this.#next[made] = sample + 1;
    if (before < 0) this.#first[node] = made + 1;
    else this.#next[before] = made + 1;
    return made;
  }

  addCount(row: number, samples: number): void {
    this.count ??= new Float64Array(this.ticks.length);
    this.count[row]! += samples;
  }

  /** Returns the table, with columns of exactly its length. What only building it needs can then be freed. */
  finish(): SampleTable {
    const { length } = this;
    return {
      length,
      node: firstOf(this.node, length),
      vmState: firstOf(this.vmState, length),
      thread: firstOf(this.thread, length),
      ticks: firstOf(this.ticks, length),
      ...(this.count && { count: firstOf(this.count, length) }),
    };
  }

  #append(node: number, state: VmState, thread: number): number {
    const sample = this.length++;
    if (sample === this.node.length) this.#grow(sample * 2);
    this.node[sample] = node;
    this.vmState[sample] = state;
    if (thread !== 0) this.thread[sample] = thread;
    return sample;
  }

  #grow(capacity: number): void {
    this.node = widened(this.node, capacity);
    this.vmState = widened(this.vmState, capacity);
    this.thread = widened(this.thread, capacity);
    this.ticks = widened(this.ticks, capacity);
    if (this.count !== undefined) this.count = widened(this.count, capacity);
    this.#next = widened(this.#next, capacity);
  }
}

/** Where samples and threads go to. */
export interface Moves {
  /** By row of the samples: the new one; -1 for a sample that is left out. Default: all stay where they are. */
  readonly rows?: Int32Array;
  /** Returns the new number of a thread; -1 for one that is left out, whose samples are left out too. */
  readonly threadOf: (thread: number) => number;
}

/** Returns what refers to samples for moved ones. */
export function onRows<Charge extends { readonly sample: number }>(
  charges: readonly Charge[],
  { rows }: Moves,
): Charge[] {
  return charges.flatMap((charge) => {
    const sample = rows === undefined ? charge.sample : rows[charge.sample]!;
    return sample < 0 ? [] : [{ ...charge, sample }];
  });
}

/** Returns what refers to threads for moved ones. */
export function onThreads<Item extends { readonly thread: number }>(
  items: readonly Item[],
  { threadOf }: Moves,
): Item[] {
  return items.flatMap((item) => {
    const thread = threadOf(item.thread);
    return thread < 0 ? [] : [{ ...item, thread }];
  });
}

/** Returns, by item, its number in what {@link onThreads} returns; -1 for one that is left out. */
export function newNumbers(items: readonly { readonly thread: number }[], { threadOf }: Moves): number[] {
  let count = 0;
  return items.map(({ thread }) => (threadOf(thread) < 0 ? -1 : count++));
}

export function stateTicks({ length, vmState, ticks }: SampleTable): Float64Array {
  const states = new Float64Array(VM_STATES.length);
  for (let i = 0; i < length; i++) states[vmState[i]!]! += ticks[i]!;
  return states;
}

export function allTicks({ length, ticks }: Pick<SampleTable, "length" | "ticks">): Ticks {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += ticks[i]!;
  return sum;
}

/** Returns how many samples there are: as many as ticks where each is one, and about as many where that was not kept. */
export function allSamples({ length, ticks, count }: SampleTable): number {
  if (count === undefined) return Math.round(allTicks({ length, ticks }));
  let sum = 0;
  for (let i = 0; i < length; i++) sum += count[i]!;
  return sum;
}

/** Returns, by node, the ticks of its stack and of all stacks that go on from there. */
export function stackTicks({ length, parent }: CallTree, samples: SampleTable): Float64Array {
  const totals = new Float64Array(length);
  for (let i = 0; i < samples.length; i++) totals[samples.node[i]!]! += samples.ticks[i]!;
  for (let node = length - 1; node > ROOT; node--) totals[parent[node]!]! += totals[node]!;
  return totals;
}
