import { jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonLine, textFrom } from "../layout/json-parts.js";
import { type LinesReport, selfOf } from "./text.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_LINES_VERSION = 1;

/** Lines for programs, as `lines.schema.json` describes them: all of them, those of one file in its order. */
export function* linesJson({ profile, lines, sources, script }: LinesReport): Iterable<string> {
  yield* jsonLines({
    version: JSON_LINES_VERSION,
    ...jsonHead(profile),
    script:
      script === undefined
        ? null
        : { file: script.file, textFrom: textFrom(script.origin), isPastEnd: script.listing.isPastEnd },
    self: selfOf(lines),
    lines: (script === undefined ? lines : lines.toSorted((a, b) => a.line - b.line)).map((line) =>
      jsonLine(line, sources),
    ),
  });
}
