import { type Activity, ActivityPainter } from "./activity.js";
import type { Palette } from "./colors.js";
import { byId, element, paintPaler } from "./elements.js";
import type { Times } from "./model.js";
import { spanText, timeText } from "./number-text.js";
import { type Ranges, shownRange, type TimeRange } from "./thread-times.js";

/** What the overview shows. */
interface OverviewState {
  /** The threads that count. */
  readonly threads: readonly number[];
  readonly ranges: Ranges;
  /** The part that the chart over time shows; undefined where another view is shown. */
  readonly seen: TimeRange | undefined;
  readonly palette: Palette;
}

/** What the reader does. */
interface OverviewCommands {
  /** Picks a part of the time that the overview shows; undefined for all of it. */
  pick(range: TimeRange | undefined): void;
  /** Goes into what is picked. */
  enter(): void;
  /** Lets go of what is picked, or else goes one range out. */
  leave(): void;
  /** Goes out until so many ranges are left; 0: to all the time. */
  leaveTo(depth: number): void;
}

const HEIGHT = 36;
/** A shorter drag is a click, in pixels. */
const SHORTEST = 4;
/** The part of the range, or of all the time, that a key moves it by. */
const STEP = 1 / 20;

/** All the time above the views, or the range that the reader went into, as what threads did, to pick a part of it. */
export class Overview {
  readonly #times: Times;
  readonly #activity: Activity;
  readonly #commands: OverviewCommands;
  readonly #canvas = element("canvas", { tabIndex: 0 });
  readonly #host = byId("overview", HTMLElement);
  readonly #text = byId("range-text", HTMLOutputElement);
  readonly #enter = byId("range-enter", HTMLButtonElement);
  readonly #outer = byId("ranges", HTMLOListElement);
  readonly #painter = new ActivityPainter();
  #state: OverviewState | undefined;
  /** Where a drag began and is, in microseconds. */
  #drag: readonly [number, number] | undefined;
  #frame = 0;

