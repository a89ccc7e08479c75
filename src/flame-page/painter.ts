import { type Chart, firstEndingAfter } from "./chart.js";
import type { Palette } from "./colors.js";
import { timeText } from "./number-text.js";
import type { TextFitter } from "./text-fitter.js";
import type { TimeMark } from "./time-chart.js";
import type { Viewport } from "./viewport.js";

/** The height of a frame, in CSS pixels. */
export const ROW_HEIGHT = 20;
/** The height of the axis of time. */
export const AXIS_HEIGHT = 22;
export const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

const PADDING = 5;
/** Narrower boxes have no text. */
const TEXT_WIDTH = 26;
/** Pixels between two labels of the axis. */
const MARK_DISTANCE = 90;

/** All that one picture shows. Lengths are in CSS pixels. */
export interface Scene {
  readonly chart: Chart;
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen in one of CSS. */
  readonly ratio: number;
  /** The y of the top of the picture in the chart. */
  readonly top: number;
  /** The y of the top of a depth in the chart. */
  rowTop(depth: number): number;
  readonly titles: readonly string[];
  /** By node of the graph. */
  readonly fills: readonly string[];
  readonly palette: Palette;
  /** By function: 1 where the search found it; undefined where nobody searches. */
  readonly matches: Uint8Array | undefined;
  /** The box that is zoomed to: those of its callers are pale. */
  readonly zoomed: number;
  readonly selected: number;
  readonly hovered: number;
  /** Whether the callers of a frame are below it. */
  readonly isFlame: boolean;
  readonly marks: readonly TimeMark[];
}

/** Paints what is seen of a chart. Boxes narrower than a pixel are painted one a pixel. */
export function paintChart(context: CanvasRenderingContext2D, fitter: TextFitter, scene: Scene): void {
  const { chart, palette, width, height, top } = scene;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  for (let depth = 0; depth < chart.rows.length; depth++) {
    const y = scene.rowTop(depth) - top;
    if (y + ROW_HEIGHT > 0 && y < height) paintRow(context, fitter, scene, { row: chart.rows[depth]!, y });
  }
  outline(context, scene, scene.hovered, palette.hovered, 1);
  outline(context, scene, scene.selected, palette.selected, 2);
  if (scene.marks.length > 0) paintAxis(context, scene);
}

function paintRow(
  context: CanvasRenderingContext2D,
  fitter: TextFitter,
  scene: Scene,
  { row, y }: { readonly row: Int32Array; readonly y: number },
): void {
  const { chart, view, width, ratio } = scene;
  const scale = width / view.ticks;
  const { start, ticks } = chart;
  const pixel = 1 / ratio;
  const snap = (x: number) => Math.round(x * ratio) / ratio;
  for (let i = firstEndingAfter(chart, row, view.start); i < row.length; ) {
    const box = row[i]!;
    const left = (start[box]! - view.start) * scale;
    if (left >= width) break;
    const right = left + ticks[box]! * scale;
    if (right - left < pixel) {
      const column = Math.floor(left * ratio);
      paintSliver(context, scene, { box, left: column / ratio, right: (column + 1) / ratio, y });
      // The next box that reaches past this pixel.
      i = firstEndingAfter(chart, row, view.start + (column + 1) / ratio / scale, i + 1);
      continue;
    }
    const snapped = snap(left);
    paintBox(context, fitter, scene, {
      box,
      left: snapped,
      right: Math.max(snapped + pixel, snap(right)),
      y,
    });
    i++;
  }
}

interface BoxPlace {
  readonly box: number;
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

function paintSliver(
  context: CanvasRenderingContext2D,
  scene: Scene,
  { box, left, right, y }: BoxPlace,
): void {
  context.fillStyle = scene.fills[scene.chart.node[box]!]!;
  context.fillRect(left, y, right - left, ROW_HEIGHT - 1);
  if (isVeiled(scene, box)) {
    context.fillStyle = scene.palette.veil;
    context.fillRect(left, y, right - left, ROW_HEIGHT - 1);
  }
}

function paintBox(
  context: CanvasRenderingContext2D,
  fitter: TextFitter,
  scene: Scene,
  place: BoxPlace,
): void {
  const { box, y } = place;
  const { chart, palette, width, titles } = scene;
  const { graph } = chart;
  const node = chart.node[box]!;
  const left = Math.max(-2, place.left);
  const right = Math.min(width + 2, place.right);
  // A line of the background parts neighbours, as far as there is room for one.
  const wide = right - left - (place.right - place.left > 3 ? 1 : 0);
  context.fillStyle = scene.fills[node]!;
  context.fillRect(left, y, wide, ROW_HEIGHT - 1);
  const isInlined = graph.inlined[node] === 1;
  if (isInlined) paintInlined(context, scene, left, y, wide);
  const isPale = isVeiled(scene, box);
  if (isPale) {
    context.fillStyle = palette.veil;
    context.fillRect(left, y, wide, ROW_HEIGHT - 1);
  }
  if (scene.matches !== undefined && !isPale && scene.matches[graph.function[node]!] === 1) {
    context.fillStyle = palette.match;
    context.fillRect(left, y + ROW_HEIGHT - 4, wide, 3);
  }
  if (wide < TEXT_WIDTH) return;
  const title = titles[graph.function[node]!] ?? "all ticks";
  const text = fitter.fit(isInlined ? `↳ ${title}` : title, wide - 2 * PADDING - Math.max(0, -left));
  if (text === "") return;
  context.globalAlpha = isPale ? 0.75 : 1;
  context.fillStyle = palette.text;
  context.fillText(text, Math.max(0, left) + PADDING, y + ROW_HEIGHT / 2);
  context.globalAlpha = 1;
}

/** A dashed line on the side of the caller: there is no call in between. */
function paintInlined(
  context: CanvasRenderingContext2D,
  { palette, isFlame }: Scene,
  x: number,
  y: number,
  width: number,
): void {
  context.fillStyle = palette.text;
  const lineY = isFlame ? y + ROW_HEIGHT - 2 : y;
  context.globalAlpha = 0.55;
  for (let dash = 0; dash < width; dash += 6) context.fillRect(x + dash, lineY, Math.min(3, width - dash), 1);
  context.globalAlpha = 1;
}

/** Whether a box stands back: a caller of the zoomed one, or none of what was searched. */
function isVeiled({ chart, matches, zoomed, selected }: Scene, box: number): boolean {
  if (box !== selected && matches !== undefined && matches[chart.graph.function[chart.node[box]!]!] !== 1)
    return true;
  return chart.depth[box]! < chart.depth[zoomed]!;
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

/** The times at which ticks came, above the chart. They are not evenly spread: while a program sleeps no ticks come. */
function paintAxis(context: CanvasRenderingContext2D, { marks, view, width, palette }: Scene): void {
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, AXIS_HEIGHT);
  context.fillStyle = palette.axis;
  const scale = width / view.ticks;
  let free = 0;
  let shown = -1;
  for (const [i, mark] of marks.entries()) {
    // What is left of the picture is named by its left side.
    if ((marks[i + 1]?.tick ?? Number.POSITIVE_INFINITY) <= view.start) continue;
    const x = Math.max(0, (mark.tick - view.start) * scale);
    if (x < free) continue;
    if (x > width - MARK_DISTANCE / 2) break;
    const title = mark.thread === shown || shown < 0 ? "" : "▸ ";
    shown = mark.thread;
    context.fillRect(x, AXIS_HEIGHT - 7, 1, 6);
    context.fillText(title + timeText(mark.micros), x + 4, AXIS_HEIGHT / 2);
    free = x + MARK_DISTANCE;
  }
}
