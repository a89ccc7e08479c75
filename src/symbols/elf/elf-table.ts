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
  /** Undefined where it is a table of the library itself. */
  readonly debugFile: string | undefined;
}

/** More origins of names than this are not told apart. */
const ORIGIN_LIMIT = 2 ** 16;

/** Those of `.symtab`, which has all, before those of `.dynsym`, which has what other files may call. */
export function readFunctions(sections: ElfSections, debugFile?: string): ElfTable[] {
  return [SECTION_TYPE.symbols, SECTION_TYPE.dynamicSymbols].flatMap((tableType) => {
    const section = sections.list.find(({ type }) => type === tableType);
    const functions = section && readElfFunctions(sections, section);
    return functions === undefined ? [] : [{ functions, debugFile }];
  });
}

/** The functions of several tables, in the order of trust; undefined when they have none. */
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

/** Where the names of symbols lie, which are counted through all the tables; undefined when one is in no file as it stands. */
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
  // Plain loops: they run once over all functions of a binary, and are cold.
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
