import { upperBound } from "../base/sorted.js";
import { type BoxPath, boxAt, type Chart, firstEndingAfter, follow, trackOf, wayTo } from "./chart.js";
import type { Fills, Look, Palette } from "./colors.js";
import { element, paintPaler } from "./elements.js";
import { isMatch, type MatchedFrames } from "./graph.js";
import { SIGNS } from "./model.js";
import { shareText } from "./number-text.js";
import { factsInStrip, type OverTime, type StripFacts, Strips } from "./strips.js";
import type { TimeRange } from "./thread-times.js";
import { between, panBy, reveal, timeLabels, type Viewport, wholeOf, zoomAt } from "./viewport.js";

/**
 * The colours of all visible rows, one pixel high each. A row is stretched to its height in one call, so that
 * a picture of a hundred thousand boxes takes as many calls as it has rows.
 */
class RowStrip {
  width = 1;
  readonly #canvas = document.createElement("canvas");
  readonly #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);

  constructor() {
    const context = this.#canvas.getContext("2d");
    if (context === null) throw new Error("this browser does not support canvas");
    this.#context = context;
  }

  /** Makes room for rows of `width` screen pixels and clears them. */
  reset(width: number, rows: number): void {
    this.width = Math.max(1, width);
    const height = Math.max(1, rows);
    if (this.#image.width === this.width && this.#image.height === height) this.#pixels.fill(0);
    else {
      this.#canvas.width = this.width;
      this.#canvas.height = height;
      this.#image = new ImageData(this.width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
  }

  /** Fills the pixels of a row from `left` to `right` with a colour of `packColor`. */
  fill(row: number, left: number, right: number, color: number): void {
    const from = row * this.width;
    const last = Math.min(this.width, right);
    for (let x = Math.max(0, left); x < last; x++) this.#pixels[from + x] = color;
  }

  /** Returns the rows as an image; transparent where nothing was filled. */
  image(): CanvasImageSource {
    this.#context.putImageData(this.#image, 0, 0);
    return this.#canvas;
  }
}

/** Cuts texts to the width of their boxes without measuring each in the browser. */
class TextFitter {
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();

  readonly #font: string;

  constructor(context: CanvasRenderingContext2D, font: string) {
    this.#context = context;
    this.#font = font;
  }

  /**
   * Returns the text, or as much of its beginning as fits before an ellipsis; empty if fewer than two
   * characters fit.
   */
  fit(text: string, width: number): string {
    if (width <= 0) return "";
    let used = 0;
    let end = 0;
    const ellipsis = this.#width("…");
    // Where to cut if the rest does not fit.
    let cut = 0;
    for (const character of text) {
      used += this.#width(character);
      if (used > width) return cut < 2 ? "" : `${text.slice(0, cut)}…`;
      end += character.length;
      if (used + ellipsis <= width) cut = end;
    }
    return text;
  }

  width(text: string): number {
    let sum = 0;
    for (const character of text) sum += this.#width(character);
    return sum;
  }

  #width(character: string): number {
    let width = this.#widths.get(character);
    if (width === undefined) {
      const { font } = this.#context;
      this.#context.font = this.#font;
      width = this.#context.measureText(character).width;
      this.#context.font = font;
      this.#widths.set(character, width);
    }
    return width;
  }
}

/** The height of a frame, in CSS pixels. */
export const ROW_HEIGHT = 20;
const AXIS_HEIGHT = 22;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

const BOLD = `600 ${FONT}`;

const PADDING = 5;
/** Between a name and what stands behind it. */
const DETAIL_GAP = 8;
/** Narrower boxes have only a colour. */
const MARK_WIDTH = 6;
/** Narrower boxes have no text. */
const TEXT_WIDTH = 26;

/** What a chart shows and how. */
export interface Picture {
  readonly chart: Chart;
  readonly overTime: OverTime | undefined;
  readonly labels: FrameLabels;
  /** The ticks that shares are of. */
  readonly all: number;
  readonly look: Look;
  /** Undefined without a search. */
  readonly matches: MatchedFrames | undefined;
  /** Whether callers are below their callees. */
  readonly isFlame: boolean;
}

/** A picture and the part of it that is painted. Lengths are in CSS pixels. */
interface Scene extends Picture {
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  /** Screen pixels per CSS pixel. */
  readonly ratio: number;
  /** The y of the picture's top in the chart. */
  readonly top: number;
  /** Returns the y of a depth's top in the chart. */
  rowTop(depth: number): number;
  readonly fills: Fills;
  readonly palette: Palette;
  /** The zoomed box; its callers are pale. */
  readonly zoomed: number;
  readonly selected: number;
  readonly hovered: number;
}

/** What stands in frames. */
export interface FrameLabels {
  /** The names of functions. */
  readonly titles: readonly string[];
  /** Where they are, `file:line`; empty for what has no place, or has it in its name. */
  readonly places: readonly string[];
  /** 1 for functions of the program itself. */
  readonly isOwn: Uint8Array;
  /** The names of threads. */
  readonly threads: readonly string[];
  readonly root: string;
}

/** The area of a box that is wide enough for marks. */
interface BoxArea {
  readonly box: number;
  readonly left: number;
  readonly width: number;
  readonly y: number;
}

/** Painting tools that are reused for many pictures. */
interface Brushes {
  readonly context: CanvasRenderingContext2D;
  readonly fitter: TextFitter;
  /** For the functions of the program. */
  readonly boldFitter: TextFitter;
  readonly strip: RowStrip;
  readonly strips: Strips;
}

/** Paints the visible part of a chart. Of boxes narrower than a pixel, paints one per pixel. */
function paintChart(brushes: Brushes, scene: Scene): void {
  const { context, strip } = brushes;
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
  if (scene.overTime !== undefined) paintStrips(brushes, scene, scene.overTime);
  for (const area of wide) paintMarks(brushes, scene, area);
  if (chart.graph.total[0] === 0) {
    context.fillStyle = palette.axis;
    context.fillText("Nothing to show", 2 * PADDING, ROW_HEIGHT / 2 + PADDING);
  }
  for (const { box } of wide) if (isOfSelected(scene, box)) outline(context, scene, box, palette.selected, 1);
  outline(context, scene, scene.hovered, palette.hovered, 1);
  outline(context, scene, scene.selected, palette.selected, 2);
  if (scene.overTime !== undefined) paintAxis(context, scene, scene.overTime);
}

/** Returns the visible part of the time. */
function seenTime({ start, span }: Viewport, { times }: OverTime): TimeRange {
  return { from: times.from + start, to: times.from + start + span };
}

function paintStrips({ context, strips, fitter }: Brushes, scene: Scene, overTime: OverTime): void {
  const { chart, width, height, ratio, view, palette, top } = scene;
  const cut = (text: string, room: number) => fitter.fit(text, room);
  const area = { width, height: ROW_HEIGHT, ratio, seen: seenTime(view, overTime), palette, cut };
  for (const { thread, strip, turns } of chart.tracks ?? []) {
    const [y, turnY] = [scene.rowTop(strip) - top, scene.rowTop(turns) - top];
    const isSeen = (at: number) => at + ROW_HEIGHT > 0 && at < height;
    if (isSeen(y)) strips.paintActivity(context, overTime, thread, y, area);
    if (turns >= 0 && isSeen(turnY)) strips.paintTurns(context, overTime.times.threads[thread]!, turnY, area);
  }
}

/** Returns whether a box is in the background: it calls the zoomed one. */
function isBehind({ chart, zoomed }: Scene, depth: number): boolean {
  const last = chart.depth[zoomed]!;
  return depth < last && depth >= ((chart.tracks && trackOf(chart, last)?.strip) || 0);
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
  const { start, span, node } = chart;
  // Pixel columns per unit.
  const scale = strip.width / view.span;
  const isCaller = isBehind(scene, depth);
  for (let i = firstEndingAfter(chart, depth, view.start); i < boxes.length; ) {
    const box = boxes[i]!;
    const from = (start[box]! - view.start) * scale;
    if (from >= strip.width) break;
    const to = from + span[box]! * scale;
    const fill = (isCaller || isUnmatched(scene, box) ? fills.pale : fills.plain)[node[box]!]!;
    if (to - from < 1) {
      const column = Math.floor(from);
      strip.fill(row, column, column + 1, fill);
      i = upperBound(ends, view.start + (column + 1) / scale, i + 1);
      continue;
    }
    const left = Math.round(from);
    // A line of background separates neighbours if there is room.
    const right = Math.max(left + 1, Math.round(to) - (to - from > 3 * ratio ? Math.round(ratio) : 0));
    strip.fill(row, left, right, fill);
    // The name of a thread has all of its row.
    const isThread = node[box] === 0 && box > 0;
    if (isThread || to - from > MARK_WIDTH * ratio) {
      const x = Math.max(-2, left / ratio);
      wide.push({
        box,
        left: x,
        width: Math.min(scene.width + 2, isThread ? scene.width : right / ratio) - x,
        y,
      });
    }
    i++;
  }
}

function paintMarks(brushes: Brushes, scene: Scene, area: BoxArea): void {
  const { box, left, width, y } = area;
  const { context } = brushes;
  const { chart, palette, labels } = scene;
  const { graph } = chart;
  const node = chart.node[box]!;
  const isInlined = graph.inlined[node] === 1;
  if (isInlined) paintDashes(brushes, scene, area, false);
  const isInferred = graph.inferred[node] === 1;
  if (isInferred) paintDashes(brushes, scene, area, true);
  const isPale = isUnmatched(scene, box) || isBehind(scene, chart.depth[box]!);
  if (scene.matches !== undefined && !isPale && isMatch(scene.matches, graph, node)) {
    context.fillStyle = palette.match;
    context.fillRect(left, y + ROW_HEIGHT - 4, width, 3);
  }
  if (width < TEXT_WIDTH) return;
  const id = graph.function[node]!;
  const isOwn = labels.isOwn[id] === 1;
  const title = boxTitle(scene, box);
  const sign = SIGNS[scene.fills.signs?.[node] ?? 0];
  const mark = `${sign && `${sign} `}${isInlined ? "↳ " : isInferred ? "≈ " : ""}`;
  const fitter = isOwn ? brushes.boldFitter : brushes.fitter;
  const room = width - 2 * PADDING - Math.max(0, -left);
  const text = fitter.fit(mark + title, room);
  if (text === "") return;
  const x = Math.max(0, left) + PADDING;
  context.globalAlpha = isPale ? 0.75 : 1;
  context.fillStyle = palette.text;
  if (isOwn) context.font = BOLD;
  context.fillText(text, x, y + ROW_HEIGHT / 2);
  if (isOwn) context.font = FONT;
  context.globalAlpha = 1;
  const rest = room - fitter.width(text) - DETAIL_GAP;
  const detail =
    rest < TEXT_WIDTH ? undefined : detailsOf(scene, box).find((one) => brushes.fitter.width(one) <= rest);
  if (detail === undefined) return;
  context.fillStyle = palette.detail;
  context.fillText(detail, x + fitter.width(text) + DETAIL_GAP, y + ROW_HEIGHT / 2);
}

/** Returns what stands in a frame: its function, or over time the thread. */
export function boxTitle({ chart, labels }: Pick<Scene, "chart" | "labels">, box: number): string {
  const node = chart.node[box]!;
  if (node > 0 || chart.tracks === undefined)
    return labels.titles[chart.graph.function[node]!] ?? labels.root;
  const track = chart.tracks.find((one) => one.box === box);
  if (track === undefined || chart.tracks.length === 1) return labels.root;
  return `${track.isOpen ? "▾" : "▸"} ${labels.threads[track.thread]}`;
}

/** Returns what can stand behind the name of a frame: its place and share, or as much of it as there is room for. */
function detailsOf({ chart, labels, all }: Scene, box: number): string[] {
  const { graph } = chart;
  const node = chart.node[box]!;
  const place = labels.places[graph.function[node]!] ?? "";
  const share = chart.tracks === undefined && node > 0 ? shareText(graph.total[node]!, all) : "";
  return [`${place}  ${share}`.trim(), place, share].filter((text) => text !== "");
}

/** Draws a dashed line on the caller's side of an inlined frame, because there is no call in between, and around an inferred one. */
function paintDashes(
  brushes: Brushes,
  { palette, isFlame }: Scene,
  { left, width, y }: BoxArea,
  isInferred: boolean,
): void {
  const { context } = brushes;
  context.globalAlpha = 0.55;
  context.strokeStyle = palette.text;
  context.lineWidth = 1;
  context.setLineDash(isInferred ? [4, 3] : [3, 3]);
  context.beginPath();
  if (isInferred) context.rect(left + 0.5, y + 0.5, width - 1, ROW_HEIGHT - 2);
  else {
    const lineY = (isFlame ? y + ROW_HEIGHT - 2 : y) + 0.5;
    context.moveTo(left, lineY);
    context.lineTo(left + width, lineY);
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Returns whether there is a search that a box does not match. */
function isUnmatched({ chart, matches, selected }: Scene, box: number): boolean {
  return matches !== undefined && box !== selected && !isMatch(matches, chart.graph, chart.node[box]!);
}

/** Returns whether a box is of the function of the selected one. */
function isOfSelected({ chart: { graph, node }, selected }: Scene, box: number): boolean {
  if (selected < 0 || node[selected] === 0 || node[box] === 0) return false;
  return graph.function[node[box]!] === graph.function[node[selected]!];
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
  const scale = width / view.span;
  const left = Math.max(-4, (chart.start[box]! - view.start) * scale);
  const right = Math.min(width + 4, (chart.start[box]! + chart.span[box]! - view.start) * scale);
  if (right < 0 || left > width) return;
  const y = scene.rowTop(chart.depth[box]!) - top;
  context.strokeStyle = color;
  context.lineWidth = line;
  const wide = Math.max(2, right - left - 1 - line);
  context.strokeRect(left + line / 2, y + line / 2, wide, ROW_HEIGHT - 1 - line);
}

/** Paints the axis above the chart, and what is outside of the range paler. */
function paintAxis(context: CanvasRenderingContext2D, scene: Scene, { times, range }: OverTime): void {
  const { view, width, height, palette } = scene;
  if (range !== undefined) {
    const xOf = (time: number) => ((time - times.from - view.start) * width) / view.span;
    const [left, right] = [Math.max(0, xOf(range.from)), Math.min(width, xOf(range.to))];
    paintPaler(context, { left, right, width, height }, palette.background);
    context.fillStyle = palette.selected;
    for (const x of [xOf(range.from), xOf(range.to)]) context.fillRect(x - 0.5, 0, 1, height);
  }
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, AXIS_HEIGHT);
  context.fillStyle = palette.axis;
  for (const { x, text } of timeLabels(view, times.from, width)) {
    context.fillRect(x, AXIS_HEIGHT - 7, 1, 6);
    if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, AXIS_HEIGHT / 2);
  }
}

interface ChartEvents {
  /** Called when another box is selected; -1 for none. */
  selected(box: number): void;
  /** Called when another box is zoomed to. */
  zoomed(box: number): void;
  /** Called when the pointer is over another box, or over what stands above the frames of a thread; -1 for none. */
  hovered(
    box: number,
    at: { readonly x: number; readonly y: number; readonly strip?: StripFacts | undefined },
  ): void;
  /** Called when another part of the chart is visible. */
  moved(): void;
}

const ZOOM_MS = 160;

/** A canvas with a chart, its visible part and its selected box. */
export class ChartView {
  readonly canvas: HTMLCanvasElement;
  readonly #scroller: HTMLElement;
  readonly #space: HTMLElement;
  readonly #brushes: Brushes;
  readonly #events: ChartEvents;
  #picture: Picture | undefined;
  #fills: Fills = { plain: new Uint32Array(), pale: new Uint32Array() };
  #view: Viewport = wholeOf(0);
  #zoomed = 0;
  #selected = -1;
  #hovered = -1;
  #frame = 0;
  /** The view that was painted last. */
  #painted: Viewport | undefined;
  #animation: { readonly from: Viewport; readonly to: Viewport; readonly began: number } | undefined;

