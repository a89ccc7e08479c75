import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";

/** Bytes that are read in parts. */
export interface FileBytes {
  /** Size in bytes when it was opened. */
  readonly size: number;
  /**
   * Reads `size` bytes at `offset` into a buffer that the caller owns, which may be `room`. Returns undefined
   * if the file does not have all of them, or for more than {@link READ_LIMIT}: both numbers may come
   * unchecked from the file.
   */
  read(offset: number, size: number, room?: Buffer): Buffer | undefined;
}

/** A regular file, open for reading while the callback that received it runs. */
export interface RegularFile extends FileBytes {
  /** Changes whenever the file is replaced or written. */
  readonly stamp: string;
  /** Fills `bytes` from `offset` on; returns false if the file does not have all of them. */
  readInto(bytes: Buffer, offset: number): boolean;
}

/**
 * Most bytes in one read: more than the largest string table that any linker wrote for a browser, less than a
 * sparse file with a fake size could make this process allocate.
 */
export const READ_LIMIT = 2 ** 28;

/**
 * Opens a file, passes it to `use` and closes it. Returns undefined if it cannot be opened or is not a
 * regular file: a path in a log can name a pipe, which would block, or a device. Throws only what `use`
 * throws.
 */
export function withRegularFile<T>(path: string, use: (file: RegularFile) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // The caller tells a missing file from one of another system.
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

/** Returns the `stamp` of a regular file. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

/** Returns the `stamp` of the file at a path; undefined if there is none or it cannot be seen. */
export function stampAt(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    return status?.isFile() ? stampOf(status) : undefined;
  } catch {
    return undefined; // In a folder that cannot be entered, which is the same as not there.
  }
}

/** Reads into `roomOrSize` if it is a buffer, else as many bytes as it says into a new one. */
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
    // Fewer bytes if the file was truncated meanwhile. The rest of the buffer is not ours to show.
    return readSync(descriptor, bytes, 0, bytes.length, offset) === bytes.length;
  } catch {
    return false; // After an I/O error the bytes are not available either.
  }
}
