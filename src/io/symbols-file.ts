import { constants } from "node:buffer";
import { existsSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { TicksError, tried } from "../base/errors.js";
import { SYMBOLS_FILE_BYTES } from "../base/limits.js";
import { type OpenLogOptions, openLog, STDIN } from "./input.js";
import { IrregularFileError } from "./regular-file.js";

/** In bytes, and in UTF-16 units, of which there are no more. */
const LIMIT = Math.min(SYMBOLS_FILE_BYTES, constants.MAX_STRING_LENGTH);

/**
 * Returns the path of the symbols beside a log, under its own name or that of the uncompressed log; undefined
 * if there are none.
 */
export function symbolsFileOf(log: string): string | undefined {
  if (log === STDIN) return undefined;
  const names = [log, log.replace(/\.(?:gz|zst|br)$/, "")];
  return names.map((name) => `${name}.symbols`).find((path) => existsSync(path));
}

/**
 * Reads the text of symbols found beside a log. Throws as {@link readText} does, and a {@link TicksError} if they are not a
 * regular file, but a pipe, a device, or a link to a file that the system generates. `name` is what the message calls the file.
 */
export async function readSymbolsBeside(path: string, name: string): Promise<string> {
  try {
    return await readText(path, { isFound: true });
  } catch (error) {
    if (!(error instanceof IrregularFileError)) throw error;
    throw new IrregularFileError(name, "BAD_SYMBOLS", "Remove it, or use --symbols FILE.");
  }
}

/** Returns whether there is anything to read at a path. */
export function isFile(path: string): boolean {
  return tried(() => statSync(path, { throwIfNoEntry: false })?.isDirectory()) === false;
}

/**
 * Reads the text of a symbols file, uncompressed. Throws as {@link openLog} does, and a {@link TicksError} if
 * the file is too long for any symbols (`BAD_SYMBOLS`).
 */
export async function readText(path: string, options: OpenLogOptions = {}): Promise<string> {
  const decoder = new StringDecoder("utf8");
  const parts: string[] = [];
  let size = 0;
  try {
    const file = openLog(path, options);
    for await (const chunk of file) {
      size += chunk.length;
      if (size > LIMIT) throw new TicksError("BAD_SYMBOLS", `${path}: too large for a symbols file`);
      parts.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)));
    }
    if (file.diagnostic() !== undefined) {
      throw new TicksError("BAD_COMPRESSION", `${path}: the compressed data is damaged or cut short`);
    }
  } catch (error) {
    // The hints of openLog are about logs.
    const isOfLog = error instanceof TicksError && !(error instanceof IrregularFileError);
    throw isOfLog ? new TicksError(error.code, error.message) : error;
  }
  parts.push(decoder.end());
  return parts.join("");
}
