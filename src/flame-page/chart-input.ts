import type { ChartView } from "./chart-view.js";

/** A drag begins after this many pixels; below it is a click. */
const DRAG_START = 4;
const WHEEL_SPEED = 0.0022;
const LINE_PIXELS = 18;

/** Makes a chart respond to mouse, touch and wheel. */
export function listenToChart(view: ChartView): void {
  listenToPointer(view);
  listenToWheel(view);
}

function listenToPointer(view: ChartView): void {
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
      view.hover(view.boxAt(x, y), event.clientX, event.clientY);
      return;
    }
    const [x, y] = [drag.x - event.clientX, drag.y - event.clientY];
    if (!drag.isMoving && Math.hypot(x, y) < DRAG_START) return;
    view.hover(-1, 0, 0);
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
    if (box < 0) return;
    view.zoomTo(box);
    view.select(box);
  });
  canvas.addEventListener("pointercancel", () => {
    drag = undefined;
    canvas.classList.remove("dragged");
  });
  canvas.addEventListener("pointerleave", () => view.hover(-1, 0, 0));
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
