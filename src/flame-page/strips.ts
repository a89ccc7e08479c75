import { TIME_TITLES } from "../profile/categories.js";
import { type Activity, ActivityPainter, mainCategory } from "./activity.js";
import type { Chart, Track } from "./chart.js";
import { LONG_TURN, type Palette } from "./colors.js";
import type { ThreadTimes, Times } from "./model.js";
import { shareText, spanText, timeText, unitText } from "./number-text.js";
import type { PageTurn, PageUnit } from "./page-data.js";
import type { TimeRange } from "./thread-times.js";

/** What a chart over time has beside its frames. */
export interface OverTime {
  readonly times: Times;
  readonly activity: Activity;
  /** The part of the time that other views show; undefined for all. */
  readonly range: TimeRange | undefined;
  readonly unit: PageUnit;
}

/** Where a strip is painted, in CSS pixels. */
interface StripArea {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** The part of the time that is visible. */
  readonly seen: TimeRange;
  readonly palette: Palette;
  cut(text: string, width: number): string;
}

/** More columns tell no more. */
const MOST_COLUMNS = 2048;
/** Half the width of a mark. */
const MARK = 4;
/** Marks nearer than this to the one before are not painted: they would cover it. */
const NEAR = 3;
const GC_HEIGHT = 4;

/** Paints what threads did above their frames: their time by category, turns of the event loop, and marks. */
export class Strips {
  readonly #painter = new ActivityPainter();

  /** Paints the time of a thread by category. */
  paintActivity(
    context: CanvasRenderingContext2D,
    { activity }: OverTime,
    thread: number,
    y: number,
    area: StripArea,
  ): void {
    const { width, height, ratio, seen, palette } = area;
    const count = Math.max(1, Math.min(MOST_COLUMNS, Math.round(width * ratio)));
    const columns = activity.of([thread], seen, count);
    const time = (seen.to - seen.from) / count;
    const shape = { time, threads: 1, height: Math.round((height - 1) * ratio), fills: palette.categories };
    context.drawImage(this.#painter.paint(columns, shape), 0, y, width, height - 1);
  }

  /** Paints the turns, garbage collections and marks of a thread. */
  paintTurns(
    context: CanvasRenderingContext2D,
    { turns, marks, gc }: ThreadTimes,
    y: number,
    area: StripArea,
  ): void {
    const { width, height, seen, palette } = area;
    const xOf = (time: number) => ((time - seen.from) * width) / (seen.to - seen.from);
    context.textBaseline = "middle";
    for (const turn of turns) {
      const [left, right] = [
        Math.max(-2, xOf(turn.start)),
        Math.min(width + 2, xOf(turn.start + turn.length)),
      ];
      if (right < 0 || left > width) continue;
      context.fillStyle = turn.length > LONG_TURN ? palette.longTurn : palette.turn;
      context.fillRect(left, y, Math.max(1, right - left - 1), height - 1);
      const text = right - left < 30 ? "" : area.cut(turn.title, right - Math.max(0, left) - 8);
      if (text === "") continue;
      context.fillStyle = palette.text;
      context.fillText(text, Math.max(0, left) + 4, y + height / 2 - 1);
    }
    context.fillStyle = palette.categories.gc;
    let painted = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < gc.length; i += 2) {
      const [left, right] = [xOf(gc[i]!), xOf(gc[i + 1]!)];
      if (right < 0 || left > width || right - painted < 1) continue;
      context.fillRect(left, y + height - 1 - GC_HEIGHT, Math.max(1, right - left), GC_HEIGHT);
      painted = right;
    }
    const last = { deopt: Number.NEGATIVE_INFINITY, tier: Number.NEGATIVE_INFINITY };
    for (const { at, kind } of marks) {
      const x = xOf(at);
      if (x < -MARK || x > width + MARK || x - last[kind] < NEAR) continue;
      last[kind] = x;
      context.fillStyle = kind === "deopt" ? palette.match : palette.selected;
      context.beginPath();
      const [base, tip] = kind === "deopt" ? [y + 1, y + 8] : [y + 8, y + 1];
      context.moveTo(x - MARK, base);
      context.lineTo(x + MARK, base);
      context.lineTo(x, tip);
      context.fill();
    }
  }
}

