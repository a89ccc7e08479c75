import type { SymbolCache } from "./cache/symbol-cache.js";
import { currentDemangler, type DemangleOptions, demangle } from "./demangle/demangle.js";
import type { MappedSymbols } from "./load-library.js";
import type { SymbolTable } from "./table/symbol-table.js";

/** A function of a library. */
export interface LibraryFunction {
  readonly symbols: MappedSymbols;
  /** Its index in their table. */
  readonly index: number;
}

export interface FunctionNamesOptions extends DemangleOptions {
  /** Keeps readable names for the next log. Default: none. */
  readonly cache?: SymbolCache | undefined;
}

/** The names of tables with fewer functions are quickly read. */
const LARGE_TABLE = 1 << 14;
/** More names at once are those of a whole library, whatever log it is for. */
const KEEP_LIMIT = 1 << 14;

/** A mangled name that is not known yet. */
interface MangledName {
  /** Which of the functions has it. */
  readonly at: number;
  readonly mangled: string;
  readonly cached: CachedNames;
  readonly key: string;
}

/**
 * The names of functions as people write them, in the order of `functions`. What was made readable before is taken from
 * the cache: a log needs some hundred of a library's names, which lie all over it. Never rejects.
 */
export async function readableNames(
  functions: readonly LibraryFunction[],
  { cache, ...options }: FunctionNamesOptions = {},
): Promise<string[]> {
  const demangler = currentDemangler(options);
  const cachedOf = new Map<SymbolTable, CachedNames>();
  const names: string[] = new Array(functions.length);
  const unknown: MangledName[] = [];
  for (const [at, { symbols, index }] of functions.entries()) {
    const { table, isMangled } = symbols;
    if (!isMangled) {
      names[at] = table.name(index);
      continue;
    }
    const cached = cachedOf.get(table) ?? new CachedNames(table, demangler, cache);
    cachedOf.set(table, cached);
    const key = cached.keyOf(index);
    const known = cached.get(key);
    if (known === undefined) unknown.push({ at, mangled: cached.mangled(index, key), cached, key });
    else names[at] = known;
  }
  if (unknown.length === 0) return names;

  const { names: readable, isLasting } = await demangle(
    unknown.map(({ mangled }) => mangled),
    options,
  );
  const isCached = unknown.length <= KEEP_LIMIT;
  for (const [i, { at, cached, key }] of unknown.entries()) {
    names[at] = readable[i]!;
    if (isCached && isLasting[i]) cached.add(key, readable[i]!);
  }
  for (const cached of cachedOf.values()) cached.save();
  return names;
}

/** The readable names of one table as the cache keeps them: on their own for a large one, else with those of other tables. */
class CachedNames {
  readonly #table: SymbolTable;
  readonly #cache: SymbolCache | undefined;
  readonly #topic: string;
  /** Whether a name is known by where its function starts; else by how the linker has it. */
  readonly #isByStart: boolean;
  readonly #known: ReadonlyMap<string, string> | undefined;
  readonly #added = new Map<string, string>();

  constructor(table: SymbolTable, demangler: string, cache: SymbolCache | undefined) {
    const tableKey = table.length < LARGE_TABLE ? undefined : cache?.keyOf(table);
    this.#table = table;
    this.#cache = cache;
    this.#isByStart = tableKey !== undefined;
    this.#topic = JSON.stringify(["names", demangler, ...(tableKey === undefined ? [] : [tableKey])]);
    this.#known = cache?.texts(this.#topic);
  }

  keyOf(index: number): string {
    return this.#isByStart ? this.#table.starts[index]!.toString(16) : this.#table.name(index);
  }

  /** The name of a function as the linker has it; `key` is its key. */
  mangled(index: number, key: string): string {
    return this.#isByStart ? this.#table.name(index) : key;
  }

  get(key: string): string | undefined {
    return this.#known?.get(key);
  }

  add(key: string, name: string): void {
    this.#added.set(key, name);
  }

  save(): void {
    if (this.#added.size > 0) this.#cache?.keepTexts(this.#topic, this.#added);
  }
}
