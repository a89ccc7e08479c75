import { countOf } from "./number-text.js";
import type { PageSource } from "./page-data.js";

/** The number of source maps that are named; further ones are counted. */
const NAMED_MAPS = 3;

/**
 * Returns a note on how many scripts the page has lines of, and where they are from; nothing if it has none.
 */
export function sourcesNote(sources: readonly Pick<PageSource, "mapFile">[]): string[] {
  if (sources.length === 0) return [];
  const onDisk = sources.filter(({ mapFile }) => mapFile !== undefined);
  const maps = Array.from(new Set(onDisk.map(({ mapFile }) => mapFile)));
  const more = maps.length > NAMED_MAPS ? `, and ${maps.length - NAMED_MAPS} more` : "";
  const named = `source maps on disk (${maps.slice(0, NAMED_MAPS).join(", ")}${more})`;
  const inLog = sources.length - onDisk.length;
  const parts =
    onDisk.length === 0
      ? "from the log"
      : inLog === 0
        ? `from ${named}`
        : `${inLog} from the log, ${onDisk.length} from ${named}`;
  return [`This page has source lines of ${countOf(sources.length, "script")}: ${parts}.`];
}
