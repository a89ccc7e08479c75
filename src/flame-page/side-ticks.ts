import { reaching } from "../profile/columns.js";

/** A column before and after. */
export type Pair = readonly [Float64Array, Float64Array];

/** Ticks before and after, in columns by node. */
export interface SideTicks {
  readonly self: Pair;
  readonly total: Pair;
}

/** Returns columns with the entries in another order. */
export function inOrder({ self, total }: SideTicks, order: Int32Array): SideTicks {
  const sorted = (column: Float64Array) => Float64Array.from(order, (from) => column[from]!);
  return { self: [sorted(self[0]), sorted(self[1])], total: [sorted(total[0]), sorted(total[1])] };
}

/** Sums up ticks before and after of nodes that come one by one. */
export class SideSums {
  #columns: [Float64Array, Float64Array, Float64Array, Float64Array];

  constructor(capacity: number) {
    const column = () => new Float64Array(capacity);
    this.#columns = [column(), column(), column(), column()];
  }

  /** Makes room for a node. */
  reach(node: number): void {
    if (node < this.#columns[0].length) return;
    const [a, b, c, d] = this.#columns;
    this.#columns = [reaching(a, node), reaching(b, node), reaching(c, node), reaching(d, node)];
  }

  /** Adds self ticks to a node. */
  addSelf(node: number, [before, after]: Pair, from: number): void {
    this.#columns[0][node]! += before[from]!;
    this.#columns[1][node]! += after[from]!;
  }

  /** Adds total ticks to a node. */
  addTotal(node: number, [before, after]: Pair, from: number): void {
    this.#columns[2][node]! += before[from]!;
    this.#columns[3][node]! += after[from]!;
  }

  get ticks(): SideTicks {
    const [a, b, c, d] = this.#columns;
    return { self: [a, b], total: [c, d] };
  }
}
