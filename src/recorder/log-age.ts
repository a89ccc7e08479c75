import type { CodeCreationRecord } from "../parser/rows/code-creation.js";

/** Tells logs of V8 up to 5.x: their rows of code have no time. Those up to 3.28 do not state a version either. */
export class LogAge {
  #hasCode = false;
  #hasTimes = false;

  see({ timestamp }: Pick<CodeCreationRecord, "timestamp">): void {
    this.#hasCode = true;
    if (timestamp !== 0) this.#hasTimes = true;
  }

  /** Whether the log has code, and none with a time. */
  get isOld(): boolean {
    return this.#hasCode && !this.#hasTimes;
  }
}
