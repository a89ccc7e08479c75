import { join } from "node:path";
import { crc32 } from "../crc32.js";
import { readSections } from "../elf/sections.js";
import { stampAt, withRegularFile } from "../regular-file.js";
import type { LibraryFile, LoadedFunctions, SymbolSource } from "../symbol-source.js";
import type { SymbolTable } from "../table/symbol-table.js";
import { CACHE_KIND, type CacheKind, clearOut, readCacheFile, writeCacheFile } from "./cache-file.js";
import { decodeFunctions, encodeFunctions } from "./cached-functions.js";

/** Texts kept in one file; past it the older ones are dropped. Bytes of JSON. */
const TEXTS_LIMIT = 2 ** 21;

const NO_SYMBOLS: LoadedFunctions = { kind: "no-symbols" };

/** What the answers to questions about files are kept on. */
const ANSWERS = JSON.stringify(["files"]);

/**
 * What was learned from binaries, in a folder on disk, so that it is not learned again. Every file says what it was
 * learned from and proves that it is whole; any other is ignored, and replaced. Files of other runs at the same time
 * do no harm. Functions are written while the user of the cache goes on, texts when {@link settled} is asked for. Where
 * the folder cannot be written nothing is kept, silently: that costs time only.
 *
 * For as long as it lives it also keeps all that in memory: the logs of one run are mostly of the same binaries.
 */
export class SymbolCache {
  readonly #folder: string | undefined;
  /** By source and file, with what tells that the file was replaced. */
  readonly #tables = new Map<string, Promise<LoadedFunctions>>();
  /** By file, with what tells that it was replaced. */
  readonly #identities = new Map<string, string | undefined>();
  /** By topic. */
  readonly #texts = new Map<string, Map<string, string>>();
  /** Those that are not on disk yet. */
  readonly #added = new Map<string, Map<string, string>>();
  readonly #keys = new WeakMap<SymbolTable, string>();
  /** One after the other, so that of two to one file the later one stays. */
  #writes = Promise.resolve();
  /** Whether the folder has been kept from growing without end: once is enough for a run. */
  #isCleared = false;

  /** The folder is made when something is kept. Default: none, what is learned is forgotten with the cache. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** What the source gives for a library, or gave for it before. */
  load(library: LibraryFile, source: SymbolSource): Promise<LoadedFunctions> {
    const key = JSON.stringify([source.name, library.file, stampAt(library.file)]);
    let loaded = this.#tables.get(key);
    if (loaded === undefined) {
      loaded = this.#loadFrom(this.#folder, library, source);
      this.#tables.set(key, loaded);
    }
    return loaded;
  }

  /** What tells a table that was loaded here from all others, also in other runs; undefined where nothing does. */
  keyOf(table: SymbolTable): string | undefined {
    return this.#keys.get(table);
  }

  async #loadFrom(
    folder: string | undefined,
    library: LibraryFile,
    source: SymbolSource,
  ): Promise<LoadedFunctions> {
    if (folder === undefined) return source.load(library);
    const dependence = source.fingerprint?.(library);
    const identity = dependence === undefined ? undefined : this.#identify(library);
    if (identity === undefined) return source.load(library);
    const key = JSON.stringify(["functions", source.name, identity, dependence]);
    const content = readCacheFile(join(folder, fileOf(key)), CACHE_KIND.functions);
    const kept = content && decodeFunctions(content, key, library.file);
    const loaded = kept === undefined ? await source.load(library) : (kept.table ?? NO_SYMBOLS);
    const table = "kind" in loaded ? undefined : loaded;
    // Only that a library has none is kept: a program that cannot be run today may run tomorrow.
    if ("kind" in loaded && loaded.kind !== "no-symbols") return loaded;
    if (table !== undefined) this.#keys.set(table, key);
    if (kept === undefined) this.#write(key, CACHE_KIND.functions, () => encodeFunctions(key, table));
    return loaded;
  }

  /** The answer to a question about the file of a library: the one that was kept, else that of `answer`. */
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

  /** The texts that were kept on a topic. */
  texts(topic: string): ReadonlyMap<string, string> {
    return this.#textsOf(topic);
  }

  /** Adds texts to those on a topic. */
  keepTexts(topic: string, added: Iterable<readonly [string, string]>): void {
    const texts = this.#textsOf(topic);
    const unwritten = this.#added.get(topic) ?? new Map<string, string>();
    this.#added.set(topic, unwritten);
    for (const [key, text] of added) {
      texts.set(key, text);
      unwritten.set(key, text);
    }
  }

  /** Resolves once all that was given so far is on disk, or could not be kept. Never rejects. */
  settled(): Promise<void> {
    for (const [topic, added] of this.#added) {
      // Read again: another run may have kept some meanwhile.
      this.#write(topic, CACHE_KIND.texts, () => [encodeTexts(topic, this.#readTexts(topic), added)]);
    }
    this.#added.clear();
    return this.#writes;
  }

  #textsOf(topic: string): Map<string, string> {
    const texts = this.#texts.get(topic) ?? this.#readTexts(topic);
    this.#texts.set(topic, texts);
    return texts;
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
      return new Map(); // Not of ours.
    }
  }

  /** Parts are made when all that the caller does at once is done: while a program runs, say. */
  #write(key: string, kind: CacheKind, parts: () => readonly Uint8Array[] | undefined): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    this.#writes = this.#writes.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const made = parts();
      if (made === undefined) return;
      writeCacheFile(folder, fileOf(key), kind, made);
      if (!this.#isCleared) clearOut(folder);
      this.#isCleared = true;
    });
  }

  #identify(library: LibraryFile): string | undefined {
    const key = `${library.file}\0${stampAt(library.file)}`;
    if (!this.#identities.has(key)) this.#identities.set(key, identify(library));
    return this.#identities.get(key);
  }
}

/** As JSON, those that were added last; without the older half of the texts, again and again, while they are too many. */
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
 * What tells the file of a library from all others: its build id, else where it is and when it was written. With the
 * build id go its size and its sections, since a copy with its symbols cut off has the same one.
 */
function identify({ file, elf: { buildId } }: LibraryFile): string | undefined {
  return withRegularFile(file, (open) => {
    const sections = readSections(open);
    if (sections === undefined) return undefined;
    const layout = crc32(Buffer.from(JSON.stringify(sections.list)));
    const proof = buildId === undefined ? [file, open.stamp] : [buildId];
    return JSON.stringify([...proof, open.size, layout]);
  });
}

/** The name of the file that keeps what `key` says. Two keys with one name replace each other's. */
function fileOf(key: string): string {
  return crc32(Buffer.from(key)).toString(16).padStart(8, "0");
}
