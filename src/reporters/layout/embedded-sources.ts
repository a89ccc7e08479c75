import type { SourceTexts } from "../../views/source-texts.js";
import { codeSpan } from "./markdown.js";
import { counted } from "./numbers.js";

/** The maximum number of source maps to name. */
const NAMED_MAPS = 3;

/**
 * Yields a note on the source lines in a Markdown report, so that nobody shares them by accident: how many
 * scripts they are from, and where their text came from. Yields nothing if there are none.
 */
export function* embeddedSources(files: Iterable<string>, sources: SourceTexts): Iterable<string> {
  const texts = Array.from(new Set(files), (file) => sources.linesOf(file) ?? []).flat();
  if (texts.length === 0) return;
  const count = (kind: (typeof texts)[number]["origin"]) =>
    texts.filter(({ origin }) => origin === kind).length;
  const maps = Array.from(new Set(texts.flatMap(({ mapFile }) => mapFile ?? [])));
  const more = maps.length > NAMED_MAPS ? `, and ${maps.length - NAMED_MAPS} more` : "";
  const origins: [number, string][] = [
    [count("log"), "the log"],
    [count("map"), `source maps on disk (${maps.slice(0, NAMED_MAPS).map(codeSpan).join(", ")}${more})`],
    [count("disk"), "files on disk"],
  ];
  const known = origins.filter(([number]) => number > 0);
  const parts =
    known.length === 1 ? `from ${known[0]![1]}` : known.map(([n, from]) => `${n} from ${from}`).join(", ");
  yield "";
  yield `Contains source lines of ${counted(texts.length, "script")}: ${parts}.`;
}
