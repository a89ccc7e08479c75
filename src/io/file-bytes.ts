import { open, stat } from "node:fs/promises";
import { TicksError } from "../errors.js";

/** A file that is read in any order. */
export interface OpenedFile {
  readonly length: number;
  /** Reads some bytes; fewer at the end of the file. */
  read(start: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a regular file, which messages call `name`. Throws a {@link TicksError} if it is none or cannot be read. */
export async function openFile(path: string, name: string): Promise<OpenedFile> {
  try {
    // Opening a pipe would wait for its writer.
    const stats = await stat(path);
    if (!stats.isFile()) throw new TicksError("NOT_READABLE", `${name}: not a regular file`);
    const file = await open(path, "r");
    const { size } = stats;
    return {
      length: size,
      async read(start, length) {
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
        return bytes.subarray(0, bytesRead);
      },
      close: () => file.close(),
    };
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new TicksError("NOT_FOUND", `${name}: no such file`);
    throw new TicksError("NOT_READABLE", `${name}: cannot be read (${code})`);
  }
}
