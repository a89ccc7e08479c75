import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegular, stampOf } from "../io/regular-file.js";
import { upperBound } from "../profile/sorted.js";
import type { LinkAddress } from "../profile/units.js";
import type { Segment, StringsRange } from "./binary-file.js";

/**
 * Returns the text at an offset of a string table, up to its NUL or the end; outside of it `(null)`, as nm
 * does.
 */
export function stringAt(strings: Buffer, offset: number): string {
  if (offset >= strings.length) return "(null)";
  const end = strings.indexOf(0, offset);
  return strings.toString("utf8", offset, end < 0 ? strings.length : end);
}

/** In bytes. The names that a log needs are short and far apart. */
const PAGE = 1 << 11;

/**
 * The strings of a file, read page by page on demand. The file is open from the first read in a turn of the
 * event loop until the end of that turn. If the file changes, further strings are empty.
 */
export class FileStrings {
  readonly #path: string;
  readonly #stamp: string;
  readonly #pages = new Map<number, Buffer>();
  #descriptor: number | undefined;
  #isLost = false;

  /** `stamp` is that of the file when it was known to contain the strings. */
  constructor(path: string, stamp: string) {
    this.#path = path;
    this.#stamp = stamp;
  }

  /**
   * Returns the text at an offset of a string table, as `stringAt` does; empty if the file can no longer be
   * read.
   */
  at({ offset, size }: StringsRange, into: number): string {
    if (into >= size) return "(null)";
    const last = offset + size;
    const parts: Buffer[] = [];
    for (let at = offset + into; at < last; ) {
      const page = this.#page(Math.floor(at / PAGE));
      const from = at % PAGE;
      const rest = page.subarray(from, Math.min(page.length, from + last - at));
      if (rest.length === 0) break;
      const end = rest.indexOf(0);
      if (end >= 0 && parts.length === 0) return rest.toString("utf8", 0, end);
      parts.push(end < 0 ? rest : rest.subarray(0, end));
      if (end >= 0) break;
      at += rest.length;
    }
    return Buffer.concat(parts).toString("utf8");
  }

  #page(number: number): Buffer {
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = this.#read(number);
      this.#pages.set(number, page);
    }
    return page;
  }

  #read(number: number): Buffer {
    const nothing = Buffer.alloc(0);
    if (this.#isLost) return nothing;
    try {
      this.#descriptor ??= this.#open();
      const bytes = Buffer.allocUnsafeSlow(PAGE);
      return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, PAGE, number * PAGE));
    } catch {
      this.#isLost = true; // Gone or changed since it was found: names are lost, as with any missing file.
      return nothing;
    }
  }

  #open(): number {
    const descriptor = openRegular(this.#path);
    if (stampOf(fstatSync(descriptor)) !== this.#stamp) {
      closeSync(descriptor);
      throw new Error(`${this.#path} has changed`);
    }
    setImmediate(() => {
      closeSync(descriptor);
      this.#descriptor = undefined;
    });
    return descriptor;
  }
}

/** Up to this many symbols at one address are sorted by insertion, which is cheaper to set up. */
const FEW = 12;
/** From this many values on, a radix sort pays off. */
const MANY = 4096;
/** Few enough digits for the counters to stay in the processor's cache. 64 MB of code take two digits. */
const DIGIT_BITS = 13;
/** Up to this many sorted tables, one after the other, are merged. */
const FEW_RUNS = 4;
/**
 * Bytes of names that may be compared for one table. The names at one address of a large library add up to
 * some megabytes, but a crafted file can have millions that differ only at the end.
 */
const COMPARISON_LIMIT = 2 ** 29;

/** Sorts symbols with the same address as `nm -n` does under `LC_ALL=C`: by the bytes of their names. */
export class NameOrder {
  readonly #nameOffset: (symbol: number) => number;
  readonly #strings: Buffer;
  #room = COMPARISON_LIMIT;

  /** `nameOffset` returns the offset of a symbol's name in `strings`, where it ends at a NUL. */
  constructor(nameOffset: (symbol: number) => number, strings: Buffer) {
    this.#nameOffset = nameOffset;
    this.#strings = strings;
  }

  /** Sorts `[from, to)` of `symbols` by name; symbols with the same name by number. */
  sort(symbols: Uint32Array, from: number, to: number): void {
    const compare = (a: number, b: number) => this.#compare(a, b);
    if (to - from > FEW) symbols.subarray(from, to).sort(compare);
    else insertInOrder(symbols, from, to, compare);
  }

