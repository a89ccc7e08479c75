import { valueAt } from "../base/maps.js";
import type { SourceText } from "../profile/profile.js";
import { sourceLines } from "../profile/source-lines.js";

export interface ScriptLines {
  readonly lines: readonly string[];
  /** Where the text is from. Text from a disk file or a source map on disk may differ from what ran. */
  readonly origin: "log" | "map" | "disk";
  /** The source map on disk that contains the text. */
  readonly mapFile?: string | undefined;
}

/** The texts of scripts: from the log and its source maps, or else from disk. */
export class SourceTexts {
  readonly #logged: ReadonlyMap<string, SourceText>;
  readonly #read: (file: string) => string | undefined;
  readonly #known = new Map<string, ScriptLines | undefined>();
  /** By file: lines that were asked for one by one. */
  readonly #lines = new Map<string, Map<number, string | undefined>>();

  /** `read` returns the text of a script outside the log, by its logged name; undefined if it has none. */
  constructor(sources: readonly SourceText[], read: (file: string) => string | undefined) {
    this.#logged = new Map(sources.map((source) => [source.file, source]));
    this.#read = read;
  }

  /** Returns the lines of a script; undefined if there is no text. */
  linesOf(file: string): ScriptLines | undefined {
    if (!this.#known.has(file)) this.#known.set(file, this.#find(file));
    return this.#known.get(file);
  }

  /** Returns how many scripts have the name and the text of a script: one, unless texts are evaluated or loaded again. */
  scriptsOf(file: string | undefined): number {
    return (file === undefined ? undefined : this.#logged.get(file)?.scripts) ?? 1;
  }

  /** Returns one line of a script, counted from 1; undefined if there is no text or it ends before. */
  lineOf(file: string | undefined, line: number): string | undefined {
    if (file === undefined) return undefined;
    const logged = this.#known.has(file) ? undefined : this.#logged.get(file);
    if (logged?.line === undefined) return this.linesOf(file)?.lines[line - 1];
    // A script can be one long line, of which many things are told.
    const lines = valueAt(this.#lines, file, () => new Map<number, string | undefined>());
    if (!lines.has(line)) lines.set(line, logged.line(line));
    return lines.get(line);
  }

  #find(file: string): ScriptLines | undefined {
    const logged = this.#logged.get(file);
    const text = logged === undefined ? this.#read(file) : logged.text;
    if (text === undefined) return undefined;
    const lines = sourceLines(text);
    // Nothing follows the last line end.
    if (lines.at(-1) === "") lines.pop();
    const mapFile = logged?.mapFile;
    return {
      lines,
      origin: logged === undefined || logged.isOnDisk ? "disk" : mapFile === undefined ? "log" : "map",
      mapFile,
    };
  }
}
