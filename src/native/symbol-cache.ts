import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tried } from "../base/errors.js";
import { valueAt } from "../base/maps.js";
import { CACHE_KIND, clearOut, readCacheFile, writeCacheFile } from "../io/cache-file.js";
import { crc32 } from "../io/crc32.js";
import { type FileBytes, stampAt, withRegularFile } from "../io/regular-file.js";
import { readSections } from "./elf.js";
import type { LibraryFile, LoadedFunctions, SymbolSource } from "./symbol-source.js";
import { type SymbolTable, stringAt } from "./symbol-table.js";

// The functions of a library as the cache stores them. Their names have a file of their own, which is read when the first one is
// asked for: they are 15 MB of a Node binary, everything else is 3 MB, and a log needs some hundred names, which mostly are
// among the readable ones already.
//
//     u32  bytes of the head
//          head, as JSON, padded so that all up to here is a multiple of eight bytes
//     f64  start of each function
//     f64  end of each function
//     u32  offset of its name in the other file, where each name has a NUL behind it
const WORD = 4;
const BYTES_EACH = 8 + 8 + 4;
interface Head {
  /** Everything that the functions depend on. */
  readonly key: string;
  /** Undefined for a library without functions. */
  readonly length: number | undefined;
  /** The CRC-32 of the names. */
  readonly names: number;
}

/** What the cache knows about a library: its functions, or that it has none. */
interface CachedFunctions {
  readonly table: SymbolTable | undefined;
}

/** Returns the parts of the content of a cache file, and the names. */
function encodeFunctions(key: string, table: SymbolTable | undefined) {
  if (table === undefined)
    return { parts: [encodeHead({ key, length: undefined, names: 0 })], names: undefined };
  const { length, starts, ends } = table;
  const offsets = new Uint32Array(length);
  let names = Buffer.alloc(1 << 16);
  let size = 0;
  for (let i = 0; i < length; i++) {
    const name = `${table.name(i)}\0`;
    const most = size + 3 * name.length;
    if (most > names.length) names = Buffer.concat([names], 2 * most);
    offsets[i] = size;
    size += names.write(name, size);
  }
  names = names.subarray(0, size);
  const head = encodeHead({ key, length, names: crc32(names) });
  return { parts: [head, ...[starts, ends, offsets].map(bytesOf)], names };
}

/**
 * Reads what {@link encodeFunctions} wrote; returns undefined if it has another key or is not of this form. `content` must be
 * aligned to eight bytes in its buffer, and the table keeps using it. `readNames` returns the names if they have a checksum.
 */
