import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { TicksError } from "../errors.js";

/** Small enough to keep memory flat, large enough that calls cost nothing. */
const CHUNK_LENGTH = 1 << 16;

/** What an output is made of. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes lines, each with a newline. A reader that has had enough (`| head`) ends it quietly: what is left is
 * not made any more. Throws a {@link TicksError} when the output cannot be written for another reason.
 */
export function writeLines(stream: Writable, lines: Iterable<string>): Promise<void> {
  return writeChunks(stream, joinLines(lines));
}

/** Lines as chunks of text, each line with a newline. */
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

/** Writes chunks as they are. Ends and throws as {@link writeLines} does. */
export async function writeChunks(stream: Writable, chunks: Chunks): Promise<void> {
  let isClosed = false;
  let failure: Error | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    isClosed = true;
    if (error.code !== "EPIPE") failure = error;
  });
  for await (const chunk of chunks) {
    await write(stream, chunk);
    if (isClosed) break;
  }
  if (failure !== undefined) throw notWritable("the output", failure);
}

/** Writes chunks to a file, over what is there. Throws a {@link TicksError} where that cannot be. */
export async function writeFile(path: string, chunks: Chunks, isCompressed = false): Promise<void> {
  const source = Readable.from(asBytes(chunks), { objectMode: false });
  try {
    if (isCompressed) await pipeline(source, createGzip(), createWriteStream(path));
    else await pipeline(source, createWriteStream(path));
  } catch (error) {
    const isOurs = !(error instanceof Error && "syscall" in error);
    throw isOurs ? error : notWritable(path, error);
  }
}

async function* asBytes(chunks: Chunks): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

function notWritable(what: string, { message }: Error): TicksError {
  return new TicksError("NOT_WRITABLE", `${what} cannot be written: ${message}`);
}

function write(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    // An error is told to the listener above; here it only ends the wait.
    stream.write(chunk, () => resolve());
  });
}
