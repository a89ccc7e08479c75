import type { Writable } from "node:stream";
import type { LiveQuery } from "../../live/live-view.js";
import { type LiveReport, liveJson, liveText } from "../../reports/live.js";
import type { LiveControl, LiveFace, LivePicture } from "./live-run.js";

/** The functions on a line for programs. */
const FUNCTIONS = 10;

export interface LineFaceOptions {
  readonly format: "text" | "json";
  /** Where the lines go. If it is closed, there is nothing more to do. */
  readonly output: Writable;
}

/** Shows one line a second, in a file or a pipe. */
export class LineFace implements LiveFace {
  readonly showsAtOnce = false;
  readonly query: LiveQuery = { sort: "recent-self", filter: "", limit: FUNCTIONS, thread: undefined };
  readonly #options: LineFaceOptions;
  #lastDeopt = 0;

  constructor(options: LineFaceOptions) {
    this.#options = options;
  }

  open(control: LiveControl): void {
    this.#options.output.once("error", () => control.end("closed"));
  }

  show(picture: LivePicture): void {
    const { format, output } = this.#options;
    // A reader that does not read gets no line instead of all of them later.
    if (output.writableNeedDrain) return;
    const report: LiveReport = { ...picture, lastDeopt: this.#lastDeopt };
    output.write(`${format === "json" ? liveJson(report) : liveText(report)}\n`);
    this.#lastDeopt = picture.view.deoptCount;
  }

  close(last: LivePicture | undefined): void {
    if (last !== undefined) this.show(last);
  }
}