  #compare(a: number, b: number): number {
    const strings = this.#strings;
    let x = this.#nameOffset(a);
    let y = this.#nameOffset(b);
    while (x !== y && this.#room-- > 0) {
      const difference = (strings[x++] ?? 0) - (strings[y++] ?? 0);
      if (difference !== 0) return difference;
      if ((strings[x - 1] ?? 0) === 0) break;
    }
    return a - b;
  }
}

/**
 * Returns the indices of `values` in the order in which `nm -n` prints symbols: by value, then as `names`
 * sorts them.
 *
 * Source: binutils, binutils/nm.c, `numeric_forward`.
 */
export function symbolOrder(values: Float64Array, names: NameOrder): Uint32Array {
  const order = orderByValue(values);
  for (let from = 0; from < order.length; from++) {
    const value = values[order[from]!]!;
    if (values[order[from + 1]!] !== value) continue;
    let to = from + 2;
    while (values[order[to]!] === value) to++;
    names.sort(order, from, to);
    from = to - 1;
  }
  return order;
}

/** Returns the indices of `values` by ascending value. The sort is stable. */
function orderByValue(values: Float64Array): Uint32Array {
  const { length } = values;
  const { low, high, runs } = surveyOf(values);
  if (length < MANY || high - low >= 2 ** 32 || runs !== undefined) {
    const order = new Uint32Array(length);
    for (let i = 0; i < length; i++) order[i] = i;
    if (runs !== undefined) return mergeRuns(order, values, runs);
    return order.sort((a, b) => values[a]! - values[b]! || a - b);
  }
  // The code of one file spans less than 4 GB, so a radix sort works. It is ten times faster than a callback.
  let source = { keys: new Uint32Array(length), order: new Uint32Array(length) };
  let target = { keys: new Uint32Array(length), order: new Uint32Array(length) };
  for (let i = 0; i < length; i++) {
    source.keys[i] = values[i]! - low;
    source.order[i] = i;
  }
  const bits = Math.ceil(Math.log2(high - low + 1));
  for (let shift = 0; shift < bits; shift += DIGIT_BITS) {
    sortByDigit(source, target, shift);
    [source, target] = [target, source];
  }
  return source.order;
}

/** Numbers with their keys. */
interface Keyed {
  readonly keys: Uint32Array;
  readonly order: Uint32Array;
}

/** Copies `source` to `target`, sorted by one digit of each key. The sort is stable. */
function sortByDigit(source: Keyed, target: Keyed, shift: number): void {
  const { keys, order } = source;
  const { keys: sortedKeys, order: sorted } = target;
  const ends = new Uint32Array(2 ** DIGIT_BITS + 1);
  const mask = 2 ** DIGIT_BITS - 1;
  for (let i = 0; i < keys.length; i++) ends[((keys[i]! >>> shift) & mask) + 1]!++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit]! += ends[digit - 1]!;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const at = ends[(key >>> shift) & mask]!++;
    sortedKeys[at] = key;
    sorted[at] = order[i]!;
  }
}

interface Survey {
  readonly low: number;
  readonly high: number;
  /** Start of each ascending run, and the end of the last one; undefined if there are too many. */
  readonly runs: number[] | undefined;
}

function surveyOf(values: Float64Array): Survey {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let before = 0;
  const runs = [0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < before && runs.length <= FEW_RUNS) runs.push(i);
    if (value < low) low = value;
    if (value > high) high = value;
    before = value;
  }
  return { low, high, runs: runs.length <= FEW_RUNS ? [...runs, values.length] : undefined };
}

/** Merges the runs of `order`. The sort is stable. */
function mergeRuns(order: Uint32Array, values: Float64Array, runs: readonly number[]): Uint32Array {
  const left = new Uint32Array(order.length);
  for (let run = 1; run + 1 < runs.length; run++) {
    const [start, end] = [runs[run]!, runs[run + 1]!];
    left.set(order.subarray(0, start));
    let [a, b, at] = [0, start, 0];
    while (a < start && b < end) {
      order[at++] = values[order[b]!]! < values[left[a]!]! ? order[b++]! : left[a++]!;
    }
    while (a < start) order[at++] = left[a++]!;
  }
  return order;
}

function insertInOrder(
  order: Uint32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
  for (let i = from + 1; i < to; i++) {
    const symbol = order[i]!;
    let at = i;
    for (; at > from && compare(order[at - 1]!, symbol) > 0; at--) order[at] = order[at - 1]!;
    order[at] = symbol;
  }
}

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

