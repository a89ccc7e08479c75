import type { Frame } from "../../profile/frame.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { cutName } from "../../views/shown-text.js";

/** What callgrind calls a thing that it does not know. */
const UNKNOWN = "???";

/** The functions of a profile with the object, file and name by which the format knows them. */
export class CallgrindFunctions {
  readonly #functions: readonly ProfiledFunction[];
  readonly #frames: readonly Frame[];
  readonly #ofFrame: Int32Array;
  readonly #names: readonly string[];
  /** Names that were written in full once, by their kind: from then on a number stands for them. */
  readonly #written = {
    ob: new Map<string, number>(),
    fl: new Map<string, number>(),
    fn: new Map<string, number>(),
  };

  constructor(frames: readonly Frame[]) {
    const { functions, ofFrame } = new FunctionTable(frames);
    this.#frames = frames;
    this.#functions = functions;
    this.#ofFrame = ofFrame;
    this.#names = uniqueNames(functions);
  }

  /** The function that calls those that stacks begin with: the last one. */
  get root(): number {
    return this.#functions.length;
  }

  /** The function that a frame is of. */
  ofFrame(frame: number): number {
    return this.#ofFrame[frame]!;
  }

  /** The line that a frame runs, or calls from; 0 where it is not known. */
  lineAt(frame: number): number {
    const at = this.#frames[frame]!;
    return at.kind === "js" ? soundPosition(at.line) : 0;
  }

  /** The line that a function begins at; 0 where it is not known. */
  lineOf(id: number): number {
    return this.#functions[id]?.line ?? 0;
  }

  /** The lines that say which function is meant: `prefix` is empty, or `c` for one that is called. */
  place(id: number, prefix: "" | "c"): string {
    const { object, file, name } = this.#placeOf(id);
    return `${prefix}ob=${this.#short("ob", object)}\n${prefix === "" ? "" : "c"}fl=${this.#short("fl", file)}\n${prefix}fn=${this.#short("fn", name)}\n`;
  }

  #placeOf(id: number): { readonly object: string; readonly file: string; readonly name: string } {
    const of = this.#functions[id];
    if (of === undefined) return { object: UNKNOWN, file: UNKNOWN, name: "(root)" };
    const file = of.frame.kind === "js" && of.file ? printable(of.file) : UNKNOWN;
    return { object: objectOf(of.frame), file, name: this.#names[id]! };
  }

  /** `(3) name` the first time, `(3)` from then on. */
  #short(kind: "ob" | "fl" | "fn", name: string): string {
    const written = this.#written[kind];
    const number = written.get(name);
    if (number !== undefined) return `(${number})`;
    written.set(name, written.size + 1);
    return `(${written.size}) ${name}`;
  }
}

function objectOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return "JavaScript";
    case "code":
      return "V8";
    case "native":
      return printable(frame.library);
    case "unknown":
      return UNKNOWN;
  }
}

/** A function is its name to readers: where functions of one file share one, their places are in it. */
function uniqueNames(functions: readonly ProfiledFunction[]): string[] {
  const users = new Map<string, number>();
  const keys = functions.map(({ title, file, kind }) => `${kind}\0${file}\0${title}`);
  for (const key of keys) users.set(key, (users.get(key) ?? 0) + 1);
  const names = functions.map(({ title, line, column }, i) =>
    users.get(keys[i]!) === 1 || line === undefined ? title : `${title}:${line}:${column}`,
  );
  return names.map((name, i) => (isCut(name) ? `${printable(name)} #${i}` : printable(name)));
}

/** Whether a name can be shown as another one is. */
function isCut(name: string): boolean {
  return cutName(name) !== name;
}
