import { reaching, widened } from "../profile/columns.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";
import { type StacksKernel, TICK_NODE, type TickNodes } from "./stacks-kernel.js";

/** The column of ticks has room for fewer. Most stacks of a large log have a few. */
const MANY = 2 ** 8;
/** Fewer ticks fit into 32 bits, however their stacks are merged. */
const WHOLE = 2 ** 32;

/**
 * Counts the ticks of one log by stack and VM state, in less than half of the memory of a {@link SampleTable}: when a log ends,
 * the call tree that is still being built is in memory too.
 */
export class SampledTicks {
  #length = 0;
  #state = new Uint8Array(256);
  #ticks = new Uint8Array(256);
  /** By row: 1 + the row before it with the same stack; 0 if there is none. */
  #next = new Int32Array(256);
  /** By node: 1 + its last row; 0 if it has none. */
  #first = new Int32Array(1024);
  /** By row: the ticks that its column has no room for. */
  readonly #more = new Map<number, Ticks>();

  /** Counts ticks on a stack and returns their row. Rows are numbered in the order in which they come. */
  add(node: number, state: VmState, ticks: Ticks = 1): number {
    this.#first = reaching(this.#first, node);
    let row = this.#first[node]! - 1;
    while (row >= 0 && this.#state[row] !== state) row = this.#next[row]! - 1;
    if (row < 0) row = this.#append(node, state);
    const sum = this.#ticks[row]! + ticks;
    this.#ticks[row] = sum;
    if (sum >= MANY) this.#more.set(row, (this.#more.get(row) ?? 0) + sum - this.#ticks[row]!);
    return row;
  }

  /** Returns the rows as a table. Call it once, after the last tick. */
  finish(): SampleTable {
    const length = this.#length;
    const node = new Int32Array(length);
    for (let owner = 0; owner < this.#first.length; owner++) {
      for (let row = this.#first[owner]! - 1; row >= 0; row = this.#next[row]! - 1) node[row] = owner;
    }
    let total = 0;
    for (const more of this.#more.values()) total += more;
    const ticks = tickColumn(length, total + length * MANY);
    ticks.set(this.#ticks.subarray(0, length));
    for (const [row, more] of this.#more) ticks[row]! += more;
    const vmState = new Uint8Array(length);
    vmState.set(this.#state.subarray(0, length));
    return { length, node, vmState, thread: new Uint16Array(length), ticks };
  }

  #append(node: number, state: VmState): number {
    const row = this.#length++;
    if (row === this.#state.length) this.#grow(row * 2);
    this.#state[row] = state;
    if (this.#first[node] !== 0) this.#next[row] = this.#first[node]!;
    this.#first[node] = row + 1;
    return row;
  }

  #grow(capacity: number): void {
    this.#state = widened(this.#state, capacity);
    this.#ticks = widened(this.#ticks, capacity);
    this.#next = widened(this.#next, capacity);
  }
}

/** Returns a column of zeros for ticks that are at most `total` together: wider if that needs it. */
function tickColumn(length: number, total: Ticks): SampleTable["ticks"] {
  return total < WHOLE ? new Uint32Array(length) : new Float64Array(length);
}

/** Returns an object with the table of some ticks, which is made when it is asked for. */
export function lazySamples(counted: SampledTicks): { readonly samples: SampleTable } {
  let ticks: SampledTicks | undefined = counted;
  let table: SampleTable | undefined;
  return {
    get samples() {
      table ??= ticks!.finish();
      ticks = undefined;
      return table;
    },
  };
}

/** What is counted, in columns. */
interface Counts {
  readonly nodes: Int32Array;
  /** By index of `nodes`. */
  readonly states: Uint8Array;
  readonly ticks: Uint32Array;
  readonly others: SampledTicks;
  /** By row of `others`: how many of `nodes` come before it. */
  readonly before: readonly number[];
  /** By node: ticks that are missing in `ticks`. */
  readonly more: ReadonlyMap<number, Ticks>;
  /** Of all. */
  readonly total: Ticks;
}

type Counter = Pick<StacksKernel, "count" | "visitCounts" | "countsByState">;

/**
 * Counts the ticks of one log by stack and VM state like {@link SampledTicks}, with the same rows: the kernel counts
 * the ticks in the state of the first one of their stack, and this has a row for each of these stacks, and the
 * other ticks.
 */
export class CountedTicks {
  readonly #kernel: Counter;
  /** The nodes that the kernel counts ticks of, in the order of their first ticks. */
  #nodes = new Int32Array(256);
  #length = 0;
  readonly #others = new SampledTicks();
  /** By row of `others`: how many of `nodes` come before it. */
  readonly #before: number[] = [];
  /** By node: the ticks that it has no room for. */
  readonly #more = new Map<number, Ticks>();
  readonly #ticksByState: Ticks[];

  /** `ticksByState` are the ticks so far; those that the kernel counts are added by {@link finish}. */
  constructor(kernel: Counter, ticksByState: Ticks[]) {
    this.#kernel = kernel;
    this.#ticksByState = ticksByState;
  }

  /** Counts a batch of ticks. */
  addAll({ integers, length, firsts }: TickNodes): void {
    for (let tick = 0; tick < length; tick++) {
      const at = tick * TICK_NODE.integers;
      const before = integers[at + TICK_NODE.firsts]!;
      const rows = before < 0 ? before : this.#length + before;
      this.#addOther(integers[at + TICK_NODE.node]!, integers[at + TICK_NODE.state]! as VmState, rows);
    }
    const end = this.#length + firsts.length;
    this.#reach(end);
    this.#nodes.set(firsts, this.#length);
    this.#length = end;
  }

  /** Counts one tick. */
  add(node: number, state: VmState): void {
    const { isFirst, isCounted, isFull } = this.#kernel.count(node, state);
    if (!isCounted) this.#addOther(node, state, isFull ? -1 : this.#length);
    if (!isFirst) return;
    this.#reach(this.#length + 1);
    this.#nodes[this.#length++] = node;
  }

  /**
   * Ends the counting, and returns an object with the table of the ticks, which is made when it is asked for: until the
   * kernel is freed, it would be in memory beside it.
   */
  finish(): { readonly samples: SampleTable } {
    const nodes = this.#nodes.subarray(0, this.#length);
    const ticks = new Uint32Array(nodes.length);
    const states = new Uint8Array(nodes.length);
    this.#kernel.visitCounts(nodes, (counts, from) => {
      ticks.set(counts.ticks, from);
      states.set(counts.states, from);
    });
    for (const [state, sum] of this.#kernel.countsByState().entries()) this.#ticksByState[state]! += sum;
    const total = this.#ticksByState.reduce((sum, ticks) => sum + ticks, 0);
    return lazy({
      nodes,
      states,
      ticks,
      others: this.#others,
      before: this.#before,
      more: this.#more,
      total,
    });
  }

  /** Counts a tick in another state than the first one of its node; `before` is -1 for one that only lacks room there. */
  #addOther(node: number, state: VmState, before: number): void {
    this.#ticksByState[state]!++;
    if (before < 0) this.#more.set(node, (this.#more.get(node) ?? 0) + 1);
    else if (this.#others.add(node, state) === this.#before.length) this.#before.push(before);
  }

  #reach(length: number): void {
    if (length > 0) this.#nodes = reaching(this.#nodes, length - 1);
  }
}

function lazy(counts: Counts): { readonly samples: SampleTable } {
  let left: Counts | undefined = counts;
  let table: SampleTable | undefined;
  return {
    get samples() {
      table ??= tableOf(left!);
      left = undefined;
      return table;
    },
  };
}

function tableOf({ nodes, states, others: counted, before, more, ...counts }: Counts): SampleTable {
  const others = counted.finish();
  const length = nodes.length + others.length;
  const node = new Int32Array(length);
  const vmState = new Uint8Array(length);
  const ticks = tickColumn(length, counts.total);
  let from = 0;
  for (let i = 0; i <= others.length; i++) {
    const to = before[i] ?? nodes.length;
    node.set(nodes.subarray(from, to), from + i);
    vmState.set(states.subarray(from, to), from + i);
    ticks.set(counts.ticks.subarray(from, to), from + i);
    from = to;
    if (i === others.length) break;
    node[to + i] = others.node[i]!;
    vmState[to + i] = others.vmState[i]!;
    ticks[to + i] = others.ticks[i]!;
  }
  // The first row of a node is that of its first tick.
  for (const [owner, sum] of more) ticks[node.indexOf(owner)]! += sum;
  return { length, node, vmState, thread: new Uint16Array(length), ticks };
}
