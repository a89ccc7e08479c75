import type { Writable } from "node:stream";
import { inTicks, percent, sized, text } from "../base/text.js";
import type { ReadProgress } from "../load/log-feeder.js";
import { plainly } from "../render/spoken.js";

/** Shorter work shows no progress. */
const DELAY_MS = 1000;
/** The time between two updates. */
const STEP_MS = 100;
const CLEAR_LINE = "\r\x1b[K";

/** A line on a terminal that shows the progress of reading logs. It disappears at the end. */
export class Progress {
  readonly #stream: Writable;
  /** Bytes of all logs; undefined if unknown. */
  readonly #total: number | undefined;
  readonly #now: () => number;
  readonly #started: number;
  #shown = 0;

  /** `now` is a clock in milliseconds. For `performance.now()`, Node would load a module for 0.5 to 2 ms. */
  constructor(
    stream: Writable,
    total: number | undefined,
    now: () => number = () => process.uptime() * 1000,
  ) {
    this.#stream = stream;
    this.#total = total;
    this.#now = now;
    this.#started = now();
  }

  /** Shows the progress, if it is time for an update. */
  update({ bytes, ticks }: ReadProgress): void {
    const now = this.#now();
    const elapsed = now - this.#started;
    if (elapsed < DELAY_MS || now - this.#shown < STEP_MS) return;
    this.#shown = now;
    // The size of a pipe is not known, and that of some files is 0 until they are read.
    const share = this.#total
      ? text`${percent(Math.min(99, Math.floor((bytes * 100) / this.#total)))}  `
      : "";
    const rate = sized((bytes * 1000) / elapsed);
    // Profiles tell their samples at their end.
    const soFar = ticks > 0 ? text`  ${inTicks(ticks)}` : "";
    this.#stream.write(CLEAR_LINE + plainly(text`${share}${sized(bytes)}  ${rate}/s${soFar}`, {}));
  }

  /** Removes the line. */
  done(): void {
    if (this.#shown > 0) this.#stream.write(CLEAR_LINE);
  }
}