/** Functions in one symbol table of a file that does not state how long they are. */
export interface NamedFunctions {
  /** Link addresses, in any order. Several functions can have the same one. */
  readonly starts: Float64Array;
  /** The offset of each name in `names`. */
  readonly nameOffsets: Uint32Array;
  /** The names, each up to a NUL. */
  readonly names: Buffer;
  /** Returns how many bytes of the name at an offset are not part of it. Default: none. */
  readonly skip?: ((nameOffset: number) => number) | undefined;
  /** Undefined for a table of the library itself. */
  readonly debugFile: string | undefined;
  /** Returns where the name at an offset is in the file. */
  place(nameOffset: number): NamePlace;
}

/** Where a name is in a file. */
export interface NamePlace {
  readonly strings: StringsRange;
  /** In `strings`. */
  readonly offset: number;
  /** The rest of the name, if it is elsewhere in the file. */
  readonly suffix: string;
}

/** Maximum number of distinct origins of names. */
const ORIGIN_LIMIT = 2 ** 16;

/**
 * Merges the functions of several tables, most trusted first. Of several functions at one address the first
 * wins, in the order of `nm -n`. A function ends where the next one starts, where the code ends, or at the
 * next of `bounds`, which are addresses in ascending order at which functions start or end, named or not.
 * Returns undefined if there are no functions.
 */
export function functionTable(
  tables: readonly NamedFunctions[],
  code: readonly Segment[],
  bounds: Float64Array = new Float64Array(),
): SymbolTable | undefined {
  const all = chosenOf(tables);
  const { length } = all.starts;
  if (length === 0) return undefined;
  const ends = endsOf(all.starts, code, bounds);
  const nameAt = (index: number) => {
    const { names, nameOffsets, skip } = tables[all.table[index]!]!;
    const offset = nameOffsets[all.symbol[index]!]!;
    return stringAt(names, offset + (skip?.(offset) ?? 0));
  };
  return { length, starts: all.starts, ends, name: nameAt, nameLocations: () => locationsOf(tables, all) };
}

/** One function for each address, by ascending address. */
interface Chosen {
  readonly starts: Float64Array;
  /** The index of its table. */
  readonly table: Uint8Array;
  /** Its index in the table. */
  readonly symbol: Uint32Array;
}

function chosenOf(tables: readonly NamedFunctions[]): Chosen {
  const total = tables.reduce((sum, { starts }) => sum + starts.length, 0);
  const all = emptyChoice(total);
  let length = 0;
  for (const [number, one] of tables.entries()) {
    const order = symbolOrder(one.starts, new NameOrder((i) => one.nameOffsets[i]!, one.names));
    for (let i = 0; i < order.length; i++) {
      all.starts[length] = one.starts[order[i]!]!;
      all.table[length] = number;
      all.symbol[length++] = order[i]!;
    }
  }
  // Each table is in order now, and the sort is stable: the most trusted table comes first.
  const order = orderByValue(all.starts);
  const kept = emptyChoice(total);
  length = 0;
  for (let i = 0; i < total; i++) {
    const at = order[i]!;
    const start = all.starts[at]!;
    if (length > 0 && kept.starts[length - 1] === start) continue;
    kept.starts[length] = start;
    kept.table[length] = all.table[at]!;
    kept.symbol[length++] = all.symbol[at]!;
  }
  return {
    starts: kept.starts.subarray(0, length),
    table: kept.table.subarray(0, length),
    symbol: kept.symbol.subarray(0, length),
  };
}

function emptyChoice(length: number): Chosen {
  return {
    starts: new Float64Array(length),
    table: new Uint8Array(length),
    symbol: new Uint32Array(length),
  };
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

/** Returns undefined if there are too many origins. */
function locationsOf(
  tables: readonly NamedFunctions[],
  { table, symbol }: Chosen,
): NameLocations | undefined {
  const origins: NameOrigin[] = [];
  const origin = new Uint16Array(table.length);
  const offset = new Uint32Array(table.length);
  const numbers = new Map<StringsRange, number>();
  for (let i = 0; i < table.length; i++) {
    const { nameOffsets, skip, debugFile, place } = tables[table[i]!]!;
    const at = nameOffsets[symbol[i]!]!;
    const { strings, suffix, offset: from } = place(at + (skip?.(at) ?? 0));
    // Tables whose names are in one piece return one range for all.
    const number = numbers.get(strings) ?? origins.push({ debugFile, strings, suffix }) - 1;
    if (origins.length > ORIGIN_LIMIT) return undefined;
    numbers.set(strings, number);
    origin[i] = number;
    offset[i] = from;
  }
  return { origins, origin, offset };
}
