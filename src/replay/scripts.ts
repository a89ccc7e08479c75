import { createHash } from "node:crypto";
import { valueAt } from "../base/maps.js";
import { upperBound } from "../base/sorted.js";
import { type ScriptSourceRecord, scriptText } from "../log/rows/row-decoders.js";
import { type Placeholders, publicHash, splitPlaceholders } from "../profile/placeholders.js";
import {
  type LineColumn,
  type LineStarts,
  lineStarts,
  offsetIn,
  positionIn,
  sourceLines,
} from "../profile/source-lines.js";

/** Bytes before a word. The first few can be the rest of an escape. */
const BEFORE_WORD = 256;

/** A script's text and where it is in the log. Most scripts of a log have no ticks, and need no decoding. */
export class Script {
  readonly url: string;
  /** The line of its row in the log, from 1. */
  readonly row: number;
  /** The row's text, in memory that is this script's own; undefined once all of it is a string. */
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #source = "";
  #hash: string | undefined;
  #placeholders: Placeholders | undefined;
  #lines: LineStarts | undefined;
  /** The offsets of the letters `class`. */
  #classes: readonly number[] | undefined;

  constructor({ url, source }: ScriptSourceRecord, row: number) {
    this.url = url;
    this.row = row;
    this.#bytes = source;
  }

