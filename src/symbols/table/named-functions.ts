import type { LinkAddress } from "../../profile/units.js";
import type { Segment } from "../elf/file.js";
import { type StringsRange, stringAt } from "./file-strings.js";
import { NameOrder, orderByValue, symbolOrder } from "./symbol-order.js";
import type { NameLocations, NameOrigin, SymbolTable } from "./symbol-table.js";

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
