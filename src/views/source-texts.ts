import type { SourceText } from "../profile/profile.js";
import { sourceLines } from "../profile/source-lines.js";

/** The lines of a script. */
export interface ScriptLines {
  readonly lines: readonly string[];
  /** Where the text is from: from disk, or a source map on disk, it can be another than the one that ran. */
  readonly origin: "log" | "map" | "disk";
  /** The source map on disk that has the text. */
  readonly mapFile?: string | undefined;
}

/** The texts of scripts: those that the log and its source maps have, else those on disk. */
export class SourceTexts {
  readonly #logged: ReadonlyMap<string, SourceText>;
  readonly #read: (file: string) => string | undefined;
  readonly #known = new Map<string, ScriptLines | undefined>();

  /** `read` gets the text of a script by its name as logged from outside of the log; undefined where it cannot. */
  constructor(sources: readonly SourceText[], read: (file: string) => string | undefined) {
    this.#logged = new Map(sources.map((source) => [source.file, source]));
    this.#read = read;
  }

  /** The lines of a script; undefined where its text is nowhere. */
  linesOf(file: string): ScriptLines | undefined {
    if (!this.#known.has(file)) this.#known.set(file, this.#find(file));
    return this.#known.get(file);
  }

  /** One line of a script, counted from 1; undefined where its text is nowhere or ends before. */
  lineOf(file: string | undefined, line: number): string | undefined {
    return file === undefined ? undefined : this.linesOf(file)?.lines[line - 1];
  }

  #find(file: string): ScriptLines | undefined {
    const logged = this.#logged.get(file);
    const text = logged === undefined ? this.#read(file) : logged.text;
    if (text === undefined) return undefined;
    const lines = sourceLines(text);
    // What follows the last line end is no line.
    if (lines.at(-1) === "") lines.pop();
    const mapFile = logged?.mapFile;
    return { lines, origin: logged === undefined ? "disk" : mapFile === undefined ? "log" : "map", mapFile };
  }
}
