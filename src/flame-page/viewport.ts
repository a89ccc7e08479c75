import { timeText } from "./number-text.js";
import type { TimeMark } from "./time-chart.js";

/** The visible part of a chart, in ticks from the left. */
export interface Viewport {
  readonly start: number;
  readonly ticks: number;
}

/** The smallest width, in ticks. */
const CLOSEST = 1 / 4;

/** Returns the view of the whole chart. */
export function wholeOf(total: number): Viewport {
  return { start: 0, ticks: Math.max(total, CLOSEST) };
}

/** Returns a view zoomed in by `factor` (out if below 1) that keeps `tick` in place. */
export function zoomAt(view: Viewport, total: number, tick: number, factor: number): Viewport {
  const ticks = Math.min(Math.max(total, CLOSEST), Math.max(CLOSEST, view.ticks / factor));
  const share = (tick - view.start) / view.ticks;
  return within({ start: tick - share * ticks, ticks }, total);
}

/** Returns a view moved to the right by a number of ticks. */
export function panBy(view: Viewport, total: number, ticks: number): Viewport {
  return within({ start: view.start + ticks, ticks: view.ticks }, total);
}

/** Returns a view moved and resized as little as needed to show a box wider than a sliver. */
export function reveal(view: Viewport, total: number, start: number, ticks: number): Viewport {
  const isTiny = ticks < view.ticks / 50;
  const isWider = ticks > view.ticks;
  const width = isTiny ? ticks * 20 : isWider ? ticks : view.ticks;
  const isSeen = start >= view.start && start + ticks <= view.start + view.ticks;
  if (isSeen && width === view.ticks) return view;
  return within({ start: start + ticks / 2 - width / 2, ticks: Math.min(width, total) }, total);
}

/** Returns the view at `share` of the way between two. */
export function between(from: Viewport, to: Viewport, share: number): Viewport {
  const mix = (a: number, b: number) => a + (b - a) * share;
  return { start: mix(from.start, to.start), ticks: mix(from.ticks, to.ticks) };
}

function within(view: Viewport, total: number): Viewport {
  return { start: Math.max(0, Math.min(view.start, total - view.ticks)), ticks: view.ticks };
}

/** A label of the time axis. */
interface TimeLabel {
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
