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
  readonly #lineStarts = new Map<number, Int32Array>();
  /** By script: where it says `class`, in UTF-16 units. */
  readonly #classes = new Map<number, readonly number[]>();

  /** Keeps the script of a row at a line of the log. */
  add({ id, url, source }: ScriptSourceRecord, row: number): void {
    this.#scripts.set(id, { url, source, row });
    this.#ids.set(url, id);
    this.#lineStarts.delete(id);
    this.#classes.delete(id);
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
    const line = countUpTo(starts, offset);
    return { line, column: offset - starts[line - 1]! + 1 };
  }

  /** The last offset up to another at which a script has the letters `class`; -1 for none. */
  lastClass(id: number, offset: number): number {
    let classes = this.#classes.get(id);
    if (classes === undefined) {
      classes = offsetsOf("class", this.#scripts.get(id)?.source ?? "");
      this.#classes.set(id, classes);
    }
    return classes[countUpTo(classes, offset) - 1] ?? -1;
  }

  #startsOf(id: number): Int32Array | undefined {
    let starts = this.#lineStarts.get(id);
    const script = this.#scripts.get(id);
    if (starts === undefined && script !== undefined) {
      starts = lineStarts(script.source);
      this.#lineStarts.set(id, starts);
    }
    return starts;
  }
}

/** How many of ascending numbers are not above a limit. */
function countUpTo(numbers: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function offsetsOf(word: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) offsets.push(at);
  return offsets;
}
