import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { TicksError, type TicksErrorCode, tried } from "../base/errors.js";

/** Bytes that are read in parts. */
export interface FileBytes {
  /** Size in bytes when it was opened. */
  readonly size: number;
  /**
   * Reads `size` bytes at `offset` into a buffer that the caller owns. Returns undefined if the file does not
   * have all of them, or for more than {@link READ_LIMIT}: both numbers may come
   * unchecked from the file.
   */
  read(offset: number, size: number): Buffer | undefined;
}

/** A path leads to a pipe, a device, a folder, or a file that the system generates. */
export class IrregularFileError extends TicksError {
  constructor(name: string, code: TicksErrorCode = "NOT_READABLE", hint?: string) {
    super(code, `${name} is not a regular file`, hint);
  }
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

/** Does not wait for the writer of a pipe, nor for a device. Windows does not have this flag. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Where Linux mounts what it generates as it is read: it calls these files regular, but some never end and some wait. */
const MADE_UP = [
  "/proc",
  "/sys",
  "/sys/fs/cgroup",
  "/sys/kernel/debug",
  "/sys/kernel/security",
  "/sys/kernel/tracing",
];

/**
 * Opens a regular file for reading and returns its descriptor, which the caller closes. What it is, is looked at once it is open: a
 * name can lead to another file by then. Throws errors of the system, and a {@link TicksError} for a pipe, a device, a folder, or a
 * file that the system generates; `name` is what the message calls it.
 */
export function openRegular(path: string, name = path): number {
  const descriptor = openSync(path, READ_ONLY);
  try {
    if (isStored(fstatSync(descriptor))) return descriptor;
    throw new IrregularFileError(name);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Returns whether a path leads to a regular file, as far as its name tells: opening it can find another. */
export function isRegularFile(path: string): boolean {
  // It may be a link to itself, or a path through a file.
  const status = tried(() => statSync(path, { throwIfNoEntry: false }));
  return status !== undefined && isStored(status);
}

/**
 * Reads a whole regular file. Throws what {@link openRegular} throws, and a {@link TicksError} for one of more than `limit`
 * bytes.
 */
export function readRegularFile(path: string, limit: number, name = path): Buffer {
  const descriptor = openRegular(path, name);
  try {
    const { size } = fstatSync(descriptor);
    if (size > limit) throw new TicksError("NOT_READABLE", `${name} is too large: ${size} bytes`);
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length);
      if (read === 0) break; // It was cut meanwhile.
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether the bytes of a file are stored, and not generated as they are read. */
function isStored(status: Stats): boolean {
  return status.isFile() && !MADE_UP.some((folder) => isMountedAt(folder, status.dev));
}

function isMountedAt(folder: string, device: number): boolean {
  if (process.platform !== "linux") return false;
  // Where nothing is mounted, it is a folder like any other.
  return tried(() => statSync(folder).dev === device && statSync("/").dev !== device) ?? false;
}

/**
 * Opens a file, passes it to `use` and closes it. Returns undefined if it cannot be opened or is not a
 * regular file: a path in a log can name a pipe, which would block, or a device. Throws only what `use`
 * throws.
 */
export function withRegularFile<T>(path: string, use: (file: RegularFile) => T): T | undefined {
  const descriptor = tried(() => openRegular(path));
  if (descriptor === undefined) return undefined; // The caller tells a missing file from one of another system.
  try {
    const status = fstatSync(descriptor);
    const { size } = status;
    return use({
      size,
      stamp: stampOf(status),
      read(offset, length) {
        if (!(offset >= 0 && length >= 0 && offset + length <= size) || length > READ_LIMIT) return undefined;
        const bytes = Buffer.allocUnsafeSlow(length);
        return fill(descriptor, bytes, offset) ? bytes : undefined;
      },
      readInto: (bytes, at) => fill(descriptor, bytes, at),
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the `stamp` of a regular file. */
function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

/** Returns the `stamp` of the file at a path; undefined if there is none or it cannot be seen. */
export function stampAt(path: string): string | undefined {
  // A folder that cannot be entered is the same as none.
  const status = tried(() => statSync(path, { throwIfNoEntry: false }));
  return status?.isFile() ? stampOf(status) : undefined;
}

function fill(descriptor: number, bytes: Buffer, offset: number): boolean {
  // Fewer bytes if the file was truncated meanwhile, none after an I/O error. The rest of the buffer is not ours to show.
  return tried(() => readSync(descriptor, bytes, 0, bytes.length, offset)) === bytes.length;
}
