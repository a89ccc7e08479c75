import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A regular file that is open for reading, for as long as the callback it was handed to runs. */
export interface RegularFile {
  /** Bytes, when it was opened. */
  readonly size: number;
  /**
   * The `size` bytes at `offset`, in a buffer that the caller owns. Undefined where the file does not hold all
   * of them, or for more than {@link READ_LIMIT}: both numbers may come unchecked from the file itself.
   */
  read(offset: number, size: number): Buffer | undefined;
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
    return use({ size: status.size, read: (offset, size) => readAt(descriptor, status.size, offset, size) });
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, fileSize: number, offset: number, size: number): Buffer | undefined {
  if (!(offset >= 0 && size >= 0 && offset + size <= fileSize) || size > READ_LIMIT) return undefined;
  const bytes = Buffer.allocUnsafeSlow(size);
  try {
    // Shorter than asked for when the file was truncated meanwhile; the rest of the buffer is not ours to show.
    return readSync(descriptor, bytes, 0, size, offset) === size ? bytes : undefined;
  } catch {
    return undefined; // An I/O error is one more way not to hold the bytes.
  }
}
