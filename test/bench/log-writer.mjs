import fs from "node:fs";

/** Characters held back before they are written in one piece. */
const FLUSH_LENGTH = 1 << 20;

/** Writes the rows of one log to a file, in order, and keeps the clock of the profiled program. */
export class LogWriter {
  /** Rows written that begin with `tick,`. */
  ticks = 0;
  /** Bytes written or held back. */
  bytes = 0;
  /** Microseconds since the log was opened. */
  time = 0;
  #file;
  #rows = [];
  #heldBack = 0;

  /** A file that is there already is replaced. */
  constructor(path) {
    this.#file = fs.openSync(path, "w");
  }

  /**
   * Writes one row.
   * `text` is the row without its newline; ASCII only, as V8 writes it.
   */
  row(text) {
    this.#rows.push(text);
    this.#heldBack += text.length + 1;
    this.bytes += text.length + 1;
    if (this.#heldBack >= FLUSH_LENGTH) this.flush();
  }

  /**
   * Writes one tick at the present time and moves the clock on by about one sampling interval.
   * `pc` has its `0x`;
   * `frames` are return addresses, leaf first, each with a comma before it, or nothing;
   * `jitter` is the microseconds by which the interval was missed.
   */
  tick(pc, vmState, frames, jitter = 0) {
    this.row(`tick,${pc},${this.time},0,0x0,${vmState}${frames}`);
    this.ticks++;
    this.time += 1000 + jitter;
  }

  /** Ends the log as a program that exits in good order does. */
  end() {
    this.row("profiler,end");
    this.flush();
    fs.closeSync(this.#file);
  }

  /** Writes what was held back. */
  flush() {
    this.#rows.push("");
    const chunk = Buffer.from(this.#rows.join("\n"), "latin1");
    for (let written = 0; written < chunk.length; ) {
      written += fs.writeSync(this.#file, chunk, written);
    }
    this.#rows = [];
    this.#heldBack = 0;
  }
}

/** An address as V8 writes it. */
export function hex(address) {
  return `0x${address.toString(16)}`;
}
