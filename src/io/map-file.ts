import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Larger maps than any bundle has are not read. */
const MAP_LIMIT = 2 ** 28;

/** The text of a source map at a path or a `file:` URL; undefined where no such file can be read. */
export async function readMapFile(place: string): Promise<string | undefined> {
  try {
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    // A path out of a log can be that of a pipe, which must not block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const status = await file.stat();
      return status.isFile() && status.size <= MAP_LIMIT ? await file.readFile("utf8") : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined; // Who asked tells of maps that are not there.
  }
}
