import { constants } from "node:buffer";
import { existsSync, statSync } from "node:fs";
import { TicksError } from "../errors.js";
import { openLog, STDIN } from "./input.js";

/** Where the symbols of a log are looked for: beside it, under its own name or under that of the uncompressed log. */
export function symbolsFileOf(log: string): string | undefined {
  if (log === STDIN) return undefined;
  const names = [log, log.replace(/\.(?:gz|zst)$/, "")];
  return names.map((name) => `${name}.symbols`).find((path) => existsSync(path));
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const file = openLog(path);
    for await (const chunk of file) {
      chunks.push(Uint8Array.from(chunk)); // Its buffer is read into again.
      size += chunk.length;
      if (size > constants.MAX_STRING_LENGTH) {
        throw new TicksError("BAD_SYMBOLS", `${path}: too long for a file of symbols`);
      }
    }
    if (file.fault() !== undefined) {
      throw new TicksError("BAD_COMPRESSION", `${path}: the compressed data is damaged or cut`);
    }
  } catch (error) {
    // What openLog says to do is meant for logs.
    throw error instanceof TicksError ? new TicksError(error.code, error.message) : error;
  }
  return Buffer.concat(chunks).toString("utf8");
}
