import type { Writable } from "node:stream";
import type { ReadProgress } from "../log-feeder.js";

/** Work that takes less is over before anybody wonders. */
const PATIENCE_MS = 1000;
/** Often enough to look alive. */
const STEP_MS = 100;
const CLEAR_LINE = "\r\x1b[K";

/** A line on a terminal that tells how far the reading of logs is; it goes away when it is done. */
export class Progress {
  readonly #stream: Writable;
  /** Bytes of all logs; undefined when nobody knows. */
  readonly #total: number | undefined;
  readonly #now: () => number;
  readonly #started: number;
  #shown = 0;
  /** Of all logs so far. */
  #read: ReadProgress = { bytes: 0, ticks: 0 };

  /** `now` is a clock in milliseconds. */
  constructor(stream: Writable, total: number | undefined, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#total = total;
    this.#now = now;
    this.#started = now();
  }

  /** Takes the progress of one log, which is read after those before. */
  forNextLog(): (progress: ReadProgress) => void {
    const before = this.#read;
    return ({ bytes, ticks }) => {
      this.#read = { bytes: before.bytes + bytes, ticks: before.ticks + ticks };
      this.update(this.#read);
    };
  }

  update({ bytes, ticks }: ReadProgress): void {
    const now = this.#now();
    const elapsed = now - this.#started;
    if (elapsed < PATIENCE_MS || now - this.#shown < STEP_MS) return;
    this.#shown = now;
    const share =
      this.#total === undefined ? "" : `${Math.min(99, Math.floor((bytes * 100) / this.#total))} %  `;
    const rate = Math.round(bytes / 1000 / elapsed);
    this.#stream.write(`${CLEAR_LINE}${share}${Math.round(bytes / 1e6)} MB  ${rate} MB/s  ${ticks} ticks`);
  }

  /** Takes the line away. */
  done(): void {
    if (this.#shown > 0) this.#stream.write(CLEAR_LINE);
  }
}
