import { reaching } from "../profile/columns.js";
import { type SampleTable, SampleTableBuilder } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";
import { type StacksKernel, TICK_NODE, type TickNodes } from "./stacks-kernel.js";

/** Fewer ticks fit into 32 bits, however their stacks are merged. */
const WHOLE = 2 ** 32;

/** Returns a column of zeros for ticks that are at most `total` together: wider if that needs it. */
function tickColumn(length: number, total: Ticks): SampleTable["ticks"] {
  return total < WHOLE ? new Uint32Array(length) : new Float64Array(length);
}

/** What is counted, in columns. */
interface Counts {
  readonly nodes: Int32Array;
  /** By index of `nodes`. */
  readonly states: Uint8Array;
  readonly ticks: Uint32Array;
  readonly others: SampleTableBuilder;
  /** By row of `others`: how many of `nodes` come before it. */
  readonly before: readonly number[];
  /** By node: ticks that are missing in `ticks`. */
  readonly more: ReadonlyMap<number, Ticks>;
  /** Of all. */
  readonly total: Ticks;
}

type Counter = Pick<StacksKernel, "count" | "visitCounts" | "countsByState">;

/**
 * Counts the ticks of one log by stack and VM state like {@link SampleTableBuilder}, with the same rows: the kernel counts
 * the ticks in the state of the first one of their stack, and this has a row for each of these stacks, and the
 * other ticks.
 */
export class CountedTicks {
  readonly #kernel: Counter;
  /** The nodes that the kernel counts ticks of, in the order of their first ticks. */
  #nodes = new Int32Array(256);
  #length = 0;
  readonly #others = new SampleTableBuilder();
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
