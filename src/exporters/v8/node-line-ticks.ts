import { reaching } from "../../profile/columns.js";
import type { Ticks } from "../../profile/units.js";

/** Ticks by node and line; the entries of a node are a linked list in columns. */
export class NodeLineTicks {
  #length = 0;
  #line = new Int32Array(64);
  #ticks = new Float64Array(64);
  #next = new Int32Array(64);
  /** By node: 1 + its last entry; 0 if it has none. */
  readonly #last: Int32Array;

  constructor(nodes: number) {
    this.#last = new Int32Array(nodes);
  }

  add(node: number, line: number, ticks: Ticks): void {
    const entry = this.#length++;
    this.#line = reaching(this.#line, entry);
    this.#ticks = reaching(this.#ticks, entry);
    this.#next = reaching(this.#next, entry);
    this.#line[entry] = line;
    this.#ticks[entry] = ticks;
    this.#next[entry] = this.#last[node]!;
    this.#last[node] = entry + 1;
  }

  /** Returns the lines of a node with their ticks, ascending. */
  of(node: number): { readonly line: number; readonly ticks: Ticks }[] {
    const lines = new Map<number, Ticks>();
    for (let entry = this.#last[node]! - 1; entry >= 0; entry = this.#next[entry]! - 1) {
      const line = this.#line[entry]!;
      lines.set(line, (lines.get(line) ?? 0) + this.#ticks[entry]!);
    }
    return Array.from(lines, ([line, ticks]) => ({ line, ticks })).sort((a, b) => a.line - b.line);
  }
}
