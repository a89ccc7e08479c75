import { timeText } from "./number-text.js";
import type { TimeMark } from "./time-chart.js";
import type { Viewport } from "./viewport.js";

/** A label of the time axis. */
export interface TimeLabel {
  /** In pixels from the left. */
  readonly x: number;
  readonly text: string;
}

/** Pixels between the left sides of two labels, at least. */
const DISTANCE = 90;
/** Pixels between a label's line and its text, and after the text. */
const GAP = 4;

/**
 * Returns the labels that fit above the visible part of a chart. A thread's first label, marked `▸`, comes before
 * the others. `widthOf` measures a text in pixels.
 */
export function timeLabels(
  marks: readonly TimeMark[],
  view: Viewport,
  width: number,
  widthOf: (text: string) => number,
): TimeLabel[] {
  const labels: TimeLabel[] = [];
  const begins = Array.from(marks.keys()).filter((i) => i > 0 && marks[i]!.thread !== marks[i - 1]!.thread);
  const xOf = (i: number) => Math.max(0, ((marks[i]!.tick - view.start) * width) / view.ticks);
  let nextBegin = 0;
  let used = 0;
  let free = 0;
  for (const [i, { micros }] of marks.entries()) {
    // Skips marks left of the picture, except the last one before its left side.
    if ((marks[i + 1]?.tick ?? Number.POSITIVE_INFINITY) <= view.start) continue;
    const x = xOf(i);
    if (x >= width) break;
    while (nextBegin < begins.length && begins[nextBegin]! < i) nextBegin++;
    const isBegin = begins[nextBegin] === i;
    if (x < (isBegin ? used : free)) continue;
    const text = `${isBegin ? "▸ " : ""}${timeText(micros)}`;
    const end = x + widthOf(text) + 2 * GAP;
    const begin = isBegin ? undefined : begins[nextBegin];
    if (end > width || (begin !== undefined && end > xOf(begin))) continue;
    labels.push({ x, text });
    used = end;
    free = x + DISTANCE;
  }
  return labels;
}