  constructor(host: HTMLElement, label: string, events: ChartEvents) {
    this.#events = events;
    this.canvas = element("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "flame graph");
    this.canvas.setAttribute("aria-label", label);
    this.#space = element("div");
    this.#scroller = element("div", { className: "chart" }, this.canvas, this.#space);
    host.append(this.#scroller);
    const context = this.canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser does not support canvas");
    this.#brushes = {
      context,
      fitter: new TextFitter(context, FONT),
      boldFitter: new TextFitter(context, BOLD),
      strip: new RowStrip(),
      strips: new Strips(),
    };
    this.#scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.#resize()).observe(this.#scroller);
  }

  get picture(): Picture | undefined {
    return this.#picture;
  }
  get view(): Viewport {
    return this.#view;
  }
  get selected(): number {
    return this.#selected;
  }
  get zoomed(): number {
    return this.#zoomed;
  }
  get #total(): number {
    return this.#picture?.chart.span[0] ?? 0;
  }

  /** Shows another picture. Keeps the zoomed and the selected box as far as the new picture has them. */
  show(picture: Picture): void {
    const before = this.#picture;
    this.#picture = picture;
    this.#fills = picture.look.fillsOf(picture.chart.graph);
    this.#hovered = -1;
    if (before?.chart !== picture.chart) {
      const kept = (box: number) =>
        before === undefined ? 0 : follow(picture.chart, wayTo(before.chart, box));
      this.#selected = this.#selected < 0 ? -1 : kept(this.#selected);
      this.#zoomed = kept(this.#zoomed);
      this.#animation = undefined;
      this.#view = this.#viewOf(this.#zoomed);
      this.#events.zoomed(this.#zoomed);
      this.#events.selected(this.#selected);
    }
    this.#resize();
    if (before === undefined || before.isFlame !== picture.isFlame || before.chart !== picture.chart)
      this.#scrollToRoot();
  }

