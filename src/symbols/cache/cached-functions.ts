import { stampAt } from "../regular-file.js";
import { FileStrings } from "../table/file-strings.js";
import type { NameOrigin, SymbolTable } from "../table/symbol-table.js";

// The functions of a library as the cache keeps them. Names stay in the files that they were read from, which are known
// to be the same: they are 17 MB in a binary of Node, the rest is 3 MB, and a log needs some hundred of them.
//
//     u32  bytes of the head
//          head, as JSON; what was before it and it fill a multiple of eight bytes
//     f64  start of each function
//     f64  end of each function
//     u32  where its name starts among the strings of its origin
//     u16  its origin: an index in the head
const WORD = 4;
const BYTES_EACH = 8 + 8 + 4 + 2;

interface Head {
  /** All that the functions depend on. */
  readonly key: string;
  /** Undefined for a library that has no functions. */
  readonly length: number | undefined;
  readonly origins: readonly NameOrigin[];
}

/** What the cache knows of a library: its functions, or that it has none. */
export interface CachedFunctions {
  readonly table: SymbolTable | undefined;
}

/** The parts of the content of a file of the cache; undefined where the table cannot be kept. */
export function encodeFunctions(key: string, table: SymbolTable | undefined): Uint8Array[] | undefined {
  if (table === undefined) return [encodeHead({ key, length: undefined, origins: [] })];
  const locations = table.nameLocations?.();
  if (locations === undefined) return undefined;
  const { length, starts, ends } = table;
  const head = encodeHead({ key, length, origins: locations.origins });
  return [head, ...[starts, ends, locations.offset, locations.origin].map(bytesOf)];
}

/**
 * Reads what {@link encodeFunctions} made; undefined when it was made for another key. `content` starts at a multiple of
 * eight bytes in its buffer, and the table goes on to use it; `file` is where the library is.
 */
export function decodeFunctions(content: Buffer, key: string, file: string): CachedFunctions | undefined {
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
  const table = {
    length,
    starts: new Float64Array(buffer, at, length),
    ends: new Float64Array(buffer, at + length * 8, length),
    name(index: number) {
      const from = origins[origin[index]!];
      const text = from && strings.get(from.debugFile)?.at(from.strings, offset[index]!);
      return text === undefined ? "" : text + from?.suffix;
    },
  };
  return { table };
}

/** By the debug file they are in; undefined when there is no such file any more. */
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

/** Undefined for a text that is none of ours. */
function decodeHead(bytes: Buffer): Head | undefined {
  try {
    const head = JSON.parse(bytes.toString("utf8")) as Head;
    const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
    const isOrigin = ({ strings, suffix, debugFile }: NameOrigin) =>
      isSize(strings.offset) &&
      isSize(strings.size) &&
      typeof suffix === "string" &&
      /string|undefined/.test(typeof debugFile);
    const isOurs = (head.length === undefined || isSize(head.length)) && head.origins.every(isOrigin);
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
