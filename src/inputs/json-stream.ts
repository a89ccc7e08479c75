import { JSON_VALUE_BYTES } from "../base/limits.js";

/** What is wanted of a value of a JSON document. A value of another shape is left out. */
export type Wanted =
  /** The fields of an object, by their keys; undefined for one to leave out. */
  | { readonly kind: "fields"; readonly of: (key: string) => Wanted | undefined }
  /** Each element of an array, parsed. */
  | { readonly kind: "elements"; readonly take: (element: unknown) => void }
  /** Each element of an array of numbers; not a number for one that is none. */
  | { readonly kind: "numbers"; readonly take: (number: number) => void }
  /** The value, parsed. */
  | { readonly kind: "value"; readonly take: (value: unknown) => void };

/** What is wrong with a JSON document. */
export interface JsonFaults {
  /** Whether it ends before its last bracket, or has one too many: what came before was read. */
  readonly isCut: boolean;
  /** Values that are no JSON, or larger than {@link JSON_VALUE_BYTES}: left out. */
  readonly damaged: number;
}

/**
 * Reads a JSON document of any size. The arrays that are wanted are cut into their elements, and only one element is in memory
 * at a time: numbers are read from the bytes, and all other values are given to `JSON.parse`. `wanted` is asked for by the first
 * byte of the document, `{` or `[`. Chunks may be split anywhere and are not kept.
 */
export async function readJson(
  chunks: AsyncIterable<Uint8Array>,
  wanted: (first: string) => Wanted | undefined,
): Promise<JsonFaults> {
  const reader = new JsonReader(chunks[Symbol.asyncIterator]());
  return reader.read(wanted);
}

const [QUOTE, COMMA, MINUS, ZERO, NINE, COLON] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
/** The bits by which brackets and braces differ. */
const BRACE_BIT = 0x20;
/** Longer integers may not be exact in a double. */
const MOST_DIGITS = 15;

/** The document ends inside a value. */
class Cut extends Error {}

class JsonReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #damaged = 0;
  /** Bytes of its own, for what goes on in the next chunk. */
  #room: Buffer = Buffer.alloc(0);
  // How far the value that begins at #at was scanned.
  #scanned = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  async read(wanted: (first: string) => Wanted | undefined): Promise<JsonFaults> {
    let isCut = false;
    try {
      await this.#value(wanted(String.fromCharCode(await this.#next())));
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      isCut = true;
    } finally {
      await this.#chunks.return?.();
    }
    return { isCut, damaged: this.#damaged };
  }

  /** Reads the value that begins here. */
  async #value(wanted: Wanted | undefined): Promise<void> {
    const first = await this.#next();
    if (wanted?.kind === "fields" && first === OPEN) await this.#fields(wanted.of);
    else if (wanted?.kind === "elements" && first === OPEN_LIST)
      await this.#list(() => this.#element(wanted.take));
    else if (wanted?.kind === "numbers" && first === OPEN_LIST)
      await this.#list(() => this.#number(wanted.take));
    else if (wanted?.kind === "value") await this.#whole(wanted.take);
    else await this.#skip();
  }

  async #fields(of: (key: string) => Wanted | undefined): Promise<void> {
    this.#at++;
    for (let first = await this.#next(); first !== CLOSE; first = await this.#next()) {
      if (first === COMMA) {
        this.#at++;
        continue;
      }
      if (first !== QUOTE) throw new Cut();
      let key = "";
      await this.#whole((value) => {
        key = String(value);
      });
      if ((await this.#next()) !== COLON) throw new Cut();
      this.#at++;
      await this.#value(of(key));
    }
    this.#at++;
  }

  /** Reads a list with a function that reads the elements that are here, and returns whether the list has ended. */
  async #list(elements: () => boolean): Promise<void> {
    this.#at++;
    this.#restart();
    while (!elements()) {
      if (this.#end - this.#at > JSON_VALUE_BYTES) {
        this.#damaged++;
        await this.#skip();
        this.#restart();
      } else if (!(await this.#more())) throw new Cut();
    }
  }

  /** Takes the elements of a list that are here as a whole. Returns whether the list has ended. */
  #element(take: (element: unknown) => void): boolean {
    for (;;) {
      if (this.#depth === 0 && !this.#isInText && this.#scanned === this.#at) {
        if (!this.#toNext()) return false;
        const first = this.#bytes[this.#at];
        if (first === COMMA || first === CLOSE_LIST) {
          this.#at++;
          if (first === CLOSE_LIST) return true;
          this.#restart();
          continue;
        }
        if (first === CLOSE) throw new Cut();
        this.#restart();
      }
      if (!this.#scan()) return false;
      this.#parse(take);
    }
  }

  /** Takes the numbers of a list that are here as a whole. Returns whether the list has ended. */
  #number(take: (number: number) => void): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    for (;;) {
      let at = this.#at;
      let byte = bytes[at]!;
      while (at < end && (isBlank(byte) || byte === COMMA)) byte = bytes[++at]!;
      this.#at = at;
      if (at >= end) {
        this.#restart();
        return false;
      }
      if (byte === CLOSE_LIST) {
        this.#at++;
        return true;
      }
      const isNegative = byte === MINUS;
      if (isNegative) byte = bytes[++at]!;
      const start = at;
      let number = 0;
      while (at < end && byte >= ZERO && byte <= NINE) {
        number = number * 10 + (byte - ZERO);
        byte = bytes[++at]!;
      }
      const isInteger = at > start && at - start <= MOST_DIGITS && at < end;
      if (isInteger && (byte === COMMA || byte === CLOSE_LIST || isBlank(byte))) {
        this.#at = at;
        take(isNegative ? -number : number);
        continue;
      }
      // A fraction, another value, or the end of what is here.
      if (bytes[this.#at] === CLOSE) throw new Cut();
      this.#restart();
      if (!this.#scan()) return false;
      this.#parse((value) => take(typeof value === "number" ? value : Number.NaN));
    }
  }

  /** Reads a value as a whole. */
  async #whole(take: (value: unknown) => void): Promise<void> {
    this.#restart();
    while (!this.#scan()) {
      if (this.#end - this.#at > JSON_VALUE_BYTES) {
        this.#damaged++;
        await this.#skip();
        return;
      }
      if (await this.#more()) continue;
      // A number may end with the document.
      if (this.#depth > 0 || this.#isInText || this.#at === this.#end) throw new Cut();
      this.#scanned = this.#end;
      break;
    }
    this.#parse(take);
  }

  /** Reads a value to its end without keeping it. */
  async #skip(): Promise<void> {
    if (this.#scanned <= this.#at) this.#restart();
    while (!this.#scan()) {
      this.#at = this.#end;
      if (!(await this.#more())) throw new Cut();
    }
    this.#at = this.#scanned;
  }

  /** Parses what was scanned, and goes on behind it. */
  #parse(take: (value: unknown) => void): void {
    const text = this.#bytes.toString("utf8", this.#at, this.#scanned);
    // A bracket too many is in the place of a value: nothing is read of it.
    this.#at = Math.max(this.#scanned, this.#at + 1);
    this.#restart();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#damaged++;
      return;
    }
    take(value);
  }

  #restart(): void {
    this.#scanned = this.#at;
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  /** Scans on to the end of the value that begins at #at. Returns false if that is not here. */
  #scan(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#scanned;
    let depth = this.#depth;
    let isInText = this.#isInText;
    while (at < end) {
      const byte = bytes[at]!;
      if (isInText) {
        at++;
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          isInText = false;
          if (depth === 0) return this.#stop(at, depth, isInText);
        }
      } else if (byte === QUOTE) {
        isInText = true;
        at++;
      } else if ((byte & ~BRACE_BIT) === OPEN_LIST) {
        depth++;
        at++;
      } else if ((byte & ~BRACE_BIT) === CLOSE_LIST) {
        if (depth === 0) return this.#stop(at, depth, isInText);
        at++;
        if (--depth === 0) return this.#stop(at, depth, isInText);
      } else if (depth === 0 && (byte === COMMA || isBlank(byte))) {
        return this.#stop(at, depth, isInText);
      } else at++;
    }
    this.#stop(at, depth, isInText);
    return false;
  }

  #stop(at: number, depth: number, isInText: boolean): true {
    this.#scanned = at;
    this.#depth = depth;
    this.#isInText = isInText;
    return true;
  }

  /** Goes on to the next byte that is not blank, and returns it. */
  async #next(): Promise<number> {
    while (!this.#toNext()) if (!(await this.#more())) throw new Cut();
    return this.#bytes[this.#at]!;
  }

  /** Goes on to the next byte that is not blank. Returns false if there is none here. */
  #toNext(): boolean {
    while (this.#at < this.#end && isBlank(this.#bytes[this.#at]!)) this.#at++;
    if (this.#scanned < this.#at) this.#scanned = this.#at;
    return this.#at < this.#end;
  }

  /** Gets the next chunk, and keeps what was not read. Returns false at the end. */
  async #more(): Promise<boolean> {
    const kept = this.#end - this.#at;
    if (kept > 0) this.#keep(kept);
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    if (kept === 0) {
      this.#bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
      this.#scanned -= this.#at;
      this.#at = 0;
    } else {
      this.#keep(kept, kept + value.length);
      this.#bytes.set(value, kept);
    }
    this.#end = kept + value.length;
    return true;
  }

  /** Moves what was not read to the start of bytes of its own, at least `length`: its chunk will be replaced. */
  #keep(kept: number, length = kept): void {
    let room = this.#room;
    if (room.length < length) room = Buffer.allocUnsafeSlow(Math.max(length, 2 * room.length));
    if (room !== this.#bytes || this.#at > 0) this.#bytes.copy(room, 0, this.#at, this.#end);
    this.#room = room;
    this.#bytes = room;
    this.#scanned -= this.#at;
    this.#at = 0;
    this.#end = kept;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns a number, or that in a text, such as the id of a thread; 0 for all else. */
export function numberIn(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : 0;
}
