import { closeSync, fstatSync, readSync } from "node:fs";
import { TicksError } from "../errors.js";
import { openRegular } from "./regular-file.js";

/** A file that is read in any order. */
interface OpenedFile {
  readonly length: number;
  /** Reads some bytes; fewer at the end of the file. */
  read(start: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a regular file, which messages call `name`. Throws a {@link TicksError} if it is none or cannot be read. */
export async function openFile(path: string, name: string): Promise<OpenedFile> {
  try {
    const file = openRegular(path, name);
    const { size } = fstatSync(file);
    return {
      length: size,
      async read(start, length) {
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)));
        return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
      },
      async close() {
        closeSync(file);
      },
    };
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new TicksError("NOT_FOUND", `${name}: no such file`);
    throw new TicksError("NOT_READABLE", `${name}: cannot be read (${code})`);
  }
}
