import { type ScriptSourceRecord, scriptText } from "../parser/rows/script-source.js";
import { lineStarts } from "../profile/source-lines.js";

/** A position in a script as people state it: both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** A script's text and where it is in the log. */
export class Script {
  readonly url: string;
  /** The line of its row in the log, from 1. */
  readonly row: number;
  /** Undefined once all of it is decoded. */
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  /** What is decoded: all, or the beginning. */
  #source = "";

  constructor({ url, source }: ScriptSourceRecord, row: number) {
    this.url = url;
    this.row = row;
    this.#bytes = source;
  }

  /** Its text. Most scripts of a log have no ticks, and need no decoding. */
  get source(): string {
    if (this.#bytes !== undefined) {
      this.#source = scriptText(this.#bytes);
      this.#bytes = undefined;
    }
    return this.#source;
  }

  /** Returns the beginning of the text, of at least `length` UTF-16 units if it has so many. */
  beginning(length: number): string {
    if (this.#bytes === undefined || length <= this.#source.length) return this.#source;
    const count = Math.max(LEAST_DECODED, 2 * length);
    if (count > this.#bytes.length / 2) return this.source;
    this.#source = scriptText(this.#bytes, count);
    if (this.#source.length < count) this.#bytes = undefined;
    return this.#source;
  }

  /** Returns a part of the text, and decodes no more than about what is before its end. */
  slice(start: number, end: number): string {
    const text = start < 0 || end < 0 ? this.source : this.beginning(end);
    return text.slice(start, end);
  }

  /**
   * Returns the text from shortly before the last occurrence of a word on, which V8 writes without escapes;
   * undefined if it does not occur.
   */
  endFrom(word: string): string | undefined {
    if (this.#bytes === undefined) {
      const at = this.#source.lastIndexOf(word);
      return at < 0 ? undefined : this.#source.slice(Math.max(0, at - BEFORE_WORD));
    }
    const { buffer, byteOffset, length } = this.#bytes;
    const at = Buffer.from(buffer, byteOffset, length).lastIndexOf(word);
    return at < 0 ? undefined : scriptText(this.#bytes.subarray(Math.max(0, at - BEFORE_WORD)));
  }
}

/** UTF-16 units that are decoded at least. */
const LEAST_DECODED = 1 << 16;
/** Bytes before a word. The first few can be the rest of an escape. */
const BEFORE_WORD = 256;

/** Longer names of scripts are not searched for in names of functions. */
const LONGEST_URL = 4096;
/** How many lengths of script names are tried on the name of a function. */
const MOST_TRIES = 100;

/** The scripts whose text a log has, by id. */
export class Scripts {
  readonly #scripts = new Map<number, Script>();
  readonly #ids = new Map<string, number>();
  /** The lengths of the scripts' names, longest first; undefined until they are asked for. */
  #lengths: readonly number[] | undefined;
  /** By script: the offsets of its lines, of those in so many UTF-16 units. */
  readonly #lineStarts = new Map<number, { readonly starts: Int32Array; readonly length: number }>();
  /** By script: the offsets of the letters `class`, in UTF-16 units. */
  readonly #classes = new Map<number, readonly number[]>();

  /** Adds the script of a row at a line of the log. */
  add(record: ScriptSourceRecord, row: number): void {
    const { id, url } = record;
    this.#scripts.set(id, new Script(record, row));
    this.#ids.set(url, id);
    this.#lengths = undefined;
    this.#lineStarts.delete(id);
    this.#classes.delete(id);
  }

  get isEmpty(): boolean {
    return this.#scripts.size === 0;
  }

  get(id: number): Script | undefined {
    return this.#scripts.get(id);
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
  offset(id: number, { line, column }: LineColumn): number {
    const start = this.#startsOf(id)?.[line - 1];
    return start === undefined ? -1 : start + column - 1;
  }

  /**
   * Returns the position of an offset, in UTF-16 units; undefined if the log does not have the script's text.
   */
  position(id: number, offset: number): LineColumn | undefined {
    const starts = offset < 0 ? undefined : this.#startsOf(id, offset);
    if (starts === undefined) return undefined;
    const line = countUpTo(starts, offset);
    return { line, column: offset - starts[line - 1]! + 1 };
  }

  /** Returns the last offset up to another at which a script has the letters `class`; -1 if there is none. */
  lastClass(id: number, offset: number): number {
    let classes = this.#classes.get(id);
    if (classes === undefined) {
      classes = offsetsOf("class", this.#scripts.get(id)?.source ?? "");
      this.#classes.set(id, classes);
    }
    return classes[countUpTo(classes, offset) - 1] ?? -1;
  }

  /** Returns the offsets of a script's lines, of those up to an offset at least. */
  #startsOf(id: number, offset: number = Number.POSITIVE_INFINITY): Int32Array | undefined {
    // The next unit tells whether a carriage return ends a line.
    const text = this.#scripts.get(id)?.beginning(offset + 2);
    if (text === undefined) return undefined;
    const known = this.#lineStarts.get(id);
    if (known?.length === text.length) return known.starts;
    const starts = lineStarts(text);
    this.#lineStarts.set(id, { starts, length: text.length });
    return starts;
  }
}

/** Returns how many of ascending numbers are at most `limit`. */
function countUpTo(numbers: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function offsetsOf(word: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) offsets.push(at);
  return offsets;
}
