import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type * as Glue from "gecko-profiler-demangle/index_bg.js";
import { valueAt } from "../base/maps.js";
import { findProgram, type ProgramLimits, readerOptions, stopPast } from "../io/child-program.js";
import { stampAt } from "../io/regular-file.js";
import type { MappedSymbols } from "./load-library.js";
import type { SymbolCache } from "./symbol-cache.js";
import type { SymbolTable } from "./symbol-table.js";

export interface LibraryFunction {
  readonly symbols: MappedSymbols;
  /** Its index in the symbol table. */
  readonly index: number;
}

interface FunctionNamesOptions extends Pick<DemangleOptions, "program"> {
  /** Keeps readable names for later logs. Default: none. */
  readonly cache?: SymbolCache | undefined;
  /**
   * Whether names are those of `nm -C`, and so of Node's reports: `c++filt` is asked, and what it cannot read stays mangled.
   * Default: false, for names that are the same on every machine.
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
  { asNm = false, cache, program }: FunctionNamesOptions = {},
): Promise<string[]> {
  const names = await demangledNames(functions, cache, { program, isHere: !asNm });
  return asNm ? names : readRest(names);
}

async function demangledNames(
  functions: readonly LibraryFunction[],
  cache: SymbolCache | undefined,
  options: DemangleOptions,
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
    const cached = valueAt(cachedOf, table, () => new CachedNames(table, demangler, cache));
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

interface DemangleOptions {
  /** The program that demangles names. Default: `c++filt` from the PATH, but none on macOS. */
  readonly program?: string | undefined;
  /** Whether names are read in this process only, without a program. Default: false. */
  readonly isHere?: boolean | undefined;
}

/** Readable names. */
interface Demangled {
  readonly names: readonly string[];
  /**
   * For each name, whether the same demangler will always return this; if not, something failed, and another
   * attempt may succeed.
   */
  readonly isLasting: readonly boolean[];
}

const DEFAULT_PROGRAM = "c++filt";

/**
 * The parts of a name: marks that some linkers put before it, the mangled name, and the version of a symbol
 * or `@plt` after it. Only the middle is demangled:
 *
 *     _ZN2v88internal4HeapE   C++ and older Rust; on macOS with one more underscore before it,
 *                             and with two more for a Clang block
 *     _RNvCs1234_7mycrate3foo Rust
 *     _GLOBAL__I_x            GCC's initializer of x
 *     ?f@@YAXXZ               C++ of Microsoft's compilers, to its end
 */
const MANGLED = /^([.$]*)((?:_{1,4}Z|_{1,2}R[A-Z\d]|_GLOBAL_[._$][DI]_)[^@]*|\?.+)(@.*)?$/s;

/**
 * Returns the readable form of each name; names that are not mangled, or in an unknown way, stay unchanged.
 * Equals the output of `nm -C` if `c++filt` of the same binutils is on the PATH, except for names that it does not
 * take: those over 32 KB or with letters beyond ASCII. Those, or all names without `c++filt`, are demangled in
 * this process, with the same spelling. Never rejects.
 *
 * Source: binutils, bfd/bfd.c, `bfd_demangle`.
 */
export async function demangle(names: readonly string[], options: DemangleOptions = {}): Promise<Demangled> {
  const parts = names.map((name) => MANGLED.exec(name));
  const mangled = new Set<string>();
  for (const part of parts) if (part !== null) mangled.add(part[2]!);
  if (mangled.size === 0) return { names, isLasting: names.map(() => true) };

  const { readable, isLasting } = await makeReadable(Array.from(mangled), options);
  return {
    names: names.map((name, i) => {
      const [, before = "", middle, after = ""] = parts[i] ?? [];
      // A name that cannot be demangled comes back unchanged, so putting the parts together restores it.
      return middle === undefined ? name : `${before}${readable.get(middle) ?? middle}${after}`;
    }),
    isLasting: parts.map((part) => part === null || isLasting(part[2]!)),
  };
}

