import { stampAt } from "../../io/regular-file.js";
import { FileStrings } from "../table/file-strings.js";
import type { NameOrigin, SymbolTable } from "../table/symbol-table.js";

// The functions of a library as the cache stores them. Names stay in their files, which are checked for
// changes: names are 17 MB of a Node binary, everything else is 3 MB, and a log needs some hundred names.
//
//     u32  bytes of the head
//          head, as JSON, padded so that all up to here is a multiple of eight bytes
//     f64  start of each function
//     f64  end of each function
//     u32  offset of its name among the strings of its origin
//     u16  its origin: an index in the head
const WORD = 4;
const BYTES_EACH = 8 + 8 + 4 + 2;
/** As many addresses are there. */
const ADDRESSES = 2 ** 64;

interface Head {
  /** Everything that the functions depend on. */
  readonly key: string;
  /** Undefined for a library without functions. */
  readonly length: number | undefined;
  readonly origins: readonly NameOrigin[];
}

/** What the cache knows about a library: its functions, or that it has none. */
export interface CachedFunctions {
  readonly table: SymbolTable | undefined;
}

/** Returns the parts of a cache file's content; undefined if the table cannot be cached. */
export function encodeFunctions(key: string, table: SymbolTable | undefined): Uint8Array[] | undefined {
  if (table === undefined) return [encodeHead({ key, length: undefined, origins: [] })];
  const locations = table.nameLocations?.();
  if (locations === undefined) return undefined;
  const { length, starts, ends } = table;
  const head = encodeHead({ key, length, origins: locations.origins });
  return [head, ...[starts, ends, locations.offset, locations.origin].map(bytesOf)];
}

/**
 * Reads what {@link encodeFunctions} wrote; returns undefined if it has another key or is damaged, which a right checksum does not
 * rule out: whatever is wrong with a cache, it is as if there were none. `content` must be
 * aligned to eight bytes in its buffer, and the table keeps using it; `file` is the path of the library.
 */
export function decodeFunctions(content: Buffer, key: string, file: string): CachedFunctions | undefined {
  try {
    return decoded(content, key, file);
  } catch {
    return undefined;
  }
}

function decoded(content: Buffer, key: string, file: string): CachedFunctions | undefined {
  const { buffer, byteOffset } = content;
  if (content.length < WORD) return undefined;
  const headSize = new Uint32Array(buffer, byteOffset, 1)[0]!;
  const head = decodeHead(content.subarray(WORD, WORD + headSize));
  if (head?.key !== key) return undefined;
  const { length, origins } = head;
  if (length === undefined) return { table: undefined };
  const from = padded(WORD + headSize);
  if (content.length !== from + length * BYTES_EACH) return undefined;
  const strings = openStrings(origins, file);
  if (strings === undefined) return undefined;
  const at = byteOffset + from;
  const offset = new Uint32Array(buffer, at + length * 16, length);
  const origin = new Uint16Array(buffer, at + length * 20, length);
  const starts = new Float64Array(buffer, at, length);
  const ends = new Float64Array(buffer, at + length * 8, length);
  if (length === 0 || !areFunctions(starts, ends) || !origin.every((one) => one < origins.length))
    return undefined;
  const table = {
    length,
    starts,
    ends,
    name(index: number) {
      const from = origins[origin[index]!];
      const text = from && strings.get(from.debugFile)?.at(from.strings, offset[index]!);
      return text === undefined ? "" : text + from?.suffix;
    },
  };
  return { table };
}

/** Whether functions are in the order of their starts, as searches expect, and end behind them. */
function areFunctions(starts: Float64Array, ends: Float64Array): boolean {
  let last = -1;
  for (let i = 0; i < starts.length; i++) {
    const [start, end] = [starts[i]!, ends[i]!];
    if (!(start > last && end >= start && end < ADDRESSES)) return false;
    last = start;
  }
  return true;
}

/** Opens the strings by debug file; returns undefined if a file is gone. */
function openStrings(
  origins: readonly NameOrigin[],
  file: string,
): Map<string | undefined, FileStrings> | undefined {
  const strings = new Map<string | undefined, FileStrings>();
  for (const { debugFile } of origins) {
    if (strings.has(debugFile)) continue;
    const path = debugFile ?? file;
    const stamp = stampAt(path);
    if (stamp === undefined) return undefined;
    strings.set(debugFile, new FileStrings(path, stamp));
  }
  return strings;
}

function encodeHead(head: Head): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = new Uint8Array(padded(WORD + text.length));
  new Uint32Array(bytes.buffer, 0, 1)[0] = text.length;
  bytes.set(text, WORD);
  return bytes;
}

/** Returns undefined for text in another format. */
function decodeHead(bytes: Buffer): Head | undefined {
  try {
    const head = JSON.parse(bytes.toString("utf8")) as Head;
    const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
    const isOrigin = ({ strings, suffix, debugFile }: NameOrigin) =>
      isSize(strings.offset) &&
      isSize(strings.size) &&
      typeof suffix === "string" &&
      /string|undefined/.test(typeof debugFile);
    const isOurs =
      (head.length === undefined || isSize(head.length)) &&
      Array.isArray(head.origins) &&
      head.origins.every(isOrigin);
    return isOurs ? head : undefined;
  } catch {
    return undefined; // Not JSON, or of another shape.
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function padded(size: number): number {
  return Math.ceil(size / 8) * 8;
}