  showTime({ from, to }: TimeRange): void {
    const begin = this.#picture?.overTime?.times.from ?? 0;
    this.#moveTo(panBy({ start: from - begin, span: to - from }, this.#total, 0));
  }

  /** The way to the zoomed box, and that to the selected one; undefined if none is. */
  get ways(): { readonly zoomed: BoxPath | undefined; readonly selected: BoxPath | undefined } {
    const chart = this.#picture?.chart;
    const way = (box: number) => (chart === undefined || box < 0 ? undefined : wayTo(chart, box));
    return { zoomed: this.#zoomed === 0 ? undefined : way(this.#zoomed), selected: way(this.#selected) };
  }

  /** Zooms to and selects the boxes that ways lead to. */
  go({ zoomed, selected }: ChartView["ways"]): void {
    const chart = this.#picture?.chart;
    if (chart === undefined) return;
    this.#selected = selected === undefined ? -1 : follow(chart, selected);
    this.#zoomed = zoomed === undefined ? 0 : follow(chart, zoomed);
    this.#animation = undefined;
    this.#view = this.#viewOf(this.#zoomed);
    this.#events.zoomed(this.#zoomed);
    this.#events.selected(this.#selected);
    this.#scrollTo(Math.max(0, this.#selected));
    this.draw();
  }

  /** Clears the picture, the zoomed and the selected box. */
  reset(): void {
    this.#picture = undefined;
    this.#zoomed = 0;
    this.#selected = -1;
  }

  /** Selects a box and scrolls it into view; -1 for none. */
  select(box: number): void {
    this.#selected = box;
    this.hover(-1);
    if (box >= 0 && this.#picture !== undefined) {
      const { start, span } = this.#picture.chart;
      const goal = this.#animation?.to ?? this.#view;
      const view = reveal(goal, this.#total, start[box]!, span[box]!);
      if (view !== goal) this.#moveTo(view);
      this.#scrollTo(box);
    }
    this.#events.selected(box);
    this.draw();
  }

  /** Makes a box as wide as the canvas. */
  zoomTo(box: number): void {
    this.#zoomed = Math.max(0, box);
    this.#scrollTo(this.#zoomed);
    this.#moveTo(this.#viewOf(this.#zoomed));
    this.#events.zoomed(this.#zoomed);
  }

  /** Zooms in by `factor` around `x`, in pixels from the left. */
  zoomBy(factor: number, x: number): void {
    this.#setView(zoomAt(this.#view, this.#total, this.#pointAt(x), factor));
  }

  /** Moves the visible part by pixels. */
  panBy(x: number, y: number): void {
    this.#scroller.scrollTop += y;
    if (x !== 0) this.#setView(panBy(this.#view, this.#total, (x / this.#width) * this.#view.span));
  }

  /** Returns the box at a point of the canvas, in CSS pixels; -1 for none. */
  boxAt(x: number, y: number): number {
    const row = this.#rowAt(y);
    return this.#picture === undefined || row < 0 ? -1 : boxAt(this.#picture.chart, row, this.#pointAt(x));
  }

  /** Returns what stands above the frames of a thread at a point of the canvas; undefined if there is nothing. */
  stripAt(x: number, y: number): StripFacts | undefined {
    const row = this.#rowAt(y);
    const { chart, overTime } = this.#picture ?? {};
    const track = chart && row >= 0 ? trackOf(chart, row) : undefined;
    if (track === undefined || overTime === undefined) return undefined;
    const time = overTime.times.from + this.#pointAt(x);
    return factsInStrip(overTime, { track, row }, time, (5 * this.#view.span) / this.#width);
  }

  #pointAt(x: number): number {
    return this.#view.start + (x / this.#width) * this.#view.span;
  }

  /** Returns the row at a y of the canvas; -1 for none. */
  #rowAt(y: number): number {
    if (this.#picture === undefined || y < this.#axis) return -1;
    const inChart = y + this.#scroller.scrollTop;
    const fromRoot = this.#picture.isFlame ? this.#contentHeight - inChart : inChart - this.#axis;
    return Math.floor(fromRoot / ROW_HEIGHT);
  }

  hover(box: number, at: Parameters<ChartEvents["hovered"]>[1] = { x: 0, y: 0 }): void {
    if (box !== this.#hovered) this.draw();
    this.#hovered = box;
    this.#events.hovered(box, at);
  }

  /** Paints in the next frame of the screen. */
  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#animate(now);
      this.#paint();
    });
  }

  /** Paints at once: for paper. */
  paintNow(): void {
    this.#paint();
  }

  get #width(): number {
    return Math.max(1, this.#scroller.clientWidth);
  }
  get #axis(): number {
    return this.#picture?.overTime === undefined ? 0 : AXIS_HEIGHT;
  }
  get #contentHeight(): number {
    const rows = (this.#picture?.chart.rows.length ?? 0) * ROW_HEIGHT + this.#axis;
    return Math.max(rows, this.#scroller.clientHeight);
  }

  #viewOf(box: number): Viewport {
    const chart = this.#picture?.chart;
    return chart === undefined || box === 0
      ? wholeOf(this.#total)
      : { start: chart.start[box]!, span: chart.span[box]! };
  }

  /**
   * Shows a part of the chart. If the zoomed box no longer spans it, its nearest caller that does becomes the
   * zoomed one.
   */
  #setView(view: Viewport): void {
    this.#animation = undefined;
    this.#view = view;
    this.#unzoom(view);
    this.draw();
  }

