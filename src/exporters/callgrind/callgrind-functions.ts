import type { Frame } from "../../profile/frame.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { cutName } from "../../views/shown-text.js";

/** Callgrind's name for anything unknown. */
const UNKNOWN = "???";

/** The functions of a profile with the object, file and name that identify them in the format. */
export class CallgrindFunctions {
  readonly #functions: readonly ProfiledFunction[];
  readonly #frames: readonly Frame[];
  readonly #ofFrame: Int32Array;
  readonly #names: readonly string[];
  /** Names already written in full, by kind; from then on their number stands for them. */
  readonly #written = {
    ob: new Map<string, number>(),
    fl: new Map<string, number>(),
    fn: new Map<string, number>(),
  };

  constructor(frames: readonly Frame[]) {
    const { functions, ofFrame } = new FunctionTable(frames, { isApart: true });
    this.#frames = frames;
    this.#functions = functions;
    this.#ofFrame = ofFrame;
    this.#names = uniqueNames(functions);
  }

  /** The id of the root, which calls the outermost functions: the last one. */
  get root(): number {
    return this.#functions.length;
  }

  /** Returns the function of a frame. */
  ofFrame(frame: number): number {
    return this.#ofFrame[frame]!;
  }

  /** Returns the line that a frame runs or calls from; 0 if unknown. */
  lineAt(frame: number): number {
    const at = this.#frames[frame]!;
    return at.kind === "js" ? soundPosition(at.line) : 0;
  }

  /** Returns the line that a function begins at; 0 if unknown. */
  lineOf(id: number): number {
    return this.#functions[id]?.line ?? 0;
  }

  /** Returns the lines that identify a function; `prefix` is `c` for a callee, else empty. */
  nameLines(id: number, prefix: "" | "c"): string {
    const { object, file, name } = this.#namesOf(id);
    return `${prefix}ob=${this.#short("ob", object)}\n${prefix === "" ? "" : "c"}fl=${this.#short("fl", file)}\n${prefix}fn=${this.#short("fn", name)}\n`;
  }

  #namesOf(id: number): { readonly object: string; readonly file: string; readonly name: string } {
    const of = this.#functions[id];
    if (of === undefined) return { object: UNKNOWN, file: UNKNOWN, name: "(root)" };
    const file = of.frame.kind === "js" && of.file ? printable(of.file) : UNKNOWN;
    return { object: objectOf(of.frame), file, name: this.#names[id]! };
  }

  /** Returns `(3) name` the first time and `(3)` from then on. */
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

/** Viewers identify functions by name, so functions of one file that share a name get their positions. */
function uniqueNames(functions: readonly ProfiledFunction[]): string[] {
  const users = new Map<string, number>();
  const keys = functions.map(({ title, file, kind }) => `${kind}\0${file}\0${title}`);
  for (const key of keys) users.set(key, (users.get(key) ?? 0) + 1);
  const names = functions.map(({ title, line, column }, i) =>
    users.get(keys[i]!) === 1 || line === undefined ? title : `${title}:${line}:${column}`,
  );
  return names.map((name, i) => (isCut(name) ? `${printable(name)} #${i}` : printable(name)));
}

/** Returns whether a name is cut, so that it may look like another one. */
function isCut(name: string): boolean {
  return cutName(name) !== name;
}
