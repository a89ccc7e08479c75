import { type Chart, firstEndingAfter, nextEndingAfter } from "./chart.js";
import type { Palette } from "./colors.js";
import type { Fills } from "./look.js";
import type { RowStrip } from "./row-strip.js";
import { SIGNS } from "./side-model.js";
import type { TextFitter } from "./text-fitter.js";
import type { TimeMark } from "./time-chart.js";
import { timeLabels } from "./time-labels.js";
import type { Viewport } from "./viewport.js";

/** The height of a frame, in CSS pixels. */
export const ROW_HEIGHT = 20;
/** The height of the time axis. */
export const AXIS_HEIGHT = 22;
export const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

const PADDING = 5;
/** Narrower boxes have only a colour. */
const MARK_WIDTH = 6;
/** Narrower boxes have no text. */
const TEXT_WIDTH = 26;

/** All that a picture shows. Lengths are in CSS pixels. */
export interface Scene {
  readonly chart: Chart;
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  /** Screen pixels per CSS pixel. */
  readonly ratio: number;
  /** The y of the picture's top in the chart. */
  readonly top: number;
  /** Returns the y of a depth's top in the chart. */
  rowTop(depth: number): number;
  readonly titles: readonly string[];
  readonly fills: Fills;
  readonly palette: Palette;
  /** By function: 1 if the search matches; undefined without a search. */
  readonly matches: Uint8Array | undefined;
  /** The zoomed box; its callers are pale. */
  readonly zoomed: number;
  readonly selected: number;
  readonly hovered: number;
  /** Whether callers are below their callees. */
  readonly isFlame: boolean;
  readonly marks: readonly TimeMark[];
}

/** The area of a box that is wide enough for marks. */
interface BoxArea {
  readonly box: number;
  readonly left: number;
  readonly width: number;
  readonly y: number;
}

/** Painting tools that are reused for many pictures. */
export interface Brushes {
  readonly context: CanvasRenderingContext2D;
  readonly fitter: TextFitter;
  readonly strip: RowStrip;
}

/** Paints the visible part of a chart. Of boxes narrower than a pixel, paints one per pixel. */
export function paintChart({ context, fitter, strip }: Brushes, scene: Scene): void {
  const { chart, palette, width, height, top, ratio } = scene;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const seen: { depth: number; y: number }[] = [];
  for (let depth = 0; depth < chart.rows.length; depth++) {
    const y = scene.rowTop(depth) - top;
    if (y + ROW_HEIGHT > 0 && y < height) seen.push({ depth, y });
  }
  strip.reset(Math.round(width * ratio), seen.length);
  const wide: BoxArea[] = [];
  for (const [row, { depth, y }] of seen.entries()) fillRow(strip, scene, { row, depth, y }, wide);
  const image = strip.image();
  context.imageSmoothingEnabled = false;
  for (const [row, { y }] of seen.entries()) {
    context.drawImage(image, 0, row, strip.width, 1, 0, y, width, ROW_HEIGHT - 1);
  }
  context.font = FONT;
  context.textBaseline = "middle";
  for (const area of wide) paintMarks(context, fitter, scene, area);
  if (chart.ticks[0] === 0) {
    context.fillStyle = palette.axis;
    context.fillText("No ticks", 2 * PADDING, ROW_HEIGHT / 2 + PADDING);
  }
  outline(context, scene, scene.hovered, palette.hovered, 1);
  outline(context, scene, scene.selected, palette.selected, 2);
  if (scene.marks.length > 0) paintAxis(context, scene);
}

/** Fills the visible boxes of a row, and lists those wide enough for marks. */
function fillRow(
  strip: RowStrip,
  scene: Scene,
  { row, depth, y }: { readonly row: number; readonly depth: number; readonly y: number },
  wide: BoxArea[],
): void {
  const { chart, view, ratio, fills } = scene;
  const boxes = chart.rows[depth]!;
  const ends = chart.ends[depth]!;
  const { start, ticks, node } = chart;
  // Pixel columns per tick.
  const scale = strip.width / view.ticks;
  const isCaller = depth < chart.depth[scene.zoomed]!;
  for (let i = firstEndingAfter(chart, depth, view.start); i < boxes.length; ) {
    const box = boxes[i]!;
    const from = (start[box]! - view.start) * scale;
    if (from >= strip.width) break;
    const to = from + ticks[box]! * scale;
    const fill = (isCaller || isUnmatched(scene, box) ? fills.pale : fills.plain)[node[box]!]!;
    if (to - from < 1) {
      const column = Math.floor(from);
      strip.fill(row, column, column + 1, fill);
      i = nextEndingAfter(ends, view.start + (column + 1) / scale, i + 1);
      continue;
    }
    const left = Math.round(from);
    // A line of background separates neighbours if there is room.
    const right = Math.max(left + 1, Math.round(to) - (to - from > 3 * ratio ? Math.round(ratio) : 0));
    strip.fill(row, left, right, fill);
    if (to - from > MARK_WIDTH * ratio) {
      const x = Math.max(-2, left / ratio);
      wide.push({ box, left: x, width: Math.min(scene.width + 2, right / ratio) - x, y });
    }
    i++;
  }
}

