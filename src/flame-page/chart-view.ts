import { boxAt, type Chart, follow, functionsOf } from "./chart.js";
import { element } from "./elements.js";
import type { Fills, Look } from "./look.js";
import { AXIS_HEIGHT, type Brushes, FONT, paintChart, ROW_HEIGHT, type Scene } from "./painter.js";
import { RowStrip } from "./row-strip.js";
import { TextFitter } from "./text-fitter.js";
import type { TimeMark } from "./time-chart.js";
import { between, panBy, reveal, type Viewport, wholeOf, zoomAt } from "./viewport.js";

/** What a chart shows and how. */
export interface Picture {
  readonly chart: Chart;
  readonly marks: readonly TimeMark[];
  readonly titles: readonly string[];
  readonly look: Look;
  readonly matches: Uint8Array | undefined;
  readonly isFlame: boolean;
}

/** The events of a chart. */
export interface ChartEvents {
  /** Called when another box is selected; -1 for none. */
  selected(box: number): void;
  /** Called when another box is zoomed to. */
  zoomed(box: number): void;
  /** Called when the pointer is over another box; -1 for none. */
  hovered(box: number, x: number, y: number): void;
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
    context.font = FONT;
    this.#brushes = { context, fitter: new TextFitter(context), strip: new RowStrip() };
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
    return this.#picture?.chart.ticks[0] ?? 0;
  }

  /** Shows another picture. Keeps the zoomed and the selected box as far as the new picture has them. */
  show(picture: Picture): void {
    const before = this.#picture;
    this.#picture = picture;
    this.#fills = picture.look.fillsOf(picture.chart.graph);
    this.#hovered = -1;
    if (before?.chart !== picture.chart) {
      const kept = (box: number) =>
        before === undefined ? 0 : follow(picture.chart, functionsOf(before.chart, box));
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

  /** Clears the picture, the zoomed and the selected box. */
  reset(): void {
    this.#picture = undefined;
    this.#zoomed = 0;
    this.#selected = -1;
  }

  /** Selects a box and scrolls it into view; -1 for none. */
  select(box: number): void {
    this.#selected = box;
    this.hover(-1, 0, 0);
    if (box >= 0 && this.#picture !== undefined) {
      const { start, ticks } = this.#picture.chart;
      const goal = this.#animation?.to ?? this.#view;
      const view = reveal(goal, this.#total, start[box]!, ticks[box]!);
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
    const tick = this.#view.start + (x / this.#width) * this.#view.ticks;
    this.#setView(zoomAt(this.#view, this.#total, tick, factor));
  }

  /** Moves the visible part by pixels. */
  panBy(x: number, y: number): void {
    this.#scroller.scrollTop += y;
    if (x !== 0) this.#setView(panBy(this.#view, this.#total, (x / this.#width) * this.#view.ticks));
  }

  /** Returns the box at a point of the canvas, in CSS pixels; -1 for none. */
  boxAt(x: number, y: number): number {
    if (this.#picture === undefined || y < this.#axis) return -1;
    const inChart = y + this.#scroller.scrollTop;
    const fromRoot = this.#picture.isFlame ? this.#contentHeight - inChart : inChart - this.#axis;
    const tick = this.#view.start + (x / this.#width) * this.#view.ticks;
    return boxAt(this.#picture.chart, Math.floor(fromRoot / ROW_HEIGHT), tick);
  }

  hover(box: number, x: number, y: number): void {
    if (box !== this.#hovered) this.draw();
    this.#hovered = box;
    this.#events.hovered(box, x, y);
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

  get #width(): number {
    return Math.max(1, this.#scroller.clientWidth);
  }
  get #axis(): number {
    return this.#picture === undefined || this.#picture.marks.length === 0 ? 0 : AXIS_HEIGHT;
  }
  get #contentHeight(): number {
    const rows = (this.#picture?.chart.rows.length ?? 0) * ROW_HEIGHT + this.#axis;
    return Math.max(rows, this.#scroller.clientHeight);
  }

  #viewOf(box: number): Viewport {
    const chart = this.#picture?.chart;
    return chart === undefined || box === 0
      ? wholeOf(this.#total)
      : { start: chart.start[box]!, ticks: chart.ticks[box]! };
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
    const slack = view.ticks / 1000;
    const spans = (at: number) =>
      chart.start[at]! <= view.start + slack &&
      chart.start[at]! + chart.ticks[at]! >= view.start + view.ticks - slack;
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
  }
}