function decodeFunctions(
  content: Buffer,
  key: string,
  readNames: (checksum: number) => Buffer,
): CachedFunctions | undefined {
  const { buffer, byteOffset } = content;
  if (content.length < WORD) return undefined;
  const headSize = new Uint32Array(buffer, byteOffset, 1)[0]!;
  const head = decodeHead(content.subarray(WORD, WORD + headSize));
  if (head?.key !== key) return undefined;
  const { length, names: checksum } = head;
  if (length === undefined) return { table: undefined };
  const from = padded(WORD + headSize);
  if (!Number.isInteger(length) || content.length !== from + length * BYTES_EACH) return undefined;
  const at = byteOffset + from;
  const starts = new Float64Array(buffer, at, length);
  const ends = new Float64Array(buffer, at + length * 8, length);
  const offsets = new Uint32Array(buffer, at + length * 16, length);
  let names: Buffer | undefined;
  const name = (index: number) => {
    names ??= readNames(checksum);
    return names.length === 0 ? "" : stringAt(names, offsets[index]!);
  };
  return { table: { length, starts, ends, name } };
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
  return tried(() => JSON.parse(bytes.toString("utf8")) as Head);
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function padded(size: number): number {
  return Math.ceil(size / 8) * 8;
}

/** Most bytes of JSON in one file of texts. Beyond it, the older texts are dropped. */
const TEXTS_LIMIT = 2 ** 21;

const NO_SYMBOLS: LoadedFunctions = { kind: "no-symbols" };

/** The topic of answers to questions about files. */
const ANSWERS = JSON.stringify(["files"]);

/**
 * What was learned from binaries, stored in a folder on disk for later runs. Every file names what it was
 * learned from and has a checksum; others are ignored and replaced. Runs at the same time do not disturb each
 * other. Functions are written in the background, texts by {@link settled}. If the folder cannot be written,
 * nothing is stored and nothing reported: that only costs time.
 *
 * Everything is also kept in memory, because the logs of one run mostly use the same binaries.
 */
export class SymbolCache {
  readonly #folder: string | undefined;
  /** By source, file, and a stamp that changes with the file. */
  readonly #tables = new Map<string, Promise<LoadedFunctions>>();
  /** By file and its stamp. */
  readonly #identities = new Map<string, string | undefined>();
  /** By topic. */
  readonly #texts = new Map<string, Map<string, string>>();
  /** Texts that are not on disk yet, by topic. */
  readonly #added = new Map<string, Map<string, string>>();
  readonly #keys = new WeakMap<SymbolTable, string>();
  /** One after the other, so that the later of two writes to a file wins. */
  #writes = Promise.resolve();
  /** Whether the folder was cleaned up. Once per run is enough. */
  #isCleared = false;

  /** The folder is created when needed. Default: memory only. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Returns what the source has for a library, from the cache if possible. */
  load(library: LibraryFile, source: SymbolSource): Promise<LoadedFunctions> {
    const key = JSON.stringify([source.name, stateOf(library)]);
    return valueAt(this.#tables, key, () => this.#loadFrom(this.#folder, library, source));
  }

  /** Returns a key that identifies a table loaded here, also in other runs; undefined if there is none. */
  keyOf(table: SymbolTable): string | undefined {
    return this.#keys.get(table);
  }

  async #loadFrom(
    folder: string | undefined,
    library: LibraryFile,
    source: SymbolSource,
  ): Promise<LoadedFunctions> {
    if (folder === undefined) return source.load(library);
    const dependence = await source.fingerprint?.(library);
    const identity = dependence === undefined ? undefined : this.#identify(library);
    if (identity === undefined) return source.load(library);
    const key = JSON.stringify(["functions", source.name, identity, dependence]);
    const [file, namesFile] = [fileOf(key), fileOf(`names ${key}`)];
    const content = readCacheFile(join(folder, file), CACHE_KIND.functions);
    const readNames = (checksum: number): Buffer => {
      const names = readCacheFile(join(folder, namesFile), CACHE_KIND.names);
      if (names !== undefined && crc32(names) === checksum) return names;
      // Removed or replaced meanwhile: they are lost, but not for the next run.
      rmSync(join(folder, file), { force: true });
      return Buffer.alloc(0);
    };
    const found = content && decodeFunctions(content, key, readNames);
    const cached = found?.table && !existsSync(join(folder, namesFile)) ? undefined : found;
    const loaded = cached === undefined ? await source.load(library) : (cached.table ?? NO_SYMBOLS);
    const table = "kind" in loaded ? undefined : loaded;
    // The only failure to cache is a lack of symbols: a program that fails today may run tomorrow.
    if ("kind" in loaded && loaded.kind !== "no-symbols") return loaded;
    if (table !== undefined) this.#keys.set(table, key);
    if (cached === undefined) {
      this.#write((into) => {
        const { parts, names } = encodeFunctions(key, table);
        if (names !== undefined) writeCacheFile(into, namesFile, CACHE_KIND.names, [names]);
        writeCacheFile(into, file, CACHE_KIND.functions, parts);
      });
    }
    return loaded;
  }

  /** Returns the answer to a question about a library's file, from the cache or from `answer`. */
  ask(library: LibraryFile, question: string, answer: () => string | undefined): string | undefined {
    const identity = this.#identify(library);
    if (identity === undefined) return answer();
    const key = JSON.stringify([identity, question]);
    const known = this.texts(ANSWERS).get(key);
    if (known !== undefined) return known === "" ? undefined : known;
    const found = answer();
    this.keepTexts(ANSWERS, [[key, found ?? ""]]);
    return found;
  }

  texts(topic: string): ReadonlyMap<string, string> {
    return this.#textsOf(topic);
  }

  keepTexts(topic: string, added: Iterable<readonly [string, string]>): void {
    const texts = this.#textsOf(topic);
    const unwritten = valueAt(this.#added, topic, () => new Map<string, string>());
    for (const [key, text] of added) {
      texts.set(key, text);
      unwritten.set(key, text);
    }
  }

  /** Resolves when everything so far is on disk, or could not be written. Never rejects. */
  settled(): Promise<void> {
    for (const [topic, added] of this.#added) {
      // Read again, because another run may have added texts.
      this.#write((folder) => {
        const texts = encodeTexts(topic, this.#readTexts(topic), added);
        writeCacheFile(folder, fileOf(topic), CACHE_KIND.texts, [texts]);
      });
    }
    this.#added.clear();
    return this.#writes;
  }

  #textsOf(topic: string): Map<string, string> {
    return valueAt(this.#texts, topic, () => this.#readTexts(topic));
  }

  #readTexts(topic: string): Map<string, string> {
    const folder = this.#folder;
    const content = folder && readCacheFile(join(folder, fileOf(topic)), CACHE_KIND.texts);
    if (!content) return new Map();
    try {
      const [stated, ...entries] = JSON.parse(content.toString("utf8")) as [string, ...[string, string][]];
      const isText = (entry: unknown) =>
        Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "string";
      return new Map(stated === topic && entries.every(isText) ? entries : []);
    } catch {
      return new Map(); // In another format.
    }
  }

  /** Calls `write` only when the caller's synchronous work is done, for example while a program runs. */
  #write(write: (folder: string) => void): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    this.#writes = this.#writes.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      try {
        write(folder);
        if (!this.#isCleared) clearOut(folder);
        this.#isCleared = true;
      } catch {
        // What cannot be kept is read again.
      }
    });
  }

  #identify(library: LibraryFile): string | undefined {
    const key = stateOf(library);
    return valueAt(this.#identities, key, () => identify(library));
  }
}

