import { type Direction, neighbour } from "./chart.js";
import type { ChartView } from "./chart-view.js";
import { isForCharts, type KeyTarget } from "./key-target.js";
import type { TimeRange } from "./thread-times.js";

/** What keys do that go beyond a chart. */
export type KeyCommands = Readonly<Record<string, (isShifted: boolean) => void>>;

/** What a chart over time leads to. */
export interface TimeCommands {
  /** Shows the frames of the selected thread, or hides them. Returns whether a thread is selected. */
  toggleThread(): boolean;
  /** Makes all views show a part of the time. */
  showRange(range: TimeRange): void;
}

/**
 * Makes the page respond to keys, whatever has the focus. `current` returns the chart that the keys move in: the
 * one that was used last.
 */
export function listenToKeys(
  current: () => ChartView,
  commands: KeyCommands,
  { toggleThread }: TimeCommands,
): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = keyTarget(event.target);
    if (!isForCharts(target, event.key)) return;
    const view = current();
    const isToggled = (event.key === "Enter" || event.key === " ") && toggleThread();
    const isMoved = isToggled || moveSelection(view, event) || zoomByKey(view, event);
    // With Caps Lock on, letters come in upper case.
    const command = commands[event.key.toLowerCase()];
    if (!isMoved && command === undefined) return;
    if (!isMoved) command?.(event.shiftKey);
    event.preventDefault();
    if (isMoved && target === "nothing") view.canvas.focus({ preventScroll: true });
  });
}

function keyTarget(target: EventTarget | null): KeyTarget {
  if (document.querySelector("dialog[open]") !== null) return "dialog";
  if (!(target instanceof Element)) return "nothing";
  if (target.matches("input[type=search]")) return "text";
  if (target.matches("input")) return "choice";
  if (target.matches("button, summary")) return "button";
  if (target.matches("canvas")) return target.closest("#overview") === null ? "chart" : "choice";
  return target.closest(".scroll, #source") === null ? "nothing" : "scroller";
}

function moveSelection(view: ChartView, { key, shiftKey }: KeyboardEvent): boolean {
  const { picture, canvas } = view;
  if (picture === undefined) return false;
  if (shiftKey && (key === "ArrowLeft" || key === "ArrowRight")) {
    view.panBy(((key === "ArrowLeft" ? -1 : 1) * canvas.clientWidth) / 8, 0);
    return true;
  }
  if (key === "Home") {
    view.select(view.zoomed);
    return true;
  }
  const direction = directionOf(key, picture.isFlame);
  if (direction === undefined) return false;
  view.select(view.selected < 0 ? view.zoomed : neighbour(picture.chart, view.selected, direction));
  return true;
}

function directionOf(key: string, isFlame: boolean): Direction | undefined {
  switch (key) {
    case "ArrowUp":
      return isFlame ? "callee" : "caller";
    case "ArrowDown":
      return isFlame ? "caller" : "callee";
    case "ArrowLeft":
      return "left";
    case "ArrowRight":
      return "right";
    default:
      return undefined;
  }
}

function zoomByKey(view: ChartView, { key }: KeyboardEvent): boolean {
  const middle = view.canvas.clientWidth / 2;
  switch (key) {
    case "Enter":
    case " ":
      view.zoomTo(view.selected);
      return true;
    case "Backspace":
      view.zoomTo(view.picture?.chart.parent[view.zoomed] ?? 0);
      return true;
    case "Escape":
    case "0":
      view.zoomTo(0);
      return true;
    case "+":
    case "=":
      view.zoomBy(1.5, middle);
      return true;
    case "-":
      view.zoomBy(1 / 1.5, middle);
      return true;
    default:
      return false;
  }
}

/** A drag begins after this many pixels; below it is a click. */
const DRAG_START = 4;
const WHEEL_SPEED = 0.0022;
const LINE_PIXELS = 18;

/** Makes a chart respond to mouse, touch and wheel. */
export function listenToChart(view: ChartView, commands: TimeCommands): void {
  listenToPointer(view, commands);
  listenToWheel(view);
}

function listenToPointer(view: ChartView, commands: TimeCommands): void {
  const { canvas } = view;
  let drag: { x: number; y: number; isMoving: boolean } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, isMoving: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag === undefined) {
      const { x, y } = positionOn(canvas, event);
      const box = view.boxAt(x, y);
      const strip = box < 0 ? view.stripAt(x, y) : undefined;
      view.hover(box, { x: event.clientX, y: event.clientY, strip });
      return;
    }
    const [x, y] = [drag.x - event.clientX, drag.y - event.clientY];
    if (!drag.isMoving && Math.hypot(x, y) < DRAG_START) return;
    view.hover(-1);
    view.panBy(x, y);
    drag = { x: event.clientX, y: event.clientY, isMoving: true };
    canvas.classList.add("dragged");
  });
  canvas.addEventListener("pointerup", (event) => {
    const wasDrag = drag?.isMoving ?? true;
    drag = undefined;
    canvas.classList.remove("dragged");
    if (wasDrag) return;
    const { x, y } = positionOn(canvas, event);
    const box = view.boxAt(x, y);
    const range = box < 0 ? view.stripAt(x, y)?.range : undefined;
    if (range !== undefined) commands.showRange(range);
    if (box < 0) return;
    view.select(box);
    if (!commands.toggleThread()) view.zoomTo(box);
  });
  canvas.addEventListener("pointercancel", () => {
    drag = undefined;
    canvas.classList.remove("dragged");
  });
  canvas.addEventListener("pointerleave", () => view.hover(-1));
}

function listenToWheel(view: ChartView): void {
  const { canvas } = view;
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PIXELS : 1;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey) view.panBy(0, y === 0 ? x : y);
    else if (Math.abs(x) > Math.abs(y)) view.panBy(x, 0);
    else view.zoomBy(Math.exp(-Math.max(-300, Math.min(300, y)) * WHEEL_SPEED), positionOn(canvas, event).x);
  };
  canvas.addEventListener("wheel", onWheel, { passive: false });
}

function positionOn(canvas: HTMLCanvasElement, event: MouseEvent): { x: number; y: number } {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}
