import { filterThroughCxxfilt } from "./cxxfilt.js";
import { loadWasmDemangler } from "./wasm-demangler.js";

/** How names are made readable. */
export interface DemangleOptions {
  /** The program that demangles names. Default: `c++filt`, from the PATH. */
  readonly program?: string | undefined;
}

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
export async function demangle(names: readonly string[], options: DemangleOptions = {}): Promise<string[]> {
  const parts = names.map((name) => MANGLED.exec(name));
  const mangled = new Set<string>();
  for (const part of parts) if (part !== null) mangled.add(part[2]!);
  if (mangled.size === 0) return [...names];

  const readable = await filterThroughCxxfilt(Array.from(mangled), options.program ?? "c++filt");
  const left = Array.from(mangled).filter((name) => !readable.has(name));
  const demangleHere = left.length === 0 ? undefined : await loadWasmDemangler();
  for (const name of left) readable.set(name, demangleHere?.(name) ?? name);
  return names.map((name, i) => {
    const [, before = "", middle, after = ""] = parts[i] ?? [];
    // A name that cannot be demangled comes back as it was, so nothing is lost by putting it together again.
    return middle === undefined ? name : `${before}${readable.get(middle) ?? middle}${after}`;
  });
}
