import { reaching, widened } from "../profile/columns.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";

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
export function tickColumn(length: number, total: Ticks): SampleTable["ticks"] {
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
