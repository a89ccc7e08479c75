import { NarrowText } from "./narrow-text.js";
import type { LogRecord } from "./rows/row-decoders.js";
import type { ScriptSourceRecord } from "./rows/script-source.js";

/** Bytes of a row from which its text takes long to decode. */
const LONG_TEXT = 1 << 19;

/** A script, and the line of its row, from 1. */
interface HeldScript {
  readonly record: ScriptSourceRecord;
  readonly line: number;
  /** Undefined before it is looked at, and if it cannot be decoded piece by piece. */
  text: NarrowText | undefined;
}

/**
 * The scripts of a log from the first one with a long text on. A thread holds them back, and decodes them when it would have to
 * wait: nobody needs them before the end of the log.
 */
export class HeldTexts {
  readonly #scripts: HeldScript[] = [];
  /** The number of the script that is decoded next. */
  #next = 0;

  /** Holds a record back if it is such a script. Returns whether it is. */
  hold(record: LogRecord, line: number): boolean {
    if (record.type !== "script-source") return false;
    // Scripts stay in their order: the last one of an id counts.
    if (this.#scripts.length === 0 && record.source.length < LONG_TEXT) return false;
    this.#scripts.push({ record, line, text: undefined });
    return true;
  }

  /** Decodes a piece of a text. Returns false if there is none left. */
  decodeMore(): boolean {
    for (; this.#next < this.#scripts.length; this.#next++) {
      const script = this.#scripts[this.#next]!;
      if (script.record.source.length < LONG_TEXT) continue;
      script.text ??= NarrowText.of(script.record.source);
      if (script.text?.decodeMore()) return true;
    }
    return false;
  }

  /** Gives the scripts back, as far as they are decoded. */
  release(take: (record: ScriptSourceRecord, line: number) => void): void {
    for (const { record, line, text } of this.#scripts.splice(0)) {
      take(text === undefined ? record : { ...record, decoded: text.decoded }, line);
    }
    this.#next = 0;
  }
}
