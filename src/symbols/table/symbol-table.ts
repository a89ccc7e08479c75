import { upperBound } from "../../profile/sorted.js";
import type { LinkAddress } from "../../profile/units.js";
import type { StringsRange } from "./file-strings.js";
import { orderByValue } from "./symbol-order.js";

/** The functions of one library: disjoint or nested ranges, by ascending and distinct start. */
export interface SymbolTable {
  readonly length: number;
  readonly starts: Float64Array;
  /** The first address past each function. */
  readonly ends: Float64Array;
  /** Returns the name of the function at an index. */
  name(index: number): string;
  /** Returns where the names are in files, if known, so that the table can be cached without them. */
  readonly nameLocations?: (() => NameLocations | undefined) | undefined;
}

/** Where the names of a table are in files, by index of the function. */
export interface NameLocations {
  readonly origins: readonly NameOrigin[];
  /** An index into `origins`. */
  readonly origin: Uint16Array;
  /** Offset of the name among the strings of its origin. */
  readonly offset: Uint32Array;
}

/** Strings of a file, and a suffix for each name. */
export interface NameOrigin {
  /** Undefined for the file of the library itself. */
  readonly debugFile: string | undefined;
  readonly strings: StringsRange;
  readonly suffix: string;
}

/**
 * Returns the index of the last function that starts at or below `address` if it contains the address; else
 * -1.
 */
export function findSymbol(table: SymbolTable, address: LinkAddress): number {
  const index = upperBound(table.starts, address, 0, table.length) - 1;
  return index >= 0 && address < table.ends[index]! ? index : -1;
}

/** Functions chosen from symbols, by ascending and distinct start. */
export interface ChosenFunctions {
  /** The symbol number of each function. */
  readonly symbols: Uint32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

/**
 * Chooses the functions of a library from its symbols, as V8's tick processor does: of several symbols at one
 * address the first wins; a symbol of size 0 extends to the next one, and is dropped if it lies inside the
 * previous function.
 *
 * Each table is sorted by address, and the most trusted table comes first. `end` is where the code of the
 * library ends.
 *
 * Source: V8, tools/tickprocessor.mjs, `CppEntriesProvider.parseVmSymbols`.
 */
export function chooseFunctions(
  starts: Float64Array,
  sizes: Float64Array,
  end: LinkAddress,
): ChosenFunctions {
  const { length } = starts;
  const taken = new Uint32Array(length);
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  let count = 0;
  let sizeless = -1;
  let last = -1; // Index of the last function taken.
  // One loop without calls: it runs once over all symbols of a binary, before V8 optimizes it.
  for (let i = 0; i <= length; i++) {
    const start = i < length ? starts[i]! : end;
    const open = sizeless < 0 ? start : starts[sizeless]!;
    const isInside = last >= 0 && open >= from[last]! && start <= to[last]!;
    if (open < start && !isInside) {
      taken[count] = sizeless;
      from[count] = open;
      to[count] = start;
      last = count++;
    }
    sizeless = -1;
    if (i === length) break;
    const size = sizes[i]!;
    if (size === 0) {
      sizeless = i;
    } else if (last < 0 || start !== from[last]!) {
      taken[count] = i;
      from[count] = start;
      to[count] = start + size;
      last = count++;
    }
  }
  const order = orderByValue(from.subarray(0, count));
  const symbols = new Uint32Array(count);
  const chosen = { starts: new Float64Array(count), ends: new Float64Array(count) };
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const i = order[at]!;
    const start = from[i]!;
    // The sort is stable, so the first of several at one address comes first.
    if (kept > 0 && chosen.starts[kept - 1] === start) continue;
    symbols[kept] = taken[i]!;
    chosen.starts[kept] = start;
    chosen.ends[kept] = to[i]!;
    kept++;
  }
  return {
    symbols: symbols.subarray(0, kept),
    starts: chosen.starts.subarray(0, kept),
    ends: chosen.ends.subarray(0, kept),
  };
}

/** Collects symbols one by one for {@link chooseFunctions}, in the order that it needs. */
export class SymbolTableBuilder {
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  readonly #names: string[] = [];

  /** Adds one symbol. A `size` of 0 means unknown. */
  add(start: LinkAddress, size: number, name: string): void {
    this.#starts.push(start);
    this.#sizes.push(size);
    this.#names.push(name);
  }

  /** Builds the table of all added symbols. `end` is where the code of the library ends. */
  build(end: LinkAddress): SymbolTable {
    const names = this.#names;
    const [starts, sizes] = [new Float64Array(this.#starts), new Float64Array(this.#sizes)];
    const { symbols, ...chosen } = chooseFunctions(starts, sizes, end);
    return { length: symbols.length, ...chosen, name: (index) => names[symbols[index]!]! };
  }
}
