import {
  chooseFunctions,
  type NameLocations,
  type NameOrigin,
  type SymbolTable,
} from "../table/symbol-table.js";
import type { ElfFile } from "./file.js";
import { type ElfFunctions, readElfFunctions } from "./functions.js";
import { type ElfSections, SECTION_TYPE } from "./sections.js";

/** The functions in one symbol table of a library or of its debug file. */
export interface ElfTable {
  readonly functions: ElfFunctions;
  /** Undefined for a table of the library itself. */
  readonly debugFile: string | undefined;
}

/** Maximum number of distinct origins of names. */
const ORIGIN_LIMIT = 2 ** 16;

/**
 * Reads the functions of `.symtab`, which is complete, then those of `.dynsym`, which has what other files
 * may call.
 */
export function readFunctions(sections: ElfSections, debugFile?: string): ElfTable[] {
  return [SECTION_TYPE.symbols, SECTION_TYPE.dynamicSymbols].flatMap((tableType) => {
    const section = sections.list.find(({ type }) => type === tableType);
    const functions = section && readElfFunctions(sections, section);
    return functions === undefined ? [] : [{ functions, debugFile }];
  });
}

/** Merges the functions of several tables, most trusted first; returns undefined if there are none. */
export function merge(tables: readonly ElfTable[], { segments }: ElfFile): SymbolTable | undefined {
  const total = tables.reduce((sum, { functions }) => sum + functions.length, 0);
  if (total === 0) return undefined;
  const all = { starts: new Float64Array(total), sizes: new Float64Array(total) };
  let from = 0;
  for (const { functions } of tables) {
    all.starts.set(functions.starts, from);
    all.sizes.set(functions.sizes, from);
    from += functions.length;
  }
  const end = segments.reduce((last, { linkAddress, size }) => Math.max(last, linkAddress + size), 0);
  const { symbols, starts, ends } = chooseFunctions(all.starts, all.sizes, end);
  const name = (index: number) => {
    let symbol = symbols[index]!;
    for (const { functions } of tables) {
      if (symbol < functions.length) return functions.name(symbol);
      symbol -= functions.length;
    }
    return "";
  };
  return { length: symbols.length, starts, ends, name, nameLocations: () => locationsOf(symbols, tables) };
}

/**
 * Returns where the names of symbols are; symbols are numbered across all tables. Returns undefined if a name
 * is not stored in a file as it is.
 */
function locationsOf(symbols: Uint32Array, tables: readonly ElfTable[]): NameLocations | undefined {
  const origins: NameOrigin[] = [];
  const origin = new Uint16Array(symbols.length);
  const offset = new Uint32Array(symbols.length);
  const perTable = tables.map(({ functions, debugFile }) => {
    const { strings } = functions;
    const numbers = new Map<string, number>();
    const originOf = (suffix: string) => {
      const number = numbers.get(suffix) ?? origins.push({ debugFile, strings: strings!, suffix }) - 1;
      numbers.set(suffix, number);
      return number;
    };
    return { ...functions, originOf, plain: originOf("") };
  });
  if (perTable.some(({ strings }) => strings === undefined)) return undefined;
  // Plain loops: this code runs once over all functions of a binary, before V8 optimizes it.
  for (let i = 0; i < symbols.length; i++) {
    let index = symbols[i]!;
    let table = 0;
    while (index >= perTable[table]!.length) index -= perTable[table++]!.length;
    const { nameOffsets, suffix, originOf, plain } = perTable[table]!;
    offset[i] = nameOffsets[index]!;
    origin[i] = suffix === undefined ? plain : originOf(suffix(index));
  }
  return origins.length <= ORIGIN_LIMIT ? { origins, origin, offset } : undefined;
}