  #unzoom(view: Viewport): void {
    const chart = this.#picture?.chart;
    if (chart === undefined) return;
    let box = this.#zoomed;
    const slack = view.span / 1000;
    const spans = (at: number) =>
      chart.start[at]! <= view.start + slack &&
      chart.start[at]! + chart.span[at]! >= view.start + view.span - slack;
    while (box > 0 && !spans(box)) box = chart.parent[box]!;
    if (box === this.#zoomed) return;
    this.#zoomed = box;
    this.#events.zoomed(box);
  }

  #moveTo(view: Viewport): void {
    this.#unzoom(view);
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#animation = isCalm ? undefined : { from: this.#view, to: view, began: performance.now() };
    if (isCalm) this.#view = view;
    this.draw();
  }

  #animate(now: number): void {
    if (this.#animation === undefined) return;
    const { from, to, began } = this.#animation;
    const share = Math.min(1, Math.max(0, (now - began) / ZOOM_MS));
    this.#view = share === 1 ? to : between(from, to, 1 - (1 - share) ** 3);
    if (share === 1) this.#animation = undefined;
    else this.draw();
  }

  #rowTop(depth: number): number {
    return this.#picture?.isFlame === true
      ? this.#contentHeight - (depth + 1) * ROW_HEIGHT
      : this.#axis + depth * ROW_HEIGHT;
  }

  #scrollToRoot(): void {
    this.#scroller.scrollTop = this.#picture?.isFlame === true ? this.#contentHeight : 0;
  }

  /** Scrolls as little as needed to show a box with its caller and callees. */
  #scrollTo(box: number): void {
    const y = this.#rowTop(this.#picture?.chart.depth[box] ?? 0);
    const { scrollTop, clientHeight } = this.#scroller;
    const least = y + 2 * ROW_HEIGHT - clientHeight;
    const most = y - ROW_HEIGHT - this.#axis;
    this.#scroller.scrollTop = Math.min(Math.max(scrollTop, least), Math.max(most, 0));
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#scroller;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.canvas.style.width = `${clientWidth}px`;
      this.canvas.style.height = `${clientHeight}px`;
      // A resized canvas is empty until it is painted.
      this.#paint();
    }
    this.#space.style.height = `${this.#contentHeight - clientHeight}px`;
    this.draw();
  }

  #paint(): void {
    if (this.#picture === undefined || this.#scroller.clientWidth === 0) return;
    this.#brushes.context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const scene: Scene = {
      ...this.#picture,
      view: this.#view,
      width: this.#width,
      height: this.#scroller.clientHeight,
      ratio: devicePixelRatio,
      top: this.#scroller.scrollTop,
      rowTop: (depth) => this.#rowTop(depth),
      fills: this.#fills,
      palette: this.#picture.look.palette,
      zoomed: this.#zoomed,
      selected: this.#selected,
      hovered: this.#hovered,
    };
    paintChart(this.#brushes, scene);
    if (this.#view === this.#painted) return;
    this.#painted = this.#view;
    this.#events.moved();
  }
}