/** Encodes texts as JSON, the added ones last. While there are too many, drops the older half. */
function encodeTexts(
  topic: string,
  texts: ReadonlyMap<string, string>,
  added: ReadonlyMap<string, string>,
): Buffer {
  let entries = [...Array.from(texts).filter(([key]) => !added.has(key)), ...added];
  for (;;) {
    const bytes = Buffer.from(JSON.stringify([topic, ...entries]));
    if (bytes.length <= TEXTS_LIMIT || entries.length <= 1) return bytes;
    entries = entries.slice(Math.ceil(entries.length / 2));
  }
}

/**
 * Returns what identifies a library's file: its build id, else its path and stamp. The file's size and
 * sections, or what else its headers state, are added, because a stripped copy has the same build id.
 */
function identify({ file, binary }: LibraryFile): string | undefined {
  const { buildId } = binary;
  return withRegularFile(file, (open) => {
    const layout = binary.format === "elf" ? sectionsIn(open) : binary.layout;
    if (layout === undefined) return undefined;
    const proof = buildId === undefined ? [file, open.stamp] : [buildId];
    return JSON.stringify([...proof, open.size, layout]);
  });
}

/** Returns what changes with the file of a library, or with the part of it that was read. */
function stateOf({ file, binary }: LibraryFile): string {
  return JSON.stringify([file, stampAt(file), binary.format === "elf" ? undefined : binary.layout]);
}

function sectionsIn(file: FileBytes): number | undefined {
  const sections = readSections(file);
  return sections && crc32(Buffer.from(JSON.stringify(sections.list)));
}

/** Returns the file name for a key. Keys with the same name replace each other. */
function fileOf(key: string): string {
  return crc32(Buffer.from(key)).toString(16).padStart(8, "0");
}
