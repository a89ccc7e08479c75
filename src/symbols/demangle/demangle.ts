import { findProgram } from "../../io/child-program.js";
import { stampAt } from "../regular-file.js";

/** How names are made readable. */
export interface DemangleOptions {
  /** The program that demangles names. Default: `c++filt`, from the PATH. */
  readonly program?: string | undefined;
}

/** Names as people write them. */
export interface Demangled {
  /** One for each that was given. */
  readonly names: readonly string[];
  /** For each, whether the same demangler will say the same again; else something went wrong, and another one may help. */
  readonly isLasting: readonly boolean[];
}

const DEFAULT_PROGRAM = "c++filt";

/**
 * What a name can be made of: marks that some linkers put before it, the mangled name itself, and the version of
 * a symbol or `@plt` after it. Only the middle is demangled. It is
 *
 *     _ZN2v88internal4HeapE   C++, and Rust of the older kind; on macOS with another underscore before it,
 *                             and with two more for a block of Clang's
 *     _RNvCs1234_7mycrate3foo Rust
 *     _GLOBAL__I_x            what GCC makes to initialize x
 *     ?f@@YAXXZ               C++ of Microsoft's compilers, to its end
 */
const MANGLED = /^([.$]*)((?:_{1,4}Z|_{1,2}R[A-Z\d]|_GLOBAL_[._$][DI]_)[^@]*|\?.+)(@.*)?$/s;

/**
 * The names as people write them, in the order of `names`; a name that is not mangled, or not in a way that is
 * known here, stays as it is. Equal to what `nm -C` prints where `c++filt` of the same binutils is on the PATH,
 * but for names of over 32 KB or with letters past ASCII, which it cannot be fed. Those, and all where there is
 * no `c++filt`, are demangled in this process, with some differences in spelling. Never rejects.
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
      // A name that cannot be demangled comes back as it was, so nothing is lost by putting it together again.
      return middle === undefined ? name : `${before}${readable.get(middle) ?? middle}${after}`;
    }),
    isLasting: parts.map((part) => part === null || isLasting(part[2]!)),
  };
}

/** The package whose demangler is used without a program; its names change with the second number. */
const DEMANGLER_HERE = "gecko-profiler-demangle 0.4";

/** What demangles names here and now. Another one may spell them otherwise. */
export function currentDemangler({ program = DEFAULT_PROGRAM }: DemangleOptions = {}): string {
  const path = findProgram(program);
  return path === undefined ? DEMANGLER_HERE : `${path} ${stampAt(path)}`;
}

/** Names made readable, by name. */
interface Readable {
  readonly readable: ReadonlyMap<string, string>;
  readonly isLasting: (name: string) => boolean;
}

async function makeReadable(
  names: readonly string[],
  { program = DEFAULT_PROGRAM }: DemangleOptions,
): Promise<Readable> {
  const path = findProgram(program);
  // Modules that most runs do without: their names are known.
  const { readable, isStopped } =
    path === undefined
      ? { readable: new Map<string, string>(), isStopped: false }
      : await (await import("./cxxfilt.js")).filterThroughCxxfilt(names, path);
  const byProgram = new Set(readable.keys());
  const isLasting = (name: string) => !isStopped && byProgram.has(name) === (path !== undefined);
  const left = names.filter((name) => !byProgram.has(name));
  if (left.length === 0) return { readable, isLasting };
  const { loadWasmDemangler } = await import("./wasm-demangler.js");
  const demangleHere = await loadWasmDemangler();
  for (const name of left) readable.set(name, demangleHere?.(name) ?? name);
  return { readable, isLasting: demangleHere === undefined ? () => false : isLasting };
}
