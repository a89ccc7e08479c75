import type { Frame } from "../../profile/frame.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";

/** Callgrind's name for anything unknown. */
const UNKNOWN = "???";
const ROOT_NAME = "(root)";

/** The functions of a profile with the object, file and name that identify them in the format. */
export class CallgrindFunctions {
  readonly #functions: readonly ProfiledFunction[];
  readonly #frames: readonly Frame[];
  readonly #ofFrame: Int32Array;
  readonly #places: readonly Place[];
  readonly #names: readonly string[];
  /** Objects and files already written in full; from then on their number stands for them. */
  readonly #written = { ob: new Map<string, number>(), fl: new Map<string, number>() };
  /** By function: whether it was written in full. KCachegrind takes the number of a name for the function. */
  readonly #isWritten: Uint8Array;

  constructor(frames: readonly Frame[]) {
    const { functions, ofFrame } = new FunctionTable(frames);
    this.#frames = frames;
    this.#functions = functions;
    this.#ofFrame = ofFrame;
    const places = functions.map(placeOf);
    this.#places = [...places, { object: UNKNOWN, file: UNKNOWN }];
    this.#names = uniqueNames(
      [...functions.map(namesOf), { title: ROOT_NAME, located: ROOT_NAME }],
      this.#places,
    );
    this.#isWritten = new Uint8Array(this.#names.length);
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
    const { object, file } = this.#places[id]!;
    const name = this.#isWritten[id] === 1 ? `(${id + 1})` : `(${id + 1}) ${this.#names[id]}`;
    this.#isWritten[id] = 1;
    return `${prefix}ob=${this.#short("ob", object)}\n${prefix === "" ? "" : "c"}fl=${this.#short("fl", file)}\n${prefix}fn=${name}\n`;
  }

  /** Returns `(3) name` the first time and `(3)` from then on. */
  #short(kind: "ob" | "fl", name: string): string {
    const written = this.#written[kind];
    const number = written.get(name);
    if (number !== undefined) return `(${number})`;
    written.set(name, written.size + 1);
    return `(${written.size}) ${name}`;
  }
}

/** Where a function is. */
interface Place {
  readonly object: string;
  readonly file: string;
}

function placeOf({ frame, file }: ProfiledFunction): Place {
  const script = frame.kind === "js" && file ? readable(file) : UNKNOWN;
  return { object: objectOf(frame), file: script };
}

function objectOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return "JavaScript";
    case "code":
      return "V8";
    case "native":
      return readable(frame.library);
    case "unknown":
      return UNKNOWN;
  }
}

/** The names that a function may get: if others have the first, the second. */
interface Names {
  readonly title: string;
  readonly located: string;
}

function namesOf({ frame, title, line, column }: ProfiledFunction): Names {
  if (frame.kind === "native") return { title, located: `${title} [${baseName(frame.library)}]` };
  return { title, located: line === undefined ? title : `${title}:${line}:${column ?? 0}` };
}

/** Returns a name as viewers read it: they skip spaces before it, and an empty one would be a reference. */
function readable(name: string): string {
  return printable(name).trimStart() || UNKNOWN;
}

/**
 * Returns a name for each function that no other function has for a viewer. KCachegrind knows a function by its
 * name and the base names of its file and its object, joined; callgrind_annotate by its file and its name.
 *
 * Source: KCachegrind, libcore/tracedata.cpp, `TraceData::function`; Valgrind, callgrind_annotate.
 */
function uniqueNames(functions: readonly Names[], places: readonly Place[]): string[] {
  const keysOf = (name: string, id: number) => {
    const { object, file } = places[id]!;
    return [`k${name}${baseName(file)}${baseName(object)}`, `a${file}:${name}`];
  };
  const users = new Map<string, number>();
  for (const [id, { title }] of functions.entries()) {
    for (const key of keysOf(readable(title), id)) users.set(key, (users.get(key) ?? 0) + 1);
  }
  const names = functions.map(({ title, located }, id) => {
    const name = readable(title);
    return keysOf(name, id).every((key) => users.get(key) === 1) ? name : readable(located);
  });
  const taken = new Set(names.flatMap(keysOf));
  const seen = new Set<string>();
  /** By name: the number that its next copy may get. */
  const copies = new Map<string, number>();
  return names.map((name, id) => {
    let unique = name;
    if (keysOf(name, id).some((key) => seen.has(key))) {
      let copy = copies.get(name) ?? 2;
      do unique = `${name} #${copy++}`;
      while (keysOf(unique, id).some((key) => taken.has(key)));
      copies.set(name, copy);
    }
    for (const key of keysOf(unique, id)) {
      seen.add(key);
      taken.add(key);
    }
    return unique;
  });
}

/** Returns what is behind the last slash; for anything unknown nothing, as in KCachegrind. */
function baseName(path: string): string {
  return path === UNKNOWN ? "" : path.slice(path.lastIndexOf("/") + 1);
}
