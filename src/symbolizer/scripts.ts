import type { ScriptSourceRecord } from "../parser/rows/script-source.js";
import { lineStarts } from "../profile/source-lines.js";

/** A place in a script as people say it: both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** The text of a script, and where the log has it. */
export interface Script {
  readonly url: string;
  readonly source: string;
  /** The line of its row in the log, from 1. */
  readonly row: number;
}

/** The scripts whose text a log has, by their ids. */
export class Scripts {
  readonly #scripts = new Map<number, Script>();
  readonly #ids = new Map<string, number>();
  /** By script: where its lines begin, in UTF-16 units. */
  readonly #lineStarts = new Map<number, readonly number[]>();

  /** Keeps the script of a row at a line of the log. */
  add({ id, url, source }: ScriptSourceRecord, row: number): void {
    this.#scripts.set(id, { url, source, row });
    this.#ids.set(url, id);
    this.#lineStarts.delete(id);
  }

  get(id: number): Script | undefined {
    return this.#scripts.get(id);
  }

  /** The script of a name, the last that was logged; -1 when there is none. */
  idOf(url: string): number {
    return this.#ids.get(url) ?? -1;
  }

  /** The offset of a place, in UTF-16 units; -1 when the log does not have the script's text, or no such line. */
  offset(id: number, { line, column }: LineColumn): number {
    const start = this.#startsOf(id)?.[line - 1];
    return start === undefined ? -1 : start + column - 1;
  }

  /** The line and column of an offset, in UTF-16 units; undefined when the log does not have the script's text. */
  place(id: number, offset: number): LineColumn | undefined {
    const starts = this.#startsOf(id);
    if (starts === undefined || offset < 0) return undefined;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return { line: low, column: offset - starts[low - 1]! + 1 };
  }

  #startsOf(id: number): readonly number[] | undefined {
    let starts = this.#lineStarts.get(id);
    const script = this.#scripts.get(id);
    if (starts === undefined && script !== undefined) {
      starts = lineStarts(script.source);
      this.#lineStarts.set(id, starts);
    }
    return starts;
  }
}
