import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegular, stampOf } from "../../io/regular-file.js";

/** Where a string table is in its file, in bytes. */
export interface StringsRange {
  readonly offset: number;
  readonly size: number;
}

/**
 * Returns the text at an offset of a string table, up to its NUL or the end; outside of it `(null)`, as nm
 * does.
 */
export function stringAt(strings: Buffer, offset: number): string {
  if (offset >= strings.length) return "(null)";
  const end = strings.indexOf(0, offset);
  return strings.toString("utf8", offset, end < 0 ? strings.length : end);
}

/** In bytes. The names that a log needs are short and far apart. */
const PAGE = 1 << 11;

/**
 * The strings of a file, read page by page on demand. The file is open from the first read in a turn of the
 * event loop until the end of that turn. If the file changes, further strings are empty.
 */
export class FileStrings {
  readonly #path: string;
  readonly #stamp: string;
  readonly #pages = new Map<number, Buffer>();
  #descriptor: number | undefined;
  #isLost = false;

  /** `stamp` is that of the file when it was known to contain the strings. */
  constructor(path: string, stamp: string) {
    this.#path = path;
    this.#stamp = stamp;
  }

  /**
   * Returns the text at an offset of a string table, as `stringAt` does; empty if the file can no longer be
   * read.
   */
  at({ offset, size }: StringsRange, into: number): string {
    if (into >= size) return "(null)";
    const last = offset + size;
    const parts: Buffer[] = [];
    for (let at = offset + into; at < last; ) {
      const page = this.#page(Math.floor(at / PAGE));
      const from = at % PAGE;
      const rest = page.subarray(from, Math.min(page.length, from + last - at));
      if (rest.length === 0) break;
      const end = rest.indexOf(0);
      if (end >= 0 && parts.length === 0) return rest.toString("utf8", 0, end);
      parts.push(end < 0 ? rest : rest.subarray(0, end));
      if (end >= 0) break;
      at += rest.length;
    }
    return Buffer.concat(parts).toString("utf8");
  }

  #page(number: number): Buffer {
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = this.#read(number);
      this.#pages.set(number, page);
    }
    return page;
  }

  #read(number: number): Buffer {
    const nothing = Buffer.alloc(0);
    if (this.#isLost) return nothing;
    try {
      this.#descriptor ??= this.#open();
      const bytes = Buffer.allocUnsafeSlow(PAGE);
      return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, PAGE, number * PAGE));
    } catch {
      this.#isLost = true; // Gone or changed since it was found: names are lost, as with any missing file.
      return nothing;
    }
  }

  #open(): number {
    const descriptor = openRegular(this.#path);
    if (stampOf(fstatSync(descriptor)) !== this.#stamp) {
      closeSync(descriptor);
      throw new Error(`${this.#path} has changed`);
    }
    setImmediate(() => {
      closeSync(descriptor);
      this.#descriptor = undefined;
    });
    return descriptor;
  }
}