/**
 * What demangles without a program. The first number changes with the spelling of the reader here; the package's output
 * may change with the second number of its version.
 */
const DEMANGLER_HERE = "itanium 1, gecko-profiler-demangle 0.4";

/** Identifies the demangler in use. Another one may spell names differently. */
function currentDemangler(options: DemangleOptions = {}): string {
  const path = programOf(options);
  return path === undefined ? DEMANGLER_HERE : `${path} ${stampAt(path)}`;
}

/** A C++ name with the marks around it. */
const LEFT_MANGLED = /^([.$]*)(_Z[^@]*)(@.*)?$/s;

/**
 * Returns names with those in a readable form that {@link demangle} left as they are, such as those with constraints of C++20,
 * which some versions of `c++filt` cannot read. Of a C++ name that cannot be read to its end, it is the qualified name.
 */
export async function readRest(names: readonly string[]): Promise<string[]> {
  if (!names.some((name) => LEFT_MANGLED.test(name))) return names.slice();
  const { demangleItanium, qualifiedName } = await import("./itanium.js");
  return names.map((name) => {
    const [, before = "", middle, after = ""] = LEFT_MANGLED.exec(name) ?? [];
    if (middle === undefined) return name;
    return `${before}${demangleItanium(middle) ?? qualifiedName(middle) ?? middle}${after}`;
  });
}

/** Readable names by mangled name. */
interface Readable {
  readonly readable: ReadonlyMap<string, string>;
  readonly isLasting: (name: string) => boolean;
}

/** Returns the path of the program; undefined if there is none, or none is to be asked. */
function programOf({ program, isHere }: DemangleOptions): string | undefined {
  if (isHere === true) return undefined;
  // What macOS has in its place may ask the user to install developer tools.
  if (program === undefined && process.platform === "darwin") return undefined;
  return findProgram(program ?? DEFAULT_PROGRAM);
}

async function makeReadable(names: readonly string[], options: DemangleOptions): Promise<Readable> {
  const path = programOf(options);
  const { readable, isStopped } =
    path === undefined
      ? { readable: new Map<string, string>(), isStopped: false }
      : await filterThroughCxxfilt(names, path);
  const byProgram = new Set(readable.keys());
  const isLasting = (name: string) => !isStopped && byProgram.has(name) === (path !== undefined);
  const left = names.filter((name) => !byProgram.has(name));
  if (left.length === 0) return { readable, isLasting };
  const { demangleItanium } = await import("./itanium.js");
  const others: string[] = [];
  for (const name of left) {
    const own = demangleItanium(name);
    if (own === undefined) others.push(name);
    else readable.set(name, own);
  }
  if (others.length === 0) return { readable, isLasting };
  const demangleHere = await loadWasmDemangler();
  for (const name of others) readable.set(name, demangleHere?.(name) ?? name);
  const isSet = new Set(others);
  return {
    readable,
    isLasting: (name) => isLasting(name) && (demangleHere !== undefined || !isSet.has(name)),
  };
}

/** Characters that the program accepts in a name. Any other one ends the name. */
const SAFE = /^[\w$.]+$/;
/** The program reads names into 32,767 bytes and splits longer ones. */
const LONGEST = 32_000;
/**
 * A thousand names take some ten milliseconds; beyond the limit the program hangs. All names of a Node binary
 * need a third of the bytes, but one crafted name can expand to far more.
 */
const LIMITS: ProgramLimits = { milliseconds: 30_000, bytes: 2 ** 27 };

/**
 * `-n`: underscores belong to the name, also on macOS. `-i`: omit what nm omits. LLVM's program always does
 * and has no such option.
 */
const ARGUMENTS = [["-n", "-i"], ["-n"]];

/** The output of a demangler. */
interface Filtered {
  /** By mangled name. */
  readonly readable: Map<string, string>;
  /** Whether it had to be stopped, so that some names may be unchanged for no reason of their own. */
  readonly isStopped: boolean;
}