function paintMarks(
  context: CanvasRenderingContext2D,
  fitter: TextFitter,
  scene: Scene,
  { box, left, width, y }: BoxArea,
): void {
  const { chart, palette, titles } = scene;
  const { graph } = chart;
  const node = chart.node[box]!;
  const isInlined = graph.inlined[node] === 1;
  if (isInlined) paintInlined(context, scene, left, y, width);
  const isInferred = graph.inferred[node] === 1;
  if (isInferred) paintInferred(context, scene, left, y, width);
  const isPale = isUnmatched(scene, box) || chart.depth[box]! < chart.depth[scene.zoomed]!;
  if (scene.matches !== undefined && !isPale && scene.matches[graph.function[node]!] === 1) {
    context.fillStyle = palette.match;
    context.fillRect(left, y + ROW_HEIGHT - 4, width, 3);
  }
  if (width < TEXT_WIDTH) return;
  const title = titles[graph.function[node]!] ?? "all ticks";
  const sign = SIGNS[scene.fills.signs?.[node] ?? 0];
  const mark = `${sign && `${sign} `}${isInlined ? "↳ " : isInferred ? "≈ " : ""}`;
  const text = fitter.fit(mark + title, width - 2 * PADDING - Math.max(0, -left));
  if (text === "") return;
  context.globalAlpha = isPale ? 0.75 : 1;
  context.fillStyle = palette.text;
  context.fillText(text, Math.max(0, left) + PADDING, y + ROW_HEIGHT / 2);
  context.globalAlpha = 1;
}

/** Draws a dashed line on the caller's side, because there is no call in between. */
function paintInlined(
  context: CanvasRenderingContext2D,
  { palette, isFlame }: Scene,
  x: number,
  y: number,
  width: number,
): void {
  const lineY = (isFlame ? y + ROW_HEIGHT - 2 : y) + 0.5;
  context.globalAlpha = 0.55;
  context.strokeStyle = palette.text;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, lineY);
  context.lineTo(x + width, lineY);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Draws a dashed frame, because the frame is not in the log. */
function paintInferred(
  context: CanvasRenderingContext2D,
  { palette }: Scene,
  x: number,
  y: number,
  width: number,
): void {
  context.globalAlpha = 0.55;
  context.strokeStyle = palette.text;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.strokeRect(x + 0.5, y + 0.5, width - 1, ROW_HEIGHT - 2);
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Returns whether there is a search that a box does not match. */
function isUnmatched({ chart, matches, selected }: Scene, box: number): boolean {
  return matches !== undefined && box !== selected && matches[chart.graph.function[chart.node[box]!]!] !== 1;
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  box: number,
  color: string,
  line: number,
): void {
  if (box < 0) return;
  const { chart, view, width, top } = scene;
  const scale = width / view.ticks;
  const left = Math.max(-4, (chart.start[box]! - view.start) * scale);
  const right = Math.min(width + 4, (chart.start[box]! + chart.ticks[box]! - view.start) * scale);
  if (right < 0 || left > width) return;
  const y = scene.rowTop(chart.depth[box]!) - top;
  context.strokeStyle = color;
  context.lineWidth = line;
  const wide = Math.max(2, right - left - 1 - line);
  context.strokeRect(left + line / 2, y + line / 2, wide, ROW_HEIGHT - 1 - line);
}

/**
 * Paints the times of ticks above the chart. They are not evenly spaced: no ticks come while a program
 * sleeps.
 */
function paintAxis(context: CanvasRenderingContext2D, { marks, view, width, palette }: Scene): void {
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, AXIS_HEIGHT);
  context.fillStyle = palette.axis;
  for (const { x, text } of timeLabels(marks, view, width, (own) => context.measureText(own).width)) {
    context.fillRect(x, AXIS_HEIGHT - 7, 1, 6);
    context.fillText(text, x + 4, AXIS_HEIGHT / 2);
  }
}
