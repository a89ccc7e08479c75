import { constants } from "node:buffer";
import { existsSync, realpathSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { TicksError } from "../errors.js";
import { SYMBOLS_FILE_BYTES } from "../limits.js";
import { openLog, STDIN } from "./input.js";

/** Of bytes, and of UTF-16 units, which are no more. */
const LIMIT = Math.min(SYMBOLS_FILE_BYTES, constants.MAX_STRING_LENGTH);
/** Folders of files that the system makes up as they are read: some wait for ever, some are for nobody else to read. */
const MADE_UP = /^\/(?:proc|sys|dev)\//;

/** Where the symbols of a log are looked for: beside it, under its own name or under that of the uncompressed log. */
export function symbolsFileOf(log: string): string | undefined {
  if (log === STDIN) return undefined;
  const names = [log, log.replace(/\.(?:gz|zst)$/, "")];
  return names.map((name) => `${name}.symbols`).find((path) => existsSync(path));
}

/**
 * Throws a {@link TicksError} where a file of symbols that nobody typed, since it was found beside a log, is none that can be
 * read to its end: a pipe, a device, a link to what the system makes up. `name` is what errors call the file.
 */
export function refuseSpecial(path: string, name: string): void {
  if (statSync(path).isFile() && !MADE_UP.test(realpathSync(path))) return;
  throw new TicksError("BAD_SYMBOLS", `${name} is not a regular file`, "Remove it, or give --symbols FILE.");
}

/** Whether there is something to read at a path. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false; // Reading it tells why.
  }
}

/**
 * The text of a file of symbols, uncompressed. Throws as {@link openLog} does, and a {@link TicksError} for a file
 * that is too long for any symbols (`BAD_SYMBOLS`).
 */
export async function readText(path: string): Promise<string> {
  const decoder = new StringDecoder("utf8");
  const parts: string[] = [];
  let size = 0;
  try {
    const file = openLog(path);
    for await (const chunk of file) {
      size += chunk.length;
      if (size > LIMIT) throw new TicksError("BAD_SYMBOLS", `${path}: too long for a file of symbols`);
      parts.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)));
    }
    if (file.diagnostic() !== undefined) {
      throw new TicksError("BAD_COMPRESSION", `${path}: the compressed data is damaged or cut`);
    }
  } catch (error) {
    // What openLog says to do is meant for logs.
    throw error instanceof TicksError ? new TicksError(error.code, error.message) : error;
  }
  parts.push(decoder.end());
  return parts.join("");
}
