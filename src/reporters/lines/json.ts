import { type LinesReport, selfOf } from "../../reports/lines.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonLine, jsonPlaces, shownTicks, textFrom } from "../layout/json-parts.js";

/**
 * Yields lines for programs, as `lines.schema.json` describes them: all lines, or those of one file in source
 * order.
 */
export function* linesJson(
  { profile, lines, places, sources, script }: LinesReport,
  layout: JsonLayout = {},
): Iterable<string> {
  const whole = shownTicks(profile);
  const rows = script === undefined ? lines : lines.toSorted((a, b) => a.line - b.line);
  yield* jsonLines(
    {
      ...jsonHead({ command: "lines", schemaVersion: 1 }, profile),
      script:
        script === undefined
          ? null
          : { file: script.file, textFrom: textFrom(script.origin), isPastEnd: script.listing.isPastEnd },
      self: selfOf(lines),
      lines: rows.map((line) => ({
        ...jsonLine(line, { sources, whole }),
        ...jsonPlaces(places(line), whole),
      })),
    },
    layout,
  );
}
