import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";

/** Bytes that are read in parts. */
export interface FileBytes {
  /** Bytes, when it was opened. */
  readonly size: number;
  /**
   * The `size` bytes at `offset`, in a buffer that the caller owns, which may be `room`. Undefined where the file does not
   * hold all of them, or for more than {@link READ_LIMIT}: both numbers may come unchecked from the file itself.
   */
  read(offset: number, size: number, room?: Buffer): Buffer | undefined;
}

/** A regular file that is open for reading, for as long as the callback it was handed to runs. */
export interface RegularFile extends FileBytes {
  /** A text that becomes another one whenever the file is replaced or written. */
  readonly stamp: string;
  /** Fills `bytes` with those at `offset`; false where the file does not hold all of them. */
  readInto(bytes: Buffer, offset: number): boolean;
}

/**
 * Bytes that one read may ask for: past the largest string table that a linker has written for a browser, and
 * short of what a sparse file with a made-up size could take from this process.
 */
export const READ_LIMIT = 2 ** 28;

/**
 * Opens the file, hands it to `use`, closes it. Undefined where it cannot be opened or is not a regular file:
 * a path in a log can name a pipe, which would block, or a device. Throws only what `use` throws.
 */
export function withRegularFile<T>(path: string, use: (file: RegularFile) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // The caller tells a missing file from a foreign one.
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return undefined;
    const { size } = status;
    return use({
      size,
      stamp: stampOf(status),
      read: (at, roomOrSize, room) => readAt(descriptor, size, at, room ?? roomOrSize),
      readInto: (bytes, at) => fill(descriptor, bytes, at),
    });
  } finally {
    closeSync(descriptor);
  }
}

/** What `stamp` of a regular file is. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

/** The `stamp` of the file at a path; undefined where there is none, or none that may be seen. */
export function stampAt(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    return status?.isFile() ? stampOf(status) : undefined;
  } catch {
    return undefined; // In a folder that cannot be entered: no more to be read than one that is not there.
  }
}

/** `wanted` is how many bytes, or where to put as many as there is room. */
function readAt(
  descriptor: number,
  fileSize: number,
  offset: number,
  roomOrSize: number | Buffer,
): Buffer | undefined {
  const size = typeof roomOrSize === "number" ? roomOrSize : roomOrSize.length;
  if (!(offset >= 0 && size >= 0 && offset + size <= fileSize) || size > READ_LIMIT) return undefined;
  const bytes = typeof roomOrSize === "number" ? Buffer.allocUnsafeSlow(size) : roomOrSize;
  return fill(descriptor, bytes, offset) ? bytes : undefined;
}

function fill(descriptor: number, bytes: Buffer, offset: number): boolean {
  try {
    // Shorter than asked for when the file was truncated meanwhile; the rest of the buffer is not ours to show.
    return readSync(descriptor, bytes, 0, bytes.length, offset) === bytes.length;
  } catch {
    return false; // An I/O error is one more way not to hold the bytes.
  }
}
