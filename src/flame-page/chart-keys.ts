import { type Direction, neighbour } from "./chart.js";
import type { ChartView } from "./chart-view.js";
import { isForCharts, type KeyTarget } from "./key-target.js";

/** Commands of keys that go beyond a chart. */
export interface ChartCommands {
  /** Shows callers and callees of the selected frame. */
  openSandwich(): void;
  openSource(): void;
  /** Goes to the next match of the search, or the previous one. */
  stepMatch(isForward: boolean): void;
  focusSearch(): void;
  openHelp(): void;
}

/**
 * Makes the page respond to keys, whatever has the focus. `current` returns the chart that the keys move in: the
 * one that was used last.
 */
export function listenToKeys(current: () => ChartView, commands: ChartCommands): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = keyTarget(event.target);
    if (!isForCharts(target, event.key)) return;
    const view = current();
    const isMoved = moveSelection(view, event) || zoomByKey(view, event);
    if (!isMoved && !runCommand(commands, event)) return;
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
  if (target.matches("canvas")) return "chart";
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

function runCommand(commands: ChartCommands, { key, shiftKey }: KeyboardEvent): boolean {
  // With Caps Lock on, letters come in upper case.
  switch (key.toLowerCase()) {
    case "c":
      commands.openSandwich();
      return true;
    case "s":
      commands.openSource();
      return true;
    case "n":
      commands.stepMatch(!shiftKey);
      return true;
    case "/":
      commands.focusSearch();
      return true;
    case "?":
      commands.openHelp();
      return true;
    default:
      return false;
  }
}
