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
import { tried } from "../base/errors.js";

interface AtomicFileOptions {
  /** Permission bits of a new file, before the umask. Default: 0o666. */
  readonly mode?: number | undefined;
  /** Whether to flush all bytes to disk before the rename, so that a crash loses nothing. Default: true. */
  readonly isDurable?: boolean | undefined;
}

/** Suffix of files that are not complete yet. */
export const TEMPORARY = ".tmp";

/** Fails if anything is there, and follows no link, not even one that was created a moment ago. */
const ONLY_NEW =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_EXCL |
  // Windows does not have this flag.
  (constants.O_NOFOLLOW ?? 0);
/** Bytes per write: the system accepts less than 2 GiB at once. */
const WRITE_LIMIT = 2 ** 30;

/**
 * A file that is written beside `path` under another name and replaces what is at `path` once it is complete,
 * so that others see either all of it or what was there before. A link at `path` is replaced, never followed.
 * The new file inherits the permission bits of the file that it replaces and, where permitted, its owner.
 *
 * Blocks the thread while it writes. Throws the errors of the system; {@link discard} the file after one. The
 * incomplete file is removed if a signal ends the process.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #replaced: Stats | undefined;
  readonly #isDurable: boolean;
  /** Undefined once closed. */
  #descriptor: number | undefined;
  #isUnfinished = true;

  constructor(path: string, { mode = 0o666, isDurable = true }: AtomicFileOptions = {}) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    this.#replaced = status?.isFile() ? status : undefined;
    // A read-only file must not be replaced either.
    if (this.#replaced !== undefined) accessSync(path, constants.W_OK);
    this.#path = path;
    this.#isDurable = isDurable;
    this.#temporary = join(dirname(path), temporaryName());
    removeIfStopped(this.#temporary);
    try {
      // Nobody else may read it before it has the permissions of the file that it replaces.
      this.#descriptor = openSync(this.#temporary, ONLY_NEW, this.#replaced === undefined ? mode : 0o600);
    } catch (error) {
      // What is there is not ours to remove.
      this.#isUnfinished = false;
      forgetUnfinished(this.#temporary);
      throw error;
    }
  }

  write(bytes: Uint8Array): void {
    writeAll(this.#descriptor!, bytes);
  }

  /** Closes the file and gives it its final name. */
  commit(): void {
    const descriptor = this.#descriptor!;
    if (this.#replaced !== undefined) copyOwnership(descriptor, this.#replaced);
    if (this.#isDurable) fsyncSync(descriptor);
    this.#descriptor = undefined;
    closeSync(descriptor);
    renameSync(this.#temporary, this.#path);
    this.#isUnfinished = false;
    forgetUnfinished(this.#temporary);
  }

  /** Removes the file, unless it is committed. Never throws: a file that cannot be removed stays. */
  discard(): void {
    if (!this.#isUnfinished) return;
    this.#isUnfinished = false;
    const descriptor = this.#descriptor;
    // The error that led here is reported instead.
    if (descriptor !== undefined) tried(() => closeSync(descriptor));
    tried(() => unlinkSync(this.#temporary)); // Someone else may have removed it.
    forgetUnfinished(this.#temporary);
  }
}

/** Writes a text to a file, all or nothing. Throws the errors of the system. */
export function writeWholeFile(path: string, text: string, options: AtomicFileOptions = {}): void {
  const file = new AtomicFile(path, options);
  try {
    file.write(Buffer.from(text));
    file.commit();
  } finally {
    file.discard();
  }
}

/**
 * Writes all of the bytes at the current offset. One call of the system may write fewer, for example on a
 * disk that fills up.
 */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = writeSync(descriptor, bytes, at, Math.min(bytes.length - at, WRITE_LIMIT));
    if (written === 0) throw Object.assign(new Error("EIO: no bytes were written"), { syscall: "write" });
    at += written;
  }
}

/**
 * Returns a name that nobody can guess. `Math.random` is seeded with the system's random bytes; `node:crypto`
 * would take 3 ms to load. An existing file is refused in any case.
 *
 * Source: Node, src/node.cc, `V8::SetEntropySource`.
 */
function temporaryName(): string {
  const random = () => Math.random().toString(36).slice(2);
  return `.ticks-${random()}${random()}${TEMPORARY}`;
}

/** Copies the owner and the permission bits of another file. */
function copyOwnership(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may change owners.
  }
  fchmodSync(descriptor, mode & 0o777);
}

/** The usual signals that end a process and let it clean up. */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const unfinished = new Set<string>();
let isListening = false;

/** Removes a file if a signal ends the process. */
function removeIfStopped(path: string): void {
  unfinished.add(path);
  if (isListening) return;
  isListening = true;
  for (const signal of SIGNALS) process.on(signal, removeAndEnd);
}

/** Undoes {@link removeIfStopped}: the file is complete, or gone. */
function forgetUnfinished(path: string): void {
  unfinished.delete(path);
  // A signal that came during a write is delivered in the next turn of the event loop.
  if (unfinished.size === 0) void signalsDelivered().then(stopListening);
}

/**
 * Resolves when the signals received so far have been delivered. Code that never waits for the event loop
 * must await this now and then, or signals cannot stop it.
 */
export async function signalsDelivered(): Promise<void> {
  // The first turn may already be past its signals.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function stopListening(): void {
  if (unfinished.size > 0 || !isListening) return;
  isListening = false;
  for (const signal of SIGNALS) process.off(signal, removeAndEnd);
}

/** Removes the files and ends the process by the signal, as if it had no handler. */
function removeAndEnd(signal: NodeJS.Signals): void {
  for (const path of unfinished) {
    tried(() => unlinkSync(path)); // It may not be created yet, or be gone.
  }
  unfinished.clear();
  stopListening();
  // If others listen, they decide what to do.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
