import type { Ticks } from "../../profile/units.js";
import { type LinesReport, selfOf } from "../../reports/lines.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type JsonHead,
  jsonHead,
  jsonLine,
  jsonPlaces,
  type LineData,
  shownTicks,
  type TextFrom,
  textFrom,
} from "../layout/json-parts.js";

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id lines.schema.json
 * @title ticks lines --format json, schema version 1
 */
export interface LinesData extends JsonHead<"lines"> {
  /** The script asked for; null for all. */
  readonly script: ScriptData | null;
  /** The sum of the lines. For all scripts: the ticks whose leaf is a JavaScript function. */
  readonly self: Ticks;
  /** Every line with ticks: hottest first, or those of one script in its order. */
  readonly lines: readonly LineData[];
}

export interface ScriptData {
  /** As logged. */
  readonly file: string;
  readonly textFrom: TextFrom;
  /** Whether ticks lie past the end of the text: it is not the text that ran. */
  readonly isPastEnd: boolean;
}

/** Yields lines for programs. */
export function linesJson(report: LinesReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(linesData(report), layout);
}

export function linesData({ profile, lines, places, sources, script }: LinesReport): LinesData {
  const whole = shownTicks(profile);
  const rows = script === undefined ? lines : lines.toSorted((a, b) => a.line - b.line);
  return {
    ...jsonHead("lines", profile),
    script:
      script === undefined
        ? null
        : { file: script.file, textFrom: textFrom(script.origin), isPastEnd: script.listing.isPastEnd },
    self: selfOf(lines),
    lines: rows.map((line) => ({
      ...jsonLine(line, { sources, whole }),
      ...jsonPlaces(places(line), whole),
    })),
  };
}
