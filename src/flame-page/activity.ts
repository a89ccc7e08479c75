import { TIME_CATEGORIES, type TimeCategory } from "../profile/categories.js";
import { packColor } from "./colors.js";
import type { ThreadTimes, Times } from "./model.js";
import { rowsWithin, type TimeRange } from "./thread-times.js";

const COUNT = TIME_CATEGORIES.length;
const IDLE = TIME_CATEGORIES.indexOf("idle");
/** More than a picture has columns that shows all of the time; a narrower part has few enough rows. */
const BUCKETS = 4096;

/** How much of each column of a picture went to what, in microseconds: of column `x` and category `c` at `x * COUNT + c`. */
type Columns = Float64Array;

/** What threads did over time by category, in as many columns as a picture has. */
export class Activity {
  readonly #times: Times;
  /** By thread: the columns of all the time, made when they are first needed. */
  readonly #whole: (Columns | undefined)[] = [];

  constructor(times: Times) {
    this.#times = times;
  }

  /** Returns what some threads did together in a part of the time. */
  of(threads: readonly number[], range: TimeRange, width: number): Columns {
    const columns = new Float64Array(width * COUNT);
    const { from, to } = this.#times;
    const isCoarse = (range.to - range.from) * BUCKETS >= (to - from) * width;
    for (const thread of threads) {
      if (isCoarse) this.#addWhole(columns, thread, range);
      else addRows(columns, this.#times.threads[thread]!, range);
    }
    return columns;
  }

  #addWhole(columns: Columns, thread: number, range: TimeRange): void {
    const { from, to, threads } = this.#times;
    let whole = this.#whole[thread];
    if (whole === undefined) {
      whole = new Float64Array(BUCKETS * COUNT);
      addRows(whole, threads[thread]!, { from, to });
      this.#whole[thread] = whole;
    }
    const size = (to - from) / BUCKETS;
    const first = Math.max(0, Math.floor((range.from - from) / size));
    const last = Math.min(BUCKETS, Math.ceil((range.to - from) / size));
    for (let bucket = first; bucket < last; bucket++) {
      const begin = from + bucket * size;
      for (let category = 0; category < COUNT; category++) {
        const time = whole[bucket * COUNT + category]!;
        if (time > 0)
          spread(columns, range, { from: begin, to: begin + size, category, density: time / size });
      }
    }
  }
}

function addRows(columns: Columns, thread: ThreadTimes, range: TimeRange): void {
  const { start, end, category, waits } = thread;
  const [first, last] = rowsWithin(thread, range);
  for (let row = first; row < last; row++) {
    // All waits are below, those that the page leaves out as well.
    if (category[row] === IDLE) continue;
    spread(columns, range, { from: start[row]!, to: end[row]!, category: category[row]!, density: 1 });
  }
  for (let i = 0; i < waits.length; i += 2) {
    if (waits[i + 1]! > range.from && waits[i]! < range.to)
      spread(columns, range, { from: waits[i]!, to: waits[i + 1]!, category: IDLE, density: 1 });
  }
}

/** Adds a span of time to the columns that it covers. `density` is the part of it that counts. */
function spread(
  columns: Columns,
  range: TimeRange,
  { from, to, category, density }: TimeRange & { readonly category: number; readonly density: number },
): void {
  const width = columns.length / COUNT;
  const size = (range.to - range.from) / width;
  const [begin, end] = [Math.max(from, range.from), Math.min(to, range.to)];
  let at = begin;
  for (let column = Math.floor((begin - range.from) / size); at < end && column < width; column++) {
    const until = column === width - 1 ? end : Math.min(end, range.from + (column + 1) * size);
    columns[column * COUNT + category]! += Math.max(0, until - at) * density;
    at = Math.max(at, until);
  }
}

/** Paints what threads did: in each column, the parts of its time by category, from the bottom up. */
export class ActivityPainter {
  readonly #canvas = document.createElement("canvas");
  #image = new ImageData(1, 1);

  /** Returns a picture, in screen pixels. `threads` is the number of threads that can be busy at once. */
  paint(
    columns: Columns,
    {
      time,
      threads,
      height,
      fills,
    }: {
      /** That of a column, in microseconds. */
      readonly time: number;
      readonly threads: number;
      readonly height: number;
      readonly fills: Readonly<Record<TimeCategory, string>>;
    },
  ): CanvasImageSource {
    const width = columns.length / COUNT;
    if (this.#image.width !== width || this.#image.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#image = new ImageData(width, height);
    }
    const pixels = new Uint32Array(this.#image.data.buffer).fill(0);
    const colors = TIME_CATEGORIES.map((category) => packColor(fills[category]));
    for (let x = 0; x < width; x++) {
      let sum = 0;
      let y = height;
      for (let category = 0; category < COUNT; category++) {
        sum += columns[x * COUNT + category]!;
        const top = height - Math.round(Math.min(1, sum / (time * threads)) * height);
        while (y > top) pixels[--y * width + x] = colors[category]!;
      }
    }
    this.#canvas.getContext("2d")?.putImageData(this.#image, 0, 0);
    return this.#canvas;
  }
}

/** Returns what a thread did for most of a part of the time; undefined if it did nothing. */
export function mainCategory(columns: Columns): TimeCategory | undefined {
  const most = columns.reduce((best, time, i) => (time > columns[best]! ? i : best), 0);
  return columns[most] === 0 ? undefined : TIME_CATEGORIES[most % COUNT];
}
