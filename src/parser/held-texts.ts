import { NarrowText } from "./narrow-text.js";
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

/** With more scripts than this, none is held back any more: no program has so many, and they are in memory until they are given. */
const MOST_SCRIPTS = 1 << 13;

/**
 * The scripts of a log from the first one with a long text on. A thread holds them back, and decodes them when it would have to
 * wait: nobody needs them before the end of the log.
 */
export class HeldTexts {
  readonly #give: (record: ScriptSourceRecord, line: number) => void;
  readonly #scripts: HeldScript[] = [];
  /** The number of the script that is decoded next. */
  #next = 0;
  #isOver = false;

  /** `give` takes the scripts, in their order: the last one of an id counts. */
  constructor(give: (record: ScriptSourceRecord, line: number) => void) {
    this.#give = give;
  }

  /** Holds a script back, or gives it at once. */
  take(record: ScriptSourceRecord, line: number): void {
    if (this.#isOver || (this.#scripts.length === 0 && record.source.length < LONG_TEXT)) {
      this.#give(record, line);
      return;
    }
    this.#scripts.push({ record, line, text: undefined });
    if (this.#scripts.length > MOST_SCRIPTS) this.end();
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

  /** Gives the scripts, as far as they are decoded, and holds back no more. */
  end(): void {
    this.#isOver = true;
    for (const { record, line, text } of this.#scripts.splice(0)) {
      this.#give(text === undefined ? record : { ...record, decoded: text.decoded }, line);
    }
    this.#next = 0;
  }
}
