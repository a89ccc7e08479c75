import type { ScriptSourceRecord } from "../parser/rows/script-source.js";
import type { SourceText } from "../profile/profile.js";

/** A place in a script as people say it: both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** Where V8 ends lines. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

/** The scripts whose text a log has. */
export class Scripts {
  readonly #scripts = new Map<number, ScriptSourceRecord>();
  /** By script: where its lines begin, in UTF-16 units. Only of scripts that were asked for. */
  readonly #lineStarts = new Map<number, readonly number[]>();

  add(script: ScriptSourceRecord): void {
    this.#scripts.set(script.id, script);
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

  /** The script's text, if the log has it. */
  text(id: number): string | undefined {
    return this.#scripts.get(id)?.source;
  }

  /** The scripts that places were asked of, by name; the first text of a name counts. */
  used(): SourceText[] {
    const used = new Map<string, SourceText>();
    for (const id of this.#lineStarts.keys()) {
      const { url: file, source: text } = this.#scripts.get(id)!;
      if (!used.has(file)) used.set(file, { file, text });
    }
    return Array.from(used.values()).sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  #startsOf(id: number): readonly number[] | undefined {
    let starts = this.#lineStarts.get(id);
    const script = this.#scripts.get(id);
    if (starts === undefined && script !== undefined) {
      starts = [0, ...Array.from(script.source.matchAll(LINE_END), (end) => end.index + end[0].length)];
      this.#lineStarts.set(id, starts);
    }
    return starts;
  }
}
