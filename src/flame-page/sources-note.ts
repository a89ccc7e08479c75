import { countOf } from "./number-text.js";
import type { PageData } from "./page-data.js";

/** Source maps that are named; of more, these and how many others. */
const NAMED_MAPS = 3;

/** Of how many scripts the page has lines, and where they are from; nothing where it has none. */
export function sourcesNote(sources: PageData["sources"]): string[] {
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
