import { fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { TicksError } from "../base/errors.js";
import { AtomicFile, signalsDelivered, writeAll } from "./atomic-file.js";

interface OutputName {
  /** What error messages call the output. */
  readonly name: string;
  /**
   * Whether the user typed the path. A derived name, such as one made from a log's name, may have been
   * planted by someone else.
   */
  readonly isTyped: boolean;
}

/** Where to write the bytes of an output. */
type OutputTarget =
  /** A file that replaces what is at `path` once it is complete. */
  | { readonly kind: "file"; readonly path: string }
  /** What is at `path`: a device or a pipe. */
  | { readonly kind: "device"; readonly path: string }
  /** An open file; bytes are appended at its current offset. */
  | { readonly kind: "descriptor"; readonly descriptor: number };

/** A longer chain of links is a loop. Source: Linux, include/linux/namei.h, `MAXSYMLINKS`. */
const LINKS_LIMIT = 40;
/** The folders of a process's open files, to which `/dev/stdout` and `/dev/fd/63` lead. */
const DESCRIPTORS = /^\/(?:proc\/(\d+)(?:\/task\/\d+)?|dev)\/fd$/;
/** Windows has its devices in every folder. */
const WINDOWS_DEVICE = /^\\\\[.?]\\|(?:^|[\\/])(?:nul|con|conout\$)$/i;

/**
 * Returns where to write the output for a path. Follows links that the user typed, even to a file that does
 * not exist yet; a derived name must be a regular file or nothing. Throws a {@link TicksError} if it cannot
 * be written to, and the errors of the system.
 */
export function outputTarget(path: string, { name, isTyped }: OutputName): OutputTarget {
  if (!isTyped) {
    refuseSpecialFile(lstatSync(path, { throwIfNoEntry: false }), name);
    return { kind: "file", path };
  }
  if (process.platform === "win32" && WINDOWS_DEVICE.test(path)) return { kind: "device", path };
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory()) throw new TicksError("IS_DIRECTORY", `${name} is a folder: name a file in it`);
  if (status !== undefined && !status.isFile()) return { kind: "device", path };
  return endOfLinks(path);
}

/** Returns the end of a chain of links, which need not exist. */
function endOfLinks(path: string): OutputTarget {
  let at = path;
  for (let links = 0; links < LINKS_LIMIT; links++) {
    const folder = realpathSync(dirname(at));
    const end = basename(at);
    if (isOwnDescriptors(folder) && /^\d+$/.test(end)) return { kind: "descriptor", descriptor: Number(end) };
    if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return { kind: "file", path: at };
    at = resolve(folder, readlinkSync(at));
  }
  throw Object.assign(new Error("ELOOP: too many symbolic links"), { syscall: "open" });
}

function refuseSpecialFile(status: Stats | undefined, name: string): void {
  if (status === undefined || status.isFile()) return;
  const what = status.isSymbolicLink() ? "a symbolic link" : "not a regular file";
  throw new TicksError(
    "NOT_WRITABLE",
    `${name} is ${what}: refusing to write to it`,
    "Choose the output: -o FILE",
  );
}

/** Returns whether a folder lists this process's open files. */
function isOwnDescriptors(folder: string): boolean {
  const [found, pid = `${process.pid}`] = DESCRIPTORS.exec(folder) ?? [];
  return found !== undefined && pid === `${process.pid}`;
}

/** Small enough to keep memory flat, large enough that the number of writes does not matter. */
const CHUNK_LENGTH = 1 << 16;

/** Error codes of a pipe whose reader has closed it, on the first write and on later ones. */
const CLOSED: readonly (string | undefined)[] = ["EPIPE", "ERR_STREAM_DESTROYED"];

/** The content of an output. A chunk of bytes need not stay as it is once the next one is requested. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export interface WriteFileOptions extends Partial<OutputName> {
  /** Whether to compress the file with gzip. Default: false. */
  readonly isCompressed?: boolean | undefined;
}

/**
 * Writes lines, each with a newline. Stops quietly if the reader closes the pipe (`| head`), without
 * producing the remaining lines. Throws a {@link TicksError} on any other write error.
 */
export function writeLines(stream: Writable, lines: Iterable<string>): Promise<void> {
  return writeChunks(stream, joinLines(lines));
}

/** Joins lines into chunks of text, each line with a newline. */
export function* joinLines(lines: Iterable<string>): Iterable<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Writes chunks as they are. Stops and throws as {@link writeLines} does. */
export async function writeChunks(stream: Writable, chunks: Chunks): Promise<void> {
  const write = writerTo(stream);
  for await (const chunk of chunks) {
    try {
      await write(chunk);
    } catch (error) {
      if (CLOSED.includes((error as NodeJS.ErrnoException).code)) return;
      throw isOfSystem(error) ? notWritable("the output", error) : error;
    }
  }
}

