import type { Address } from "../base/units.js";
import { type RegularFile, withRegularFile } from "../io/regular-file.js";
import type { LibraryProblem } from "../profile/library-problem.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import type { MachOFile, Segment } from "./binary-file.js";
import type { SymbolCache } from "./symbol-cache.js";
import type { LibraryFile, SymbolSource } from "./symbol-source.js";
import type { SymbolTable } from "./symbol-table.js";

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

const CHUNK_BYTES = 1 << 20;
/** Longer than any version, so that a version across two chunks is found in the second one. */
const OVERLAP = 64;
const EMBEDDER_MARK = Buffer.from("-node.");
const VERSION_BEFORE_MARK = /(\d{1,3}\.\d{1,3}\.\d{1,4}\.\d{1,3})$/;
const NAMES_TO_TRY = 512;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const V8_NAME = /^_{1,2}ZNK?2v88internal|^v8::internal::|^\?.*@v8@@/;

/** Returned by {@link foreignV8} if it finds no version. */
const ANOTHER_VERSION = "another version";

/**
 * Returns the version of V8 in a binary if it is not the one that wrote the log: as text if the binary
 * contains one, else {@link ANOTHER_VERSION}. Returns undefined if the binary contains the log's version, or
 * if the file cannot be read.
 *
 * V8 keeps its version as text, `14.6.202.34-node.34`, among its constants.
 * Source: V8, src/utils/version.cc, `Version::version_string_`.
 */
export function foreignV8(file: string, expected: V8Version): string | undefined {
  return withRegularFile(file, (open) => searchVersion(open, Buffer.from(versionText(expected))));
}

/**
 * Returns the version of V8 in a binary of Node 10 or later, which marks it as its own; undefined in any other
 * file.
 */
function nodeV8(file: string): string | undefined {
  return withRegularFile(file, (open) => {
    for (const { chunk } of chunksOf(open)) {
      const found = nodeVersionIn(chunk);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

/** Returns whether functions are from a binary that contains V8. Checks only some of the names. */
export function holdsV8(table: SymbolTable): boolean {
  const { length } = table;
  // Steps by the golden ratio soon cover the whole binary, half of which is V8.
  const indexOf = (i: number) => (length <= NAMES_TO_TRY ? i : Math.floor(((i * GOLDEN_RATIO) % 1) * length));
  for (let i = 0; i < Math.min(NAMES_TO_TRY, length); i++) {
    if (V8_NAME.test(table.name(indexOf(i)))) return true;
  }
  return false;
}

/**
 * Prefix of builtins in the symbol table, as in `Builtins_ArrayMap`. Source: V8,
 * src/snapshot/embedded/embedded-file-writer.cc.
 */
const BUILTIN_PREFIX = "Builtins_";
/** Fewer builtins than this prove nothing. */
const BUILTINS_TO_TRY = 20;

/** Builtins as logged, and the library's name for an address. */
interface BuiltinNames {
  readonly builtins: readonly { readonly start: Address; readonly name: string }[];
  nameAt(address: Address): string | undefined;
}

/**
 * Returns whether the log's builtins are at other addresses in this binary, which is then another build of
 * the same version. It cannot tell if the binary has no symbols for builtins, or if the log's builtins are
 * elsewhere (Node 22 and later).
 */
export function hasOtherBuiltins({ builtins, nameAt }: BuiltinNames): boolean {
  let right = 0;
  let wrong = 0;
  let isKnown = false;
  for (const { start, name } of builtins) {
    const symbol = nameAt(start);
    if (symbol === undefined) continue;
    isKnown ||= symbol.startsWith(BUILTIN_PREFIX);
    if (symbol === BUILTIN_PREFIX + name) right++;
    else wrong++;
    if (2 * right >= builtins.length) return false; // Whatever the others are.
  }
  return isKnown && right + wrong >= BUILTINS_TO_TRY && wrong > right;
}

function searchVersion(file: RegularFile, expected: Buffer): string | undefined {
  let other: string | undefined;
  for (const { chunk, isWhole } of chunksOf(file)) {
    if (!isWhole || chunk.includes(expected)) return undefined;
    other ??= nodeVersionIn(chunk);
  }
  return other ?? ANOTHER_VERSION;
}

/** Yields a file in overlapping chunks. All are one buffer, reused; one that cannot be read ends them. */
function* chunksOf(file: RegularFile): Iterable<{ chunk: Buffer; isWhole: boolean }> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES + OVERLAP, file.size));
  for (let offset = 0; offset < file.size; offset += CHUNK_BYTES) {
    const start = Math.max(0, offset - OVERLAP);
    const chunk = buffer.subarray(0, Math.min(file.size, offset + CHUNK_BYTES) - start);
    const isWhole = file.readInto(chunk, start);
    yield isWhole ? { chunk, isWhole } : { chunk: chunk.subarray(0, 0), isWhole };
    if (!isWhole) return;
  }
}

/** Returns a version of V8 followed by Node's mark. */
function nodeVersionIn(chunk: Buffer): string | undefined {
  for (let at = chunk.indexOf(EMBEDDER_MARK); at >= 0; at = chunk.indexOf(EMBEDDER_MARK, at + 1)) {
    const before = VERSION_BEFORE_MARK.exec(chunk.toString("latin1", Math.max(0, at - 20), at))?.[1];
    const number = /^\d{1,3}/.exec(
      chunk.toString("latin1", at + EMBEDDER_MARK.length, at + EMBEDDER_MARK.length + 3),
    )?.[0];
    if (before !== undefined && number !== undefined) return `${before}-node.${number}`;
  }
  return undefined;
}