/**
 * Demangles the names that `c++filt` can read; unknown names stay unchanged. Returns an empty map if there is
 * no such program or it fails. `program` is its path. Never rejects.
 *
 * Source: binutils, binutils/cxxfilt.c, `main`.
 */
async function filterThroughCxxfilt(names: readonly string[], program: string): Promise<Filtered> {
  const safe = names.filter((name) => name.length <= LONGEST && SAFE.test(name));
  const nothing = { readable: new Map<string, string>(), isStopped: false };
  if (safe.length === 0) return nothing;
  for (const args of ARGUMENTS) {
    // spawn can also throw, for example on a path that no program can have.
    const filtered = await filterLines(program, args, safe).catch(() => undefined);
    if (filtered === undefined) continue;
    const { lines, isStopped } = filtered;
    return { readable: new Map(safe.map((name, i) => [name, lines[i]!])), isStopped };
  }
  return nothing;
}

/** Passes lines through a program. Resolves to undefined unless it returns one line for each. */
function filterLines(
  program: string,
  args: readonly string[],
  lines: readonly string[],
): Promise<{ lines: string[]; isStopped: boolean } | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...readerOptions(), stdio: ["pipe", "pipe", "ignore"] });
    // Listen first: if the system has no file descriptors left, there is not even a stdout.
    child.on("error", () => resolve(undefined));
    const output: Buffer[] = [];
    const linesNow = () => Buffer.concat(output).toString("utf8").split("\n").slice(0, -1);
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    stopPast(child, LIMITS, () => {
      // The next name is one that nothing else should try: it and those after it stay unchanged.
      const readable = linesNow();
      resolve({ lines: lines.map((line, i) => readable[i] ?? line), isStopped: true });
    });
    // A program that ends early closes its input; only its exit status matters.
    child.stdin?.on("error", () => {});
    child.on("close", (status) => {
      const readable = linesNow();
      const isWhole = status === 0 && readable.length === lines.length;
      resolve(isWhole ? { lines: readable, isStopped: false } : undefined);
    });
    child.stdin?.end(`${lines.join("\n")}\n`);
  });
}

/** Demangles one name; returns undefined if it cannot. */
type Demangler = (name: string) => string | undefined;

/** The part of the API used here, which only newer types of Node include. */
interface WebAssemblyApi {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
}

/** Longer than any readable name of a compiler. Some broken names turn into a million brackets. */
const LONGEST_READABLE = 2 ** 16;

let loading: Promise<Demangler | undefined> | undefined;

/**
 * Loads the demangler of the Firefox Profiler, for names of Rust and of Microsoft's compilers, and for those C++ names
 * that itanium.ts does not read: it spells these as binutils does, but without return types.
 * Resolves to undefined if it cannot be loaded, for example without WebAssembly (`node --jitless`).
 */
function loadWasmDemangler(): Promise<Demangler | undefined> {
  loading ??= load(); // Only once: the package keeps the first instance's memory in a variable.
  return loading;
}

async function load(): Promise<Demangler | undefined> {
  try {
    // Its `index.js` imports WebAssembly in a way that only bundlers support.
    const glue = await import("gecko-profiler-demangle/index_bg.js");
    const bytes = await readFile(new URL("../../dist/kernels/demangler.wasm", import.meta.url));
    const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };
    const { instance } = await WebAssembly.instantiate(bytes, { "./index_bg.js": glue });
    glue.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start();
    return (name) => demangleOne(glue, name);
  } catch {
    return undefined; // Names are then shown mangled.
  }
}

function demangleOne(glue: typeof Glue, name: string): string | undefined {
  const plain = name.replace(/^_(?=_[ZR])/, ""); // The extra underscore of macOS.
  try {
    const readable = glue.demangle_any(plain);
    // It cuts the first underscore even off names that it does not know.
    const isUnknown = readable === plain || readable === plain.slice(1);
    return isUnknown || readable.length > LONGEST_READABLE ? undefined : readable;
  } catch {
    return undefined; // Not a name of any compiler.
  }
}