  constructor(times: Times, activity: Activity, commands: OverviewCommands) {
    this.#times = times;
    this.#activity = activity;
    this.#commands = commands;
    this.#host.hidden = false;
    this.#canvas.setAttribute("role", "application");
    this.#canvas.setAttribute("aria-roledescription", "range of time");
    this.#canvas.setAttribute(
      "aria-label",
      "The time. Arrow keys move the range, with Shift they change its end, Enter goes into it, Escape goes out.",
    );
    byId("overview-chart", HTMLElement).append(this.#canvas);
    this.#enter.addEventListener("click", () => {
      commands.enter();
      this.#canvas.focus();
    });
    this.#listen();
    new ResizeObserver(() => this.#draw()).observe(this.#canvas.parentElement!);
  }

  show(state: OverviewState): void {
    this.#state = state;
    const { within, picked } = state.ranges;
    const range = shownRange(state.ranges);
    this.#text.textContent =
      range === undefined
        ? `All the time: ${spanText(this.#times.from, this.#times.to)}`
        : `${spanText(range.from, range.to)} shown in all views`;
    this.#enter.hidden = picked === undefined;
    const outer = picked === undefined ? within.slice(0, -1) : within;
    this.#outer.parentElement!.hidden = range === undefined;
    this.#outer.replaceChildren(
      ...(range === undefined ? [] : [undefined, ...outer]).map((one, depth) => {
        const [textContent, title] =
          one === undefined
            ? ["All the time", ""]
            : [timeText(one.to - one.from), spanText(one.from, one.to)];
        const button = element("button", { type: "button", textContent, title });
        button.addEventListener("click", () => {
          this.#commands.leaveTo(depth);
          this.#canvas.focus();
        });
        const item = element("li", {});
        item.append(button);
        return item;
      }),
    );
    this.#draw();
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.#drag = [this.#timeAt(event), this.#timeAt(event)];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.#drag === undefined) return;
      this.#drag = [this.#drag[0], this.#timeAt(event)];
      this.#draw();
    });
    canvas.addEventListener("pointerup", () => {
      const [a, b] = this.#drag ?? [0, 0];
      this.#drag = undefined;
      const isClick = Math.abs(b - a) < (SHORTEST * this.#all) / Math.max(1, canvas.clientWidth);
      this.#pick(isClick ? undefined : { from: Math.min(a, b), to: Math.max(a, b) });
    });
    canvas.addEventListener("pointercancel", () => {
      this.#drag = undefined;
      this.#draw();
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const range = this.#movedBy(event);
      if (range !== undefined) this.#pick(range);
      else if (event.key === "Enter") this.#commands.enter();
      else if (event.key === "Escape" || event.key === "Backspace") this.#commands.leave();
      else return;
      event.preventDefault();
    });
  }

  /** The time that is shown: the range that the reader went into, or all. */
  get #bounds(): TimeRange {
    return this.#state?.ranges.within.at(-1) ?? this.#times;
  }

  get #all(): number {
    return this.#bounds.to - this.#bounds.from;
  }

  /** Returns the range after a key; undefined if it is not one that moves it. */
  #movedBy({ key, shiftKey }: KeyboardEvent): TimeRange | undefined {
    const sign = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
    if (sign === 0) return undefined;
    const { from, to } = this.#bounds;
    const range = this.#state?.ranges.picked;
    if (range === undefined) {
      const tenth = this.#all / 10;
      return sign > 0 ? { from, to: from + tenth } : { from: to - tenth, to };
    }
    const length = range.to - range.from;
    if (shiftKey) {
      const end = range.to + sign * STEP * Math.max(length, this.#all / 10);
      return { from: range.from, to: Math.min(to, Math.max(range.from + this.#all / 10_000, end)) };
    }
    const begin = Math.min(
      to - length,
      Math.max(from, range.from + sign * STEP * Math.max(length, this.#all / 10)),
    );
    return { from: begin, to: begin + length };
  }

  #pick(range: TimeRange | undefined): void {
    this.#commands.pick(
      range && {
        from: Math.round(range.from),
        to: Math.max(Math.round(range.from) + 1, Math.round(range.to)),
      },
    );
  }

  #timeAt(event: PointerEvent): number {
    const { left, width } = this.#canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / Math.max(1, width)));
    return this.#bounds.from + share * this.#all;
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  /** Returns what the threads did as a picture. */
  #activityOf({ threads, palette }: OverviewState, width: number, height: number): CanvasImageSource {
    const columns = this.#activity.of(threads, this.#bounds, width);
    const shape = { time: this.#all / width, threads: Math.max(1, threads.length), height };
    return this.#painter.paint(columns, { ...shape, fills: palette.categories });
  }

  #paint(): void {
    const state = this.#state;
    const cssWidth = this.#canvas.parentElement!.clientWidth;
    const context = this.#canvas.getContext("2d", { alpha: false });
    if (state === undefined || cssWidth === 0 || context === null) return;
    const [width, height] = [Math.round(cssWidth * devicePixelRatio), Math.round(HEIGHT * devicePixelRatio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#canvas.style.width = `${cssWidth}px`;
      this.#canvas.style.height = `${HEIGHT}px`;
    }
    const { palette, seen } = state;
    context.fillStyle = palette.background;
    context.fillRect(0, 0, width, height);
    context.drawImage(this.#activityOf(state, width, height), 0, 0);
    const [a, b] = this.#drag ?? [];
    const range =
      a === undefined || b === undefined ? state.ranges.picked : { from: Math.min(a, b), to: Math.max(a, b) };
    const xOf = (time: number) => ((time - this.#bounds.from) * width) / this.#all;
    if (range !== undefined) {
      const [left, right] = [xOf(range.from), Math.max(xOf(range.from) + 2, xOf(range.to))];
      paintPaler(context, { left, right, width, height }, palette.background);
      context.fillStyle = palette.selected;
      for (const x of [left - devicePixelRatio, right]) context.fillRect(x, 0, 2 * devicePixelRatio, height);
    }
    if (seen === undefined) return;
    context.fillStyle = palette.axis;
    context.fillRect(
      xOf(seen.from),
      height - 3 * devicePixelRatio,
      Math.max(3, xOf(seen.to) - xOf(seen.from)),
      3 * devicePixelRatio,
    );
  }
}