function writerTo(stream: Writable): (chunk: string | Uint8Array) => Promise<void> | void {
  const file = regularFileOf(stream);
  // A file stream does not notice when the system writes only part of its data.
  if (file !== undefined) return (chunk) => writeAll(file, bytesOf(chunk));
  // The callback below receives the error; without this listener it would also end the process.
  stream.on("error", () => {});
  return (chunk) =>
    new Promise((resolve, reject) => {
      stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
}

/** Returns the descriptor of a stream that writes to a regular file. */
function regularFileOf(stream: Writable): number | undefined {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === "number" && fstatSync(fd).isFile() ? fd : undefined;
}

/**
 * Writes chunks to a file, all or nothing: the old file is replaced when everything is written, and stays if
 * writing fails, if the chunks throw, or if a signal ends the process. A path that the user typed may also be
 * a link, which is followed, or a device or pipe, which is written to chunk by chunk.
 *
 * Throws a {@link TicksError} if it cannot be written. `name` (default: `path`) is what the message calls the
 * file. `isTyped` is whether the user typed the path (default: false).
 */
export async function writeFile(path: string, chunks: Chunks, options: WriteFileOptions = {}): Promise<void> {
  const { name = path, isTyped = false, isCompressed = false } = options;
  const bytes = isCompressed ? compressed(chunks) : gathered(chunks);
  try {
    const target = outputTarget(path, { name, isTyped });
    if (target.kind === "file") await writeWhole(target.path, bytes);
    else if (target.kind === "device") await writeToDevice(target.path, bytes);
    else for await (const part of bytes) writeAll(target.descriptor, part);
  } catch (error) {
    throw isOfSystem(error) ? notWritable(name, error) : error;
  }
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = new AtomicFile(path);
  try {
    for await (const part of bytes) {
      file.write(part);
      await signalsDelivered();
    }
    await signalsDelivered();
    file.commit();
  } finally {
    file.discard();
  }
}

/** Asynchronous, because a pipe may not have a reader yet. */
async function writeToDevice(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const part of bytes) await file.writeFile(part);
  } finally {
    await file.close();
  }
}

/** The most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** Combines chunks into large ones. Each is valid only until the next one is requested. */
async function* gathered(chunks: Chunks): AsyncIterable<Uint8Array> {
  // Texts go straight to their place: a buffer for each of them would be garbage that is collected late.
  const room = Buffer.allocUnsafe((1 + 2 * UNIT_BYTES) * CHUNK_LENGTH);
  let used = 0;
  for await (const chunk of chunks) {
    const most = typeof chunk === "string" ? UNIT_BYTES * chunk.length : chunk.length;
    if (used > 0 && (used >= CHUNK_LENGTH || used + most > room.length)) {
      yield room.subarray(0, used);
      used = 0;
    }
    const isLarge = typeof chunk === "string" ? most > room.length : most >= CHUNK_LENGTH;
    if (isLarge) {
      if (used > 0) yield room.subarray(0, used);
      used = 0;
      yield bytesOf(chunk);
    } else if (typeof chunk === "string") {
      used += room.write(chunk, used);
    } else {
      room.set(chunk, used);
      used += chunk.length;
    }
  }
  if (used > 0) yield room.subarray(0, used);
}

async function* compressed(chunks: Chunks): AsyncIterable<Uint8Array> {
  const source = Readable.from(asBytes(chunks), { objectMode: false });
  const packed = createGzip();
  const ending = pipeline(source, packed);
  // Awaited at the end. Until then the reader of the compressed bytes gets the error.
  ending.catch(() => {});
  yield* packed;
  await ending;
}

/** Returns copies: the stream keeps some chunks while it requests the next ones. */
async function* asBytes(chunks: Chunks): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks)
    yield typeof chunk === "string" ? Buffer.from(chunk) : new Uint8Array(chunk);
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function notWritable(what: string, { code, message, syscall }: NodeJS.ErrnoException): TicksError {
  if (code === "ENOENT")
    return new TicksError("NOT_WRITABLE", `${what} cannot be written: its folder does not exist`);
  // The message goes on with the name of the call and of a temporary file that the user does not know.
  const reason = syscall === undefined ? message : message.split(`, ${syscall}`)[0];
  return new TicksError("NOT_WRITABLE", `${what} cannot be written: ${reason}`);
}
