import { findProgram } from "../../io/child-program.js";
import { stampAt } from "../../io/regular-file.js";

/** Options for demangling. */
export interface DemangleOptions {
  /** The program that demangles names. Default: `c++filt` from the PATH, but none on macOS. */
  readonly program?: string | undefined;
}

/** Readable names. */
export interface Demangled {
  /** One for each name that was given. */
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
 * Equals the output of `nm -C` if `c++filt` of the same binutils is on the PATH, except for names that it cannot
 * read, such as those with constraints of C++20. Those, or all names without `c++filt`, are demangled in this
 * process, with the same spelling. Of a C++ name that cannot be read to its end, it is the qualified name. Never rejects.
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

/** The reader of C++ names here. The number changes with its spelling. */
const CXX_HERE = "itanium 1";
/** What demangles without a program. The package's output may change with its second number. */
const DEMANGLER_HERE = `${CXX_HERE}, gecko-profiler-demangle 0.4`;

/** Identifies the demangler in use. Another one may spell names differently. */
export function currentDemangler(options: DemangleOptions = {}): string {
  const path = programOf(options);
  return path === undefined ? DEMANGLER_HERE : `${path} ${stampAt(path)}, ${CXX_HERE}`;
}

/** Readable names by mangled name. */
interface Readable {
  readonly readable: ReadonlyMap<string, string>;
  readonly isLasting: (name: string) => boolean;
}

/** Returns the path of the program; undefined if there is none. */
function programOf({ program }: DemangleOptions): string | undefined {
  // What macOS has in its place may ask the user to install developer tools.
  if (program === undefined && process.platform === "darwin") return undefined;
  return findProgram(program ?? DEFAULT_PROGRAM);
}

async function makeReadable(names: readonly string[], options: DemangleOptions): Promise<Readable> {
  const path = programOf(options);
  // Loaded only if needed: mostly all names are in the cache.
  const { readable, isStopped } =
    path === undefined
      ? { readable: new Map<string, string>(), isStopped: false }
      : await (await import("./cxxfilt.js")).filterThroughCxxfilt(names, path);
  const byProgram = new Set(readable.keys());
  const isLasting = (name: string) => !isStopped && byProgram.has(name) === (path !== undefined);
  const left = names.filter((name) => (readable.get(name) ?? name) === name);
  if (left.length === 0) return { readable, isLasting };
  const { demangleItanium, qualifiedName } = await import("./itanium.js");
  const others: string[] = [];
  for (const name of left) {
    // What the program left as it is for its underscores is no C++ name here.
    if (byProgram.has(name) && !name.startsWith("_Z")) continue;
    const own = demangleItanium(name);
    if (own !== undefined) readable.set(name, own);
    else if (byProgram.has(name)) readable.set(name, qualifiedName(name) ?? name);
    else others.push(name);
  }
  if (others.length === 0) return { readable, isLasting };
  const { loadWasmDemangler } = await import("./wasm-demangler.js");
  const demangleHere = await loadWasmDemangler();
  for (const name of others) readable.set(name, demangleHere?.(name) ?? qualifiedName(name) ?? name);
  const isSet = new Set(others);
  return {
    readable,
    isLasting: (name) => isLasting(name) && (demangleHere !== undefined || !isSet.has(name)),
  };
}
