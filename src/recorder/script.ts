import { createHash } from "node:crypto";
import { type ScriptSourceRecord, scriptText } from "../parser/rows/script-source.js";
import { type LineColumn, type LineStarts, offsetIn, positionIn } from "../profile/line-starts.js";
import { upperBound } from "../profile/sorted.js";
import { lineStarts, sourceLines } from "../profile/source-lines.js";
import { type StandIns, splitStandIns } from "../profile/stand-ins.js";

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
  #standIns: StandIns | undefined;
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
      const { text, standIns } = splitStandIns(scriptText(this.#bytes));
      this.#source = text;
      this.#standIns = standIns;
      freeMemory(this.#bytes);
      this.#bytes = undefined;
    }
    return this.#source;
  }

  /** A hash of its text, in lower-case hex; of the original one if it is redacted, as far as that has one. */
  get hash(): string {
    this.#hash ??= textHash(this.standIns?.text || this.source);
    return this.#hash;
  }

  /** What a redacted text's words stand for; undefined if it is as V8 logged it. */
  get standIns(): StandIns | undefined {
    return this.source === "" ? undefined : this.#standIns;
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