  /** Its text. */
  get source(): string {
    if (this.#bytes !== undefined) {
      const { text, placeholders } = splitPlaceholders(scriptText(this.#bytes));
      this.#source = text;
      this.#placeholders = placeholders;
      freeMemory(this.#bytes);
      this.#bytes = undefined;
    }
    return this.#source;
  }

  /** A hash of its text, in lower-case hex; of the original one if it is redacted, as far as that has one. */
  get hash(): string {
    this.#hash ??= textHash(this.placeholders?.text || this.source);
    return this.#hash;
  }

  /** What a redacted text's words stand for; undefined if it is as V8 logged it. */
  get placeholders(): Placeholders | undefined {
    return this.source === "" ? undefined : this.#placeholders;
  }

  /** Returns a part of the text. */
  slice(start: number, end: number): string {
    return this.source.slice(start, end);
  }

  /** Returns the position of an offset from 0 on, in UTF-16 units. */
  position(offset: number): LineColumn {
    return positionIn(this.#allLines, offset);
  }

  /** Returns the length of the line of an offset, with its end; 0 if there is none. */
  lineLength(offset: number): number {
    const { starts, count } = this.#allLines;
    const line = positionIn(this.#allLines, offset).line;
    return line < 1 || line > count
      ? 0
      : (line === count ? this.source.length : starts[line]!) - starts[line - 1]!;
  }

  /** Returns the offset of a position, in UTF-16 units; -1 if the line does not exist. */
  offset(position: LineColumn): number {
    return offsetIn(this.#allLines, position);
  }

  /** Returns a line of the text, from 1, without its end; undefined if there is none. Nothing follows the last line end. */
  line(line: number): string | undefined {
    const { starts, count } = this.#allLines;
    if (line < 1 || line > count) return undefined;
    const start = starts[line - 1]!;
    if (line === count) return this.slice(start, Number.POSITIVE_INFINITY) || undefined;
    const text = this.slice(start, starts[line]!);
    return text.slice(0, text.endsWith("\r\n") ? -2 : -1);
  }

  /** Returns some lines of the text, from 1, of those that {@link lineCount} counts. */
  linesBetween(first: number, last: number): string[] {
    const { starts, count } = this.#allLines;
    if (last === count) return sourceLines(this.slice(starts[first - 1]!, Number.POSITIVE_INFINITY));
    return sourceLines(this.slice(starts[first - 1]!, starts[last]!)).slice(0, -1);
  }

  /** How many lines the text has, with what follows the last line end. */
  get lineCount(): number {
    return this.#allLines.count;
  }

  /** Returns the last offset up to another at which the text has the letters `class`; -1 if there is none. */
  lastClass(offset: number): number {
    this.#classes ??= offsetsOf("class", this.source);
    return this.#classes[upperBound(this.#classes, offset) - 1] ?? -1;
  }

  /**
   * Returns each occurrence of a word that V8 writes without escapes, the last one first: the text from shortly before it up
   * to the next one. All together take time in the length of the text.
   */
  *occurrences(word: string): Iterable<string> {
    if (this.#bytes === undefined) {
      const { source } = this;
      for (const [start, end] of occurrencesIn(source, word)) yield source.slice(start, end);
    } else {
      const { buffer, byteOffset, length } = this.#bytes;
      const bytes = Buffer.from(buffer, byteOffset, length);
      for (const [start, end] of occurrencesIn(bytes, word)) yield scriptText(bytes.subarray(start, end));
    }
  }

  /** Where its lines begin. */
  get #allLines(): LineStarts {
    if (this.#lines === undefined) {
      const starts = lineStarts(this.source);
      this.#lines = { starts, count: starts.length };
    }
    return this.#lines;
  }
}

/** As many hex digits stand for a text. */
const HASH_DIGITS = 16;

/** Returns a hash of a text, in lower-case hex. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS);
}

/** Yields where each occurrence of a word is, with some of what is before it, the last one first. */
function* occurrencesIn(text: string | Buffer, word: string): Iterable<[start: number, end: number]> {
  for (let end = text.length; end >= word.length; ) {
    const at = text.lastIndexOf(word, end - word.length);
    if (at < 0) return;
    yield [Math.max(0, at - BEFORE_WORD), end];
    end = at;
  }
}

/** Frees memory at once where Node can, from 22 on. Else it waits to be collected, with megabytes of text beside it. */
function freeMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  (buffer as { transfer?: (length: number) => void }).transfer?.(0);
}

function offsetsOf(word: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) offsets.push(at);
  return offsets;
}

/** Longer names of scripts are not searched for in names of functions. */
const LONGEST_URL = 4096;
/** How many lengths of script names are tried on the name of a function. */
const MOST_TRIES = 100;

/**
 * Returns whether a logged name of a script stands for none: the script was made of a text, as by `eval`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::EnsureLogScriptSource`.
 */
export function isNameless(url: string): boolean {
  return url === "" || url === "<unknown>";
}

/** The scripts whose text a log has, by id. */
export class Scripts {
  readonly #scripts = new Map<number, Script>();
  readonly #ids = new Map<string, number>();
  /** By name: the ids of its scripts, oldest first, if it has several or is none. */
  readonly #sharing = new Map<string, number[]>();
  /** By hashed name: the word that stands for it in redacted texts; undefined until they are asked for. */
  #words: ReadonlyMap<string, string> | undefined;
  /** By name: the word found for it. */
  readonly #known = new Map<string, string>();
  /** The same by word. */
  #hashes: ReadonlyMap<string, string> | undefined;
  /** The lengths of the scripts' names, longest first; undefined until they are asked for. */
  #lengths: readonly number[] | undefined;

  /** Adds the script of a row at a line of the log, and takes over the memory of its text. */
  add(record: ScriptSourceRecord, row: number): void {
    const { id, url } = record;
    const other = this.#scripts.has(id) ? undefined : this.#ids.get(url);
    this.#scripts.set(id, new Script(record, row));
    this.#ids.set(url, id);
    const sharing = this.#sharing.get(url);
    if (sharing !== undefined) {
      if (other !== undefined) sharing.push(id);
    } else if (other !== undefined) this.#sharing.set(url, [other, id]);
    else if (isNameless(url)) this.#sharing.set(url, [id]);
    this.#lengths = undefined;
  }

  /** Returns the word by which the texts call a function of a name: another one if the log is redacted. */
  wordOf(name: string): string {
    this.#words ??= this.#placeholders();
    const words = this.#words;
    if (words.size === 0) return name;
    return valueAt(this.#known, name, () => words.get(name) ?? words.get(publicHash(name)) ?? name);
  }

  /** Returns a redacted text with the hashes of its words in the place of those that stand for them. */
  withHashes(text: string): string {
    this.#words ??= this.#placeholders();
    this.#hashes ??= new Map(Array.from(this.#words, ([hash, word]) => [word, hash]));
    return text.replace(/[\w$#]+/g, (word) => this.#hashes!.get(word) ?? word);
  }

  #placeholders(): Map<string, string> {
    const words = new Map<string, string>();
    for (const script of this.#scripts.values()) {
      if (script.source === "") continue;
      const { placeholders } = script;
      // All texts of a log are redacted, or none, which then need not be decoded.
      if (placeholders === undefined) break;
      for (const [hash, word] of placeholders.words) words.set(hash, word);
    }
    return words;
  }

  get isEmpty(): boolean {
    return this.#scripts.size === 0;
  }

  get(id: number): Script | undefined {
    return this.#scripts.get(id);
  }

  /** Returns the ids of the scripts of a name, oldest first, if they are several or have no name; undefined else. */
  sharing(url: string): readonly number[] | undefined {
    return this.#sharing.get(url);
  }

  /** Returns whether a script is one of Node's own, as Node 16 and later name them. */
  isOfNode(id: number): boolean {
    return this.#scripts.get(id)?.url.startsWith("node:") ?? false;
  }

  /** Returns the id of the script last logged under a URL; -1 if there is none. */
  idOf(url: string): number {
    return this.#ids.get(url) ?? -1;
  }

  /**
   * Returns where the longest script name begins that a text ends with, alone or after a space; -1 if the text
   * ends with no script that is known.
   */
  startIn(text: string): number {
    this.#lengths ??= Array.from(new Set(Array.from(this.#ids.keys(), (url) => url.length)))
      .filter((length) => length > 0 && length <= LONGEST_URL)
      .sort((a, b) => b - a);
    let tries = 0;
    for (const length of this.#lengths) {
      const start = text.length - length;
      if (start < 0 || (start > 0 && text[start - 1] !== " ")) continue;
      if (this.#ids.has(text.slice(start))) return start;
      if (++tries === MOST_TRIES) break;
    }
    return -1;
  }

  /**
   * Returns the offset of a position, in UTF-16 units; -1 if the log does not have the script's text or the
   * line does not exist.
   */
  offset(id: number, position: LineColumn): number {
    return this.#scripts.get(id)?.offset(position) ?? -1;
  }

  /**
   * Returns the position of an offset, in UTF-16 units; undefined if the log does not have the script's text.
   */
  position(id: number, offset: number): LineColumn | undefined {
    return offset < 0 ? undefined : this.#scripts.get(id)?.position(offset);
  }

  /** Returns the last offset up to another at which a script has the letters `class`; -1 if there is none. */
  lastClass(id: number, offset: number): number {
    return this.#scripts.get(id)?.lastClass(offset) ?? -1;
  }
}
