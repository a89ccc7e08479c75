import { currentDemangler, type DemangleOptions, demangle, readRest } from "./demangle/demangle.js";
import type { MappedSymbols } from "./load-library.js";
import type { SymbolCache } from "./symbol-cache.js";
import type { SymbolTable } from "./symbol-table.js";

/** A function of a library. */
export interface LibraryFunction {
  readonly symbols: MappedSymbols;
  /** Its index in the symbol table. */
  readonly index: number;
}

export interface FunctionNamesOptions extends DemangleOptions {
  /** Keeps readable names for later logs. Default: none. */
  readonly cache?: SymbolCache | undefined;
  /**
   * Whether names that `c++filt` cannot read stay mangled, as in the output of `nm -C` and so in Node's reports.
   * Default: false.
   */
  readonly asNm?: boolean | undefined;
}

/** Names of smaller tables are quick to read. */
const LARGE_TABLE = 1 << 14;
/** More names at once are those of a whole library, and not specific to this log. */
const KEEP_LIMIT = 1 << 14;

/** A mangled name that is not in the cache. */
interface MangledName {
  /** Index of its function in the request. */
  readonly at: number;
  readonly mangled: string;
  readonly cached: CachedNames;
  readonly key: string;
}

/**
 * Returns the readable names of functions, in the order of `functions`. Known names come from the cache,
 * because a log needs only some hundred of a library's names, spread over the whole file. Never rejects.
 */
export async function readableNames(
  functions: readonly LibraryFunction[],
  { asNm, ...options }: FunctionNamesOptions = {},
): Promise<string[]> {
  const names = await namesAsNm(functions, options);
  return asNm === true ? names : readRest(names);
}

async function namesAsNm(
  functions: readonly LibraryFunction[],
  { cache, ...options }: FunctionNamesOptions,
): Promise<string[]> {
  const demangler = currentDemangler(options);
  const cachedOf = new Map<SymbolTable, CachedNames>();
  const names: string[] = new Array(functions.length);
  const unknown: MangledName[] = [];
  for (let at = 0; at < functions.length; at++) {
    const { symbols, index } = functions[at]!;
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

/** The cached names of one table: a large table has a topic of its own, small ones share one. */
class CachedNames {
  readonly #table: SymbolTable;
  readonly #cache: SymbolCache | undefined;
  readonly #topic: string;
  /** Whether names are keyed by the start of their function; else by the mangled name. */
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

  /** Returns the mangled name of a function; `key` is its key. */
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