/** What is at a point of a strip, in words. */
export interface StripFacts {
  readonly title: string;
  readonly lines: readonly string[];
  /** The part of the time that it takes; undefined for a moment. */
  readonly range: TimeRange | undefined;
}

/** Returns what is in a strip at a time; undefined if there is nothing. `reach` is how near a mark must be, in microseconds. */
export function factsInStrip(
  { times, activity, unit }: OverTime,
  { track, row }: { readonly track: Track; readonly row: number },
  time: number,
  reach: number,
): StripFacts | undefined {
  const own = times.threads[track.thread]!;
  if (row === track.strip) {
    const category = mainCategory(
      activity.of([track.thread], { from: time - reach / 8, to: time + reach / 8 }, 1),
    );
    return category && { title: TIME_TITLES[category], lines: [`at ${timeText(time)}`], range: undefined };
  }
  if (row !== track.turns) return undefined;
  const near = own.marks.filter(({ at }) => Math.abs(at - time) <= reach).slice(0, 5);
  const turn = own.turns.find(({ start, length }) => start <= time && time < start + length);
  const isGc = own.gc.findLastIndex((at) => at <= time);
  const gc =
    isGc >= 0 && isGc % 2 === 0 ? [`garbage collection: ${timeText(own.gc[isGc + 1]! - own.gc[isGc]!)}`] : [];
  const marks = near.map(({ at, text }) => `${timeText(at)}: ${text}`);
  if (turn !== undefined) {
    const { title, lines } = turnFacts(turn, unit);
    return {
      title,
      lines: [...lines, ...gc, ...marks],
      range: { from: turn.start, to: turn.start + turn.length },
    };
  }
  const [first = gc[0], ...others] = marks;
  return first === undefined
    ? undefined
    : { title: first, lines: [...others, ...(marks.length > 0 ? gc : [])], range: undefined };
}

/** Returns what a turn was, in words. */
function turnFacts(
  turn: PageTurn,
  unit: PageUnit,
): { readonly title: string; readonly lines: readonly string[] } {
  const { start, length, ticks, gc, lines, period, times } = turn;
  const repeats = period === undefined ? "" : `, every ${timeText(period)}, ${times} times`;
  return {
    title: `${turn.title}: ${turnLength(turn)}`,
    lines: [
      turn.position,
      `turn of the event loop (${turn.kind}), ${spanText(start, start + length)}${repeats}`,
      ...(gc > 0 ? [`garbage collection: ${shareText(gc, ticks)}`] : []),
      ...lines.map(
        (line) =>
          `${unit === "µs" || unit === "byte" ? unitText(line.ticks, unit) : line.ticks} of ${unitText(ticks, unit)} in ${line.title} ${line.position}`,
      ),
    ].filter((line) => line !== ""),
  };
}

/** Returns how long a turn was: `74.2 ms ±2.1 ms`, or `≤ 74.2 ms` if it can be several. */
export function turnLength({ length, least, most }: PageTurn): string {
  if (least === 0) return `≤ ${timeText(length)}`;
  return `${timeText(length)} ±${timeText(Math.max(length - least, most - length))}`;
}

/** Returns the mark after a time, or before it; undefined if there is none. */
export function nextMark({ times }: OverTime, { tracks = [] }: Chart, time: number, isForward: boolean) {
  const all = tracks.flatMap(({ thread }) =>
    times.threads[thread]!.marks.map((mark) => ({ ...mark, thread })),
  );
  const sorted = all.sort((a, b) => a.at - b.at);
  return isForward ? sorted.find(({ at }) => at > time) : sorted.findLast(({ at }) => at < time);
}
