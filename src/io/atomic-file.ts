import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { forgetUnfinished, removeIfStopped } from "./unfinished-files.js";

export interface AtomicFileOptions {
  /** The permission bits of a new file, before the umask takes some away. Default: 0o666. */
  readonly mode?: number | undefined;
  /** Whether all bytes are to be on the disk before the file gets its name: a crash then loses nothing. Default: true. */
  readonly isDurable?: boolean | undefined;
}

/** What files are called until they are whole. */
export const TEMPORARY = ".tmp";

/** Nothing is there yet, and no link is followed, not even one that was put there a moment ago. */
const ONLY_NEW =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_EXCL |
  // Windows has no such flag.
  (constants.O_NOFOLLOW ?? 0);
/** Bytes of one write: the system takes less than 2 GiB at once. */
const WRITE_LIMIT = 2 ** 30;

/**
 * A file that is written beside `path`, under another name, and takes the place of what is at `path` when it is whole:
 * others see all of it or what was there before. A link at `path` is replaced, never followed. A file that it
 * replaces hands on its permission bits and, where the system lets it, its owner.
 *
 * Stops the thread while it writes. Throws the errors of the system; after one, {@link discard} it. The file that is not
 * whole yet is removed when a signal ends the process.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #replaced: Stats | undefined;
  readonly #isDurable: boolean;
  /** Undefined once it is closed. */
  #descriptor: number | undefined;
  #isUnfinished = true;

  constructor(path: string, { mode = 0o666, isDurable = true }: AtomicFileOptions = {}) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    this.#replaced = status?.isFile() ? status : undefined;
    // A file that may not be written may not be replaced either.
    if (this.#replaced !== undefined) accessSync(path, constants.W_OK);
    this.#path = path;
    this.#isDurable = isDurable;
    this.#temporary = join(dirname(path), temporaryName());
    removeIfStopped(this.#temporary);
    try {
      // Nobody else reads it before it has the permissions of the file that it replaces.
      this.#descriptor = openSync(this.#temporary, ONLY_NEW, this.#replaced === undefined ? mode : 0o600);
    } catch (error) {
      // What is there is not ours to remove.
      this.#isUnfinished = false;
      forgetUnfinished(this.#temporary);
      throw error;
    }
  }

  /** Writes all of the bytes. */
  write(bytes: Uint8Array): void {
    writeAll(this.#descriptor!, bytes);
  }

  /** Closes the file and gives it its name. */
  commit(): void {
    const descriptor = this.#descriptor!;
    if (this.#replaced !== undefined) takeAfter(descriptor, this.#replaced);
    if (this.#isDurable) fsyncSync(descriptor);
    this.#descriptor = undefined;
    closeSync(descriptor);
    renameSync(this.#temporary, this.#path);
    this.#isUnfinished = false;
    forgetUnfinished(this.#temporary);
  }

  /** Removes what was written. Does nothing once it is committed. Never throws: what cannot be removed stays. */
  discard(): void {
    if (!this.#isUnfinished) return;
    this.#isUnfinished = false;
    try {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    } catch {
      // The error that led here is the one to tell.
    }
    try {
      unlinkSync(this.#temporary);
    } catch {
      // Removed by someone else.
    }
    forgetUnfinished(this.#temporary);
  }
}

/** Writes all of the bytes where the file stands: one call may write fewer, as on a disk that gets full. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = writeSync(descriptor, bytes, at, Math.min(bytes.length - at, WRITE_LIMIT));
    if (written === 0) throw Object.assign(new Error("EIO: no bytes were written"), { syscall: "write" });
    at += written;
  }
}

/**
 * A name that nobody can guess. The seed of `Math.random` comes from the random bytes of the system, and `node:crypto`
 * takes 3 ms to load; what is there already is refused in any case.
 *
 * Source: Node, src/node.cc, `V8::SetEntropySource`.
 */
function temporaryName(): string {
  const random = () => Math.random().toString(36).slice(2);
  return `.ticks-${random()}${random()}${TEMPORARY}`;
}

/** Gives a file the owner and the permission bits of another one. */
function takeAfter(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may give files away.
  }
  fchmodSync(descriptor, mode & 0o777);
}
