import { basename, delimiter, join } from "node:path";
import { stampAt } from "./regular-file.js";
import type { SymbolCache } from "./symbol-cache.js";

/** How names are made readable. */
export interface DemangleOptions {
  /** The program that demangles names. Default: `c++filt`, from the PATH. */
  readonly program?: string | undefined;
  /** Names that were made readable before. Default: none. */
  readonly cache?: SymbolCache | undefined;
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

  const readable = await makeReadable(mangled, options);
  return names.map((name, i) => {
    const [, before = "", middle, after = ""] = parts[i] ?? [];
    // A name that cannot be demangled comes back as it was, so nothing is lost by putting it together again.
    return middle === undefined ? name : `${before}${readable.get(middle) ?? middle}${after}`;
  });
}

/** More names at once are those of a whole library, whatever log it is for. */
const KEEP_LIMIT = 1 << 14;
/** The package whose demangler is used without a program; its names change with the second number. */
const DEMANGLER_HERE = "gecko-profiler-demangle 0.4";

/** The readable names, by name; those of other names may be among them. */
async function makeReadable(
  names: ReadonlySet<string>,
  { program = "c++filt", cache }: DemangleOptions,
): Promise<ReadonlyMap<string, string>> {
  if (cache === undefined) return (await demangleAnew(Array.from(names), program)).readable;
  const found = findProgram(program);
  const topic = JSON.stringify(["names", found ?? DEMANGLER_HERE]);
  const known = cache.texts(topic);
  const wanted = Array.from(names).filter((name) => !known.has(name));
  if (wanted.length === 0) return known;
  const { readable, byProgram, isStopped } = await demangleAnew(wanted, program);
  const isOfTopic = (name: string) => byProgram.has(name) === (found !== undefined);
  const kept = Array.from(readable).filter(([name]) => isOfTopic(name));
  if (!isStopped && kept.length > 0 && kept.length <= KEEP_LIMIT) cache.keepTexts(topic, kept);
  return new Map([...known, ...readable]);
}

interface Demangled {
  readonly readable: Map<string, string>;
  /** Which of them the program made. */
  readonly byProgram: ReadonlySet<string>;
  /** Whether some names are as they were for lack of time, or of a demangler. */
  readonly isStopped: boolean;
}

async function demangleAnew(names: readonly string[], program: string): Promise<Demangled> {
  // Modules that most runs do without: their names are known.
  const { filterThroughCxxfilt } = await import("./cxxfilt.js");
  const { readable, isStopped } = await filterThroughCxxfilt(names, program);
  const byProgram = new Set(readable.keys());
  const left = names.filter((name) => !byProgram.has(name));
  if (left.length === 0) return { readable, byProgram, isStopped };
  const { loadWasmDemangler } = await import("./wasm-demangler.js");
  const demangleHere = await loadWasmDemangler();
  for (const name of left) readable.set(name, demangleHere?.(name) ?? name);
  return { readable, byProgram, isStopped: isStopped || demangleHere === undefined };
}

/** Where a program is, and which one it is now; undefined where it is not on the PATH. */
function findProgram(program: string): string | undefined {
  const folders = basename(program) === program ? (process.env.PATH ?? "").split(delimiter) : [""];
  for (const folder of folders) {
    for (const extension of process.platform === "win32" ? [".exe", ""] : [""]) {
      const path = join(folder, program + extension);
      const stamp = stampAt(path);
      if (stamp !== undefined) return `${path} ${stamp}`;
    }
  }
  return undefined;
}
