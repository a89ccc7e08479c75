import type { LinkAddress } from "../../profile/units.js";
import { orderByValue } from "./symbol-order.js";

/** The functions of one library: disjoint or nested ranges, by ascending and distinct start. */
export interface SymbolTable {
  readonly length: number;
  readonly starts: Float64Array;
  /** The first address past each function. */
  readonly ends: Float64Array;
  /** The name of the function at an index. */
  name(index: number): string;
}

/** The index of the nearest function at or below `address` if it reaches over it; else -1. */
export function findSymbol(table: SymbolTable, address: LinkAddress): number {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (table.starts[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  const index = low - 1;
  return index >= 0 && address < table.ends[index]! ? index : -1;
}

/**
 * Chooses the functions of a library from the symbols of its tables, as V8's tick processor does:
 * of several at one address the first wins; a symbol without a size reaches to the next one, and is left out
 * where it lies inside the function before it.
 *
 * Feed each table in the order of its addresses, tables in the order of trust. `Name` is the text of a name, or
 * whatever a source keeps to make the text from when it is asked for.
 *
 * Source: V8, tools/tickprocessor.mjs, `CppEntriesProvider.parseVmSymbols`.
 */
export class SymbolTableBuilder<Name = string> {
  readonly #textOf: (name: Name) => string;
  #starts: number[] = [];
  #ends: number[] = [];
  #names: Name[] = [];
  #sizeless: { start: LinkAddress; name: Name } | undefined;
  #lastStart = -1;
  #lastEnd = -1;

  constructor(textOf: (name: Name) => string = String) {
    this.#textOf = textOf;
  }

  /** Adds one symbol; `size` 0 stands for unknown. */
  add(start: LinkAddress, size: number, name: Name): void {
    this.#endSizeless(start);
    if (size === 0) this.#sizeless = { start, name };
    else if (start !== this.#lastStart) this.#accept(start, start + size, name);
  }

  /** The table of all that was added. `end` is where the code of the library ends. */
  build(end: LinkAddress): SymbolTable {
    this.#endSizeless(end);
    const [starts, ends, names, textOf] = [this.#starts, this.#ends, this.#names, this.#textOf];
    const order = orderByValue(new Float64Array(starts));
    const chosen = new Uint32Array(order.length);
    const table = { starts: new Float64Array(order.length), ends: new Float64Array(order.length) };
    let length = 0;
    for (let at = 0; at < order.length; at++) {
      const i = order[at]!;
      // Of several at one address the order keeps the first one first.
      if (length > 0 && table.starts[length - 1] === starts[i]) continue;
      chosen[length] = i;
      table.starts[length] = starts[i]!;
      table.ends[length] = ends[i]!;
      length++;
    }
    return {
      length,
      starts: table.starts.subarray(0, length),
      ends: table.ends.subarray(0, length),
      name: (index) => textOf(names[chosen[index]!]!),
    };
  }

  #endSizeless(next: LinkAddress): void {
    const pending = this.#sizeless;
    this.#sizeless = undefined;
    if (pending === undefined || pending.start >= next) return;
    if (pending.start >= this.#lastStart && next <= this.#lastEnd) return;
    this.#accept(pending.start, next, pending.name);
  }

  #accept(start: LinkAddress, end: LinkAddress, name: Name): void {
    this.#lastStart = start;
    this.#lastEnd = end;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#names.push(name);
  }
}
