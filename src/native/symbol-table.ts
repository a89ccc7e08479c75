import { upperBound } from "../base/sorted.js";
import type { LinkAddress } from "../base/units.js";
import type { Segment } from "./binary-file.js";

/**
 * Returns the text at an offset of a string table, up to its NUL or the end; outside of it `(null)`, as nm
 * does.
 */
export function stringAt(strings: Buffer, offset: number): string {
  if (offset >= strings.length) return "(null)";
  const end = strings.indexOf(0, offset);
  return strings.toString("utf8", offset, end < 0 ? strings.length : end);
}

/**
 * Bytes of names that may be compared for one table. The names at one address of a large library add up to
 * some megabytes, but a crafted file can have millions that differ only at the end.
 */
const COMPARISON_LIMIT = 2 ** 29;

/**
 * Returns the numbers of symbols in the order in which `nm -n` prints them under `LC_ALL=C`: by address, then by the bytes of
 * their names.
 *
 * Source: binutils, binutils/nm.c, `numeric_forward`.
 */
export function symbolOrder({ starts, nameOffsets, names }: FileSymbols): Uint32Array {
  let room = COMPARISON_LIMIT;
  const compare = (a: number, b: number): number => {
    let x = nameOffsets[a]!;
    let y = nameOffsets[b]!;
    while (x !== y && room-- > 0) {
      const difference = (names[x++] ?? 0) - (names[y++] ?? 0);
      if (difference !== 0) return difference;
      if ((names[x - 1] ?? 0) === 0) break;
    }
    return a - b;
  };
  return Uint32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]! || compare(a, b));
}

/** Returns the indices of `values` by ascending value, those of one value in their order. */
function indicesByValue(values: Float64Array): Uint32Array {
  return Uint32Array.from(values.keys()).sort((a, b) => values[a]! - values[b]! || a - b);
}

/** The functions of one library: disjoint or nested ranges, by ascending and distinct start. */
export interface SymbolTable {
  readonly length: number;
  readonly starts: Float64Array;
  /** The first address past each function. */
  readonly ends: Float64Array;
  name(index: number): string;
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
interface ChosenFunctions {
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
function chooseFunctions(starts: Float64Array, sizes: Float64Array, end: LinkAddress): ChosenFunctions {
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
  const order = indicesByValue(from.subarray(0, count));
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

/** The functions in one symbol table of a file. */
export interface FileSymbols {
  /** Link addresses, in any order. Several functions can have the same one. */
  readonly starts: Float64Array;
  /** Bytes, 0 for unknown; undefined if the format does not state how long functions are. */
  readonly sizes?: Float64Array;
  /** The offset of each name in `names`. */
  readonly nameOffsets: Uint32Array;
  /** The names, each up to a NUL. */
  readonly names: Buffer;
  /** Returns what follows the name of a function, such as its version. Default: nothing. */
  readonly suffix?: ((symbol: number) => string) | undefined;
}

const UNDERSCORE = 0x5f;

/** Collects the functions of a symbol table one by one. */
export class FileSymbolsBuilder {
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  readonly #nameOffsets: number[] = [];

  /** Adds a function. All functions have a size, or none. */
  add(start: LinkAddress, nameOffset: number, size?: number): void {
    this.#starts.push(start);
    this.#nameOffsets.push(nameOffset);
    if (size !== undefined) this.#sizes.push(size);
  }

  /** Returns the functions. With `isUnderscored`, compilers put an underscore before each name, which is left out. */
  build(names: Buffer, isUnderscored = false): FileSymbols {
    const offsets = new Uint32Array(this.#nameOffsets);
    return {
      starts: new Float64Array(this.#starts),
      ...(this.#sizes.length > 0 && { sizes: new Float64Array(this.#sizes) }),
      nameOffsets: isUnderscored ? offsets.map((at) => (names[at] === UNDERSCORE ? at + 1 : at)) : offsets,
      names,
    };
  }
}

/**
 * Merges the functions of several tables, most trusted first: of several functions at one address the first wins, in the order
 * of `nm -n`. Returns undefined if there are no functions.
 *
 * Where tables do not state sizes, a function ends where the next one starts, where the code ends, or at the next of `bounds`,
 * which are addresses in ascending order at which functions start or end, named or not.
 */
export function functionTable(
  tables: readonly FileSymbols[],
  code: readonly Segment[],
  bounds: Float64Array = new Float64Array(),
): SymbolTable | undefined {
  const total = tables.reduce((sum, { starts }) => sum + starts.length, 0);
  if (total === 0) return undefined;
  const all = {
    starts: new Float64Array(total),
    sizes: new Float64Array(total),
    table: new Uint8Array(total),
    symbol: new Uint32Array(total),
  };
  let length = 0;
  for (const [number, one] of tables.entries()) {
    for (const symbol of symbolOrder(one)) {
      all.starts[length] = one.starts[symbol]!;
      all.sizes[length] = one.sizes?.[symbol] ?? 0;
      all.table[length] = number;
      all.symbol[length++] = symbol;
    }
  }
  const chosen = tables.some(({ sizes }) => sizes !== undefined)
    ? chooseFunctions(all.starts, all.sizes, endOfCode(code))
    : firstFunctions(all.starts, code, bounds);
  const { symbols, starts, ends } = chosen;
  const name = (index: number) => {
    const at = symbols[index]!;
    const { names, nameOffsets, suffix } = tables[all.table[at]!]!;
    const symbol = all.symbol[at]!;
    return stringAt(names, nameOffsets[symbol]!) + (suffix?.(symbol) ?? "");
  };
  return { length: symbols.length, starts, ends, name };
}

/** Returns where the code of a library ends. */
export function endOfCode(code: readonly Segment[]): LinkAddress {
  return code.reduce((end, { linkAddress, size }) => Math.max(end, linkAddress + size), 0);
}

/** Returns the first function at each address, up to the next one. */
function firstFunctions(all: Float64Array, code: readonly Segment[], bounds: Float64Array): ChosenFunctions {
  // Each table is in order now, and the sort is stable: the most trusted table comes first.
  const order = indicesByValue(all);
  const symbols = order.filter((symbol, i) => i === 0 || all[symbol] !== all[order[i - 1]!]);
  const starts = Float64Array.from(symbols, (symbol) => all[symbol]!);
  return { symbols, starts, ends: endsOf(starts, code, bounds) };
}

function endsOf(starts: Float64Array, code: readonly Segment[], bounds: Float64Array): Float64Array {
  const ranges = code.map(({ linkAddress, size }) => ({ start: linkAddress, end: linkAddress + size }));
  ranges.sort((a, b) => a.start - b.start);
  const ends = new Float64Array(starts.length);
  let bound = 0;
  let range = 0;
  for (let i = 0; i < starts.length; i++) {
    const start: LinkAddress = starts[i]!;
    while (bound < bounds.length && bounds[bound]! <= start) bound++;
    while (range + 1 < ranges.length && ranges[range + 1]!.start <= start) range++;
    const last = Math.min(ranges[range]?.end ?? start, bounds[bound] ?? Number.POSITIVE_INFINITY);
    ends[i] = Math.max(start, Math.min(last, starts[i + 1] ?? last));
  }
  return ends;
}
