import { type RegularFile, withRegularFile } from "../io/regular-file.js";
import type { Address } from "../profile/units.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import { findSection, readSections, SECTION_TYPE } from "./elf.js";
import type { SymbolTable } from "./symbol-table.js";

const CHUNK_BYTES = 1 << 20;
/** Longer than any version, so that a version across two chunks is found in the second one. */
const OVERLAP = 64;
const EMBEDDER_MARK = Buffer.from("-node.");
const VERSION_BEFORE_MARK = /(\d{1,3}\.\d{1,3}\.\d{1,4}\.\d{1,3})$/;
const NAMES_TO_TRY = 512;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const V8_NAME = /^_{1,2}ZNK?2v88internal|^v8::internal::|^\?.*@v8@@/;

/** Returned by {@link foreignV8} if it finds no version. */
export const ANOTHER_VERSION = "another version";

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
export function nodeV8(file: string): string | undefined {
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

/** Yields a file in overlapping chunks, its constants first. All are one buffer, reused; one that cannot be read ends them. */
function* chunksOf(file: RegularFile): Iterable<{ chunk: Buffer; isWhole: boolean }> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES + OVERLAP, file.size));
  for (const { from, to } of searchOrder(file)) {
    for (let offset = from; offset < to; offset += CHUNK_BYTES) {
      const start = Math.max(0, offset - OVERLAP);
      const chunk = buffer.subarray(0, Math.min(to, offset + CHUNK_BYTES) - start);
      const isWhole = file.readInto(chunk, start);
      yield isWhole ? { chunk, isWhole } : { chunk: chunk.subarray(0, 0), isWhole };
      if (!isWhole) return;
    }
  }
}

/** Returns the ranges of the whole file, beginning with the constants, which are a third of a Node binary. */
function searchOrder(file: RegularFile): { from: number; to: number }[] {
  const sections = readSections(file);
  const constants = sections && findSection(sections, ".rodata");
  const whole = { from: 0, to: file.size };
  if (constants === undefined || constants.type === SECTION_TYPE.noBits) return [whole];
  const from = Math.min(constants.offset, file.size);
  const to = Math.min(from + constants.size, file.size);
  return [
    { from, to },
    { from: 0, to: from },
    { from: to, to: file.size },
  ];
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
