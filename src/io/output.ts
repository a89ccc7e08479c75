import type { Writable } from "node:stream";
import { TicksError } from "../errors.js";

/** Small enough to keep memory flat, large enough that calls cost nothing. */
const CHUNK_LENGTH = 1 << 16;

/**
 * Writes lines, each with a newline. A reader that has had enough (`| head`) ends it quietly: what is left is
 * not made any more. Throws a {@link TicksError} when the output cannot be written for another reason.
 */
export async function writeLines(stream: Writable, lines: Iterable<string>): Promise<void> {
  let isClosed = false;
  let failure: Error | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    isClosed = true;
    if (error.code !== "EPIPE") failure = error;
  });
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    await write(stream, chunk);
    chunk = "";
    if (isClosed) break;
  }
  if (!isClosed && chunk !== "") await write(stream, chunk);
  if (failure !== undefined)
    throw new TicksError("NOT_WRITABLE", `the output cannot be written: ${failure.message}`);
}

function write(stream: Writable, chunk: string): Promise<void> {
  return new Promise((resolve) => {
    // An error is told to the listener above; here it only ends the wait.
    stream.write(chunk, () => resolve());
  });
}
