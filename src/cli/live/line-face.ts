import type { LiveQuery } from "../../live/live-view.js";
import { type LiveReport, liveJson } from "../../reporters/live/json.js";
import { liveText } from "../../reporters/live/text.js";
import type { LiveFace, LivePicture } from "./live-run.js";

/** The functions on a line for programs. */
const FUNCTIONS = 10;

export interface LineFaceOptions {
  readonly format: "text" | "json";
  /** Writes one line. */
  readonly write: (line: string) => void;
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

  open(): void {}

  show(picture: LivePicture): void {
    const { format, write } = this.#options;
    const report: LiveReport = { ...picture, lastDeopt: this.#lastDeopt };
    write(format === "json" ? liveJson(report) : liveText(report));
    this.#lastDeopt = picture.view.deoptCount;
  }

  close(last: LivePicture | undefined): void {
    if (last !== undefined) this.show(last);
  }
}
