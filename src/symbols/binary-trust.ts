import type { LibraryProblem } from "../profile/library-problem.js";
import type { Address } from "../profile/units.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import type { MachOFile, Segment } from "./binary-file.js";
import type { SymbolCache } from "./symbol-cache.js";
import type { LibraryFile, SymbolSource } from "./symbol-source.js";
import type { SymbolTable } from "./symbol-table.js";
import { ANOTHER_VERSION, foreignV8, hasOtherBuiltins, holdsV8, nodeV8 } from "./v8-identity.js";

// Decides whether a library on this machine is the one that the profiled process used. Its path may hold
// another Node by now. That shows in its version of V8, as soon as its functions are read, and in its
// builtins, once the whole log is read.

export interface BinaryTrustOptions {
  /** The V8 that wrote the log. Names are not taken from a binary with another V8. Default: not checked. */
  readonly v8?: V8Version | undefined;
  /**
   * Whether the log is from a V8 too old to state its version: up to 3.28. Names are not taken from a binary of
   * Node 10 or later then. Default: false.
   */
  readonly isUnversioned?: boolean | undefined;
  /** Whether to use symbols even if the binary does not seem to match the log. Default: false. */
  readonly forceSymbols?: boolean | undefined;
  /** What is known about binaries from earlier runs. Default: nothing; everything is read again. */
  readonly cache?: SymbolCache | undefined;
}

/** Functions read from the file of a library. */
interface ReadFunctions {
  readonly table: SymbolTable;
  readonly source: SymbolSource;
}

/** Functions of a library, by address in the process. */
interface MappedFunctions {
  readonly table: SymbolTable;
  readonly buildId: string | undefined;
  find(address: Address): number;
  overlaps(start: Address, end: Address): boolean;
}

/** V8's builtins as logged, all within `[start, end)`. */
interface LoggedBuiltins {
  readonly start: Address;
  readonly end: Address;
  named(): Iterable<{ readonly start: Address; readonly name: string }>;
}

/** Bytes of a page, and the smallest step at which any system maps files. */
const PAGE = 4096;
/** Bytes of a page on Linux: x86 has the first only, ARM all, POWER the last. */
const LINUX_PAGES: readonly number[] = [PAGE, 1 << 14, 1 << 16];

/**
 * Returns a problem if the code of a file is not the code that the log states. The logs of macOS and Windows
 * state its exact size, and those of macOS its address too; those of Linux state its pages.
 *
 * Source: V8, `GetSharedLibraryAddresses` in src/base/platform/platform-darwin.cc, platform-win32.cc and
 * platform-linux.cc.
 */
export function codeProblem(
  { path, binary, start, end, slide }: LibraryFile,
  { forceSymbols }: BinaryTrustOptions,
): LibraryProblem | undefined {
  if (forceSymbols) return undefined;
  const size = end - start;
  const isSame =
    binary.format === "elf"
      ? isMappingOf(binary.segments, { path, start, end })
      : binary.format === "pe"
        ? size === binary.imageSize
        : isCodeOf(binary, { start, size, slide });
  return isSame ? undefined : { kind: "other-code", buildId: binary.buildId };
}

/**
 * Returns whether a library that Linux mapped can be the ELF file with these executable segments. A segment is mapped
 * with all its pages, and the highest end that the log has of a library is where one ends. The start is where offset 0
 * of the file is mapped or would be; up to Node 8, where the segment is. Returns true for a package, in which the library
 * has another offset, and if nothing is known.
 */
export function isMappingOf(
  segments: readonly Segment[],
  { path, start, end }: Pick<LibraryFile, "path" | "start" | "end">,
): boolean {
  if (segments.length === 0 || start === end || path.endsWith(".apk")) return true;
  const length = end - start;
  return LINUX_PAGES.filter((page) => start % page === 0).some((page) =>
    segments.some(({ fileOffset, size }) => {
      const skipped = Math.floor(fileOffset / page) * page;
      const mapped = Math.ceil((fileOffset + size) / page) * page;
      return length === mapped || length === mapped - skipped;
    }),
  );
}

/** Some versions of V8 add the slide twice; those before Node 10 do not state it. */
function isCodeOf(
  { segments: [code] }: MachOFile,
  { start, size, slide }: { readonly start: Address; readonly size: number; readonly slide: number },
): boolean {
  if (size !== code.size) return false;
  const added = start - code.linkAddress;
  return slide === 0 ? added % PAGE === 0 : added === slide || added === 2 * slide;
}

/**
 * Returns a problem if functions come from a file with another V8 than the log's; undefined if they may be
 * used.
 */
export function versionProblem(
  library: LibraryFile,
  { table, source }: ReadFunctions,
  { v8, isUnversioned, forceSymbols, cache }: BinaryTrustOptions,
): LibraryProblem | undefined {
  if ((v8 === undefined && !isUnversioned) || forceSymbols) return undefined;
  const logged = v8 && versionText(v8);
  const find = () => {
    if (!holdsV8(table)) return undefined;
    return v8 === undefined ? nodeV8(library.file) : foreignV8(library.file, v8);
  };
  const question = `another V8 than ${logged ?? "one without a version"}, by ${source.name}`;
  const found = cache === undefined ? find() : cache.ask(library, question, find);
  if (found === undefined) return undefined;
  return { kind: "other-v8", found: found === ANOTHER_VERSION ? undefined : found, logged };
}

/**
 * Returns a problem if the builtins are at other addresses than in the log; undefined if the functions may be
 * used.
 */
export function buildProblem(
  functions: MappedFunctions,
  builtins: LoggedBuiltins,
  { forceSymbols }: BinaryTrustOptions,
): LibraryProblem | undefined {
  if (forceSymbols || !functions.overlaps(builtins.start, builtins.end)) return undefined;
  const nameAt = (address: Address) => {
    const index = functions.find(address);
    return index < 0 ? undefined : functions.table.name(index);
  };
  if (!hasOtherBuiltins({ builtins: Array.from(builtins.named()), nameAt })) return undefined;
  return { kind: "other-build", buildId: functions.buildId };
}
