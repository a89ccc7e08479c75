import { reaching } from "../profile/columns.js";
import type { Ticks } from "../profile/units.js";

/** Ticks by node and line: the lines of a node are a linked list in columns. */
export class LineTicks {
  #length = 0;
  #line = new Int32Array(64);
  #ticks = new Float64Array(64);
  #next = new Int32Array(64);
  /** By node: 1 + its first entry, 0 for none. */
  readonly #first: Int32Array;

  constructor(nodes: number) {
    this.#first = new Int32Array(nodes);
  }

  add(node: number, line: number, ticks: Ticks): void {
    let entry = this.#first[node]! - 1;
    while (entry >= 0 && this.#line[entry] !== line) entry = this.#next[entry]! - 1;
    if (entry < 0) entry = this.#append(node, line);
    this.#ticks[entry]! += ticks;
  }

  /** The lines of a node with their ticks, ascending. */
  of(node: number): { readonly line: number; readonly ticks: Ticks }[] {
    const lines: { line: number; ticks: Ticks }[] = [];
    for (let entry = this.#first[node]! - 1; entry >= 0; entry = this.#next[entry]! - 1) {
      lines.push({ line: this.#line[entry]!, ticks: this.#ticks[entry]! });
    }
    return lines.sort((a, b) => a.line - b.line);
  }

  #append(node: number, line: number): number {
    const entry = this.#length++;
    this.#line = reaching(this.#line, entry);
    this.#ticks = reaching(this.#ticks, entry);
    this.#next = reaching(this.#next, entry);
    this.#line[entry] = line;
    this.#next[entry] = this.#first[node]!;
    this.#first[node] = entry + 1;
    return entry;
  }
}
