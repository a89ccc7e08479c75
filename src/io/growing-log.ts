import { type BigIntStats, closeSync, fstatSync, readSync, statSync } from "node:fs";
import { tried } from "../base/errors.js";
import { openRegular } from "./regular-file.js";

/** The next bytes of a log that grows. */
export interface Growth {
  /** Valid until the next read of any log. May be empty if `isOther`. */
  readonly bytes: Uint8Array;
  /** Whether they begin another log: the file was replaced, or cut and written again. */
  readonly isOther: boolean;
}

/** The most bytes that are read at once. */
const CHUNK_BYTES = 1 << 18;
/** Bytes before the next ones that must still be there; else the file was written again. */
const TAIL_BYTES = 256;
/**
 * A file written again within this time may have the same time of change: that of Linux moves on every 1 to 10 ms, that of FAT
 * every 2 s.
 */
const CHANGE_STEP_MS = 2_000;
const NO_BYTES = new Uint8Array();

/** Where all logs are read to, one after the other: hundreds can be open. */
let shared: Buffer | undefined;

/**
 * Reads a log while it grows, each byte once. Notices that the file was replaced (its old content is read to the end
 * first), cut, or written again from its beginning. A file that is gone has no more bytes until it is there again.
 */
export class GrowingLog {
  readonly path: string;
  /** When the file was last written, in milliseconds since 1970; 0 before the first read. */
  changed = 0;
  /** Bytes in the file. */
  size = 0;
  /** Bytes read of it. */
  position = 0;
  readonly #buffer: Buffer;
  #file: number | undefined;
  /** Device and inode of the file that is read. */
  #identity: string | undefined;
  /** When the file was last looked at, in milliseconds since 1970. */
  #readAt = 0;
  /** The last bytes that were read. */
  #tail: Uint8Array = NO_BYTES;

  constructor(path: string) {
    this.path = path;
    shared ??= Buffer.allocUnsafeSlow(TAIL_BYTES + CHUNK_BYTES);
    this.#buffer = shared;
  }

  /**
   * Returns the next bytes; undefined if there are none now. Throws the system's error if the file cannot be opened
   * or read.
   */
  read(): Growth | undefined {
    const now = statusOf(this.path);
    const isOther = now !== undefined && this.#identity !== undefined && this.#identity !== identityOf(now);
    if (this.#file === undefined || isOther) {
      const rest = this.#file === undefined ? undefined : this.#next(this.#file);
      if (rest !== undefined && !rest.isOther) return rest;
      if (now === undefined || !now.isFile()) return undefined;
      // Most polls find a closed log as it was.
      const isReopened = this.#file === undefined && this.#identity !== undefined && !isOther;
      if (isReopened && this.#isAsBefore(now)) return undefined;
      this.#open();
      if (isOther) return this.#restart();
      if (isReopened) return this.#nextOrClose();
    }
    return this.#file === undefined ? undefined : this.#next(this.#file);
  }

  /** Closes the file. The next read goes on if the file has changed by then. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): void {
    this.close();
    const file = openRegular(this.path);
    this.#file = file;
    this.#identity = identityOf(fstatSync(file, { bigint: true }));
  }

  /** Returns the next bytes of an open file. */
  #next(file: number): Growth | undefined {
    const { size, mtimeNs } = fstatSync(file, { bigint: true });
    this.size = Number(size);
    this.changed = Number(mtimeNs / 1_000_000n);
    this.#readAt = Date.now();
    const tail = this.#tail.length;
    if (this.size < this.position) return this.#restart();
    const read = readSync(file, this.#buffer, 0, this.#buffer.length, this.position - tail);
    if (read < tail || this.#buffer.compare(this.#tail, 0, tail, 0, tail) !== 0) return this.#restart();
    if (read === tail) return undefined;
    this.position += read - tail;
    const kept = this.#buffer.subarray(Math.max(0, read - TAIL_BYTES), read);
    const bytes = this.#buffer.subarray(tail, read);
    this.#tail = Buffer.from(kept);
    return { bytes, isOther: false };
  }

  /** Returns the next bytes. Closes the file again if there are none. */
  #nextOrClose(): Growth | undefined {
    const next = this.#file === undefined ? undefined : this.#next(this.#file);
    if (next === undefined) this.close();
    return next;
  }

  /** Begins at the first byte again. */
  #restart(): Growth {
    this.position = 0;
    this.#tail = NO_BYTES;
    const first = this.#file === undefined ? undefined : this.#next(this.#file);
    return { bytes: first?.bytes ?? NO_BYTES, isOther: true };
  }

  /** Whether a closed file surely is what it was when it was last read. */
  #isAsBefore(now: BigIntStats): boolean {
    const changed = Number(now.mtimeNs / 1_000_000n);
    return (
      Number(now.size) === this.position &&
      changed === this.changed &&
      changed + CHANGE_STEP_MS < this.#readAt
    );
  }
}

function statusOf(path: string): BigIntStats | undefined {
  return tried(() => statSync(path, { bigint: true })); // If it is gone, or its folder is, it may come back.
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
