import { PairNumbers } from "../base/pair-numbers.js";
import type { Ticks } from "../base/units.js";
import { FunctionTable, type ProfiledFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import { validPosition } from "../profile/clamped-numbers.js";
import type { Frame } from "../profile/frame.js";
import { inWholeUnits } from "../profile/merge.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/sample-table.js";

/** Callgrind's name for anything unknown. */
const UNKNOWN = "???";
const ROOT_NAME = "(root)";

/** The functions of a profile with the object, file and name that identify them in the format. */
class CallgrindFunctions {
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
    return at.kind === "js" ? validPosition(at.line) : 0;
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

/** Calls from a line of a function to another function. */
interface Call {
  readonly line: number;
  readonly callee: number;
  /**
   * Including all that the callee calls. A stack in which the caller calls the callee several times, from
   * whatever lines, counts once, for the outermost of these calls.
   */
  ticks: Ticks;
  /** Whether it is the outermost one in any stack. */
  isCounted: boolean;
}

/** The calls between functions. */
class KnownCalls {
  readonly all: Call[] = [];
  readonly #functions: CallgrindFunctions;
  readonly #byCaller: Call[][] = [];
  readonly #numbers = new PairNumbers();
  /** Caller and callee, whatever the line. */
  readonly #pairs = new PairNumbers();

  constructor(functions: CallgrindFunctions) {
    this.#functions = functions;
  }

  /** The number of pairs of a caller and a callee. */
  get pairs(): number {
    return this.#pairs.length;
  }

  /** Returns the number of a frame's call of another; `caller` is -1 for the root. */
  numberOf(caller: number, callee: number): number {
    const functions = this.#functions;
    const from = caller < 0 ? functions.root : functions.ofFrame(caller);
    const line = caller < 0 ? 0 : functions.lineAt(caller);
    const to = functions.ofFrame(callee);
    const number = this.#numbers.of(this.#pairs.of(from, to), line);
    if (number === this.all.length) {
      const call = { line, callee: to, ticks: 0, isCounted: false };
      this.all.push(call);
      const calls = this.#byCaller[from] ?? [];
      this.#byCaller[from] = calls;
      calls.push(call);
    }
    return number;
  }

  /** Returns the number of the caller and the callee of a call. */
  pairOf(number: number): number {
    return this.#numbers.firstOf(number);
  }

  counted(): Call[][] {
    return this.#byCaller.map((calls) => calls.filter(({ isCounted }) => isCounted));
  }
}

/** Counts the calls of a profile, and returns the self ticks of its frames and all ticks, with those that have no frame. */
function countCalls({ frames, tree, samples }: Profile, known: KnownCalls) {
  const { length, parent, frame } = tree;
  const ticks = stackTicks(tree, samples);
  const self = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (node !== ROOT) self[frame[node]!]! += samples.ticks[i]!;
  }
  const callAt = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    callAt[node] = known.numberOf(caller === ROOT ? -1 : frame[caller]!, frame[node]!);
  }
  const groups = { count: known.pairs, of: (node: number) => known.pairOf(callAt[node]!) };
  visitOutermost(depthFirst(tree), groups, (node) => {
    const call = known.all[callAt[node]!]!;
    call.ticks += ticks[node]!;
    call.isCounted = true;
  });
  return { self, total: ticks[ROOT]! };
}

/**
 * Writes a profile in callgrind's format. The one event is `Ticks`, or `Microseconds` where samples weigh their time, `Bytes` or `Objects` where they weigh memory. Lines are those that ran, 0 if unknown. A
 * sampler does not count calls, so the count of a call is its ticks. Inlined functions are ordinary
 * functions; `(root)` calls the outermost ones.
 *
 * Source: Valgrind, "Callgrind Format Specification".
 */
export function* callgrind(given: Profile): Iterable<string> {
  const profile = inWholeUnits(given);
  const [unit, noun, event] = unitOf(given);
  const { info, frames } = profile;
  const functions = new CallgrindFunctions(frames);
  const known = new KnownCalls(functions);
  const { self: own, total } = countCalls(profile, known);
  const calls = known.counted();
  const self = selfByLine(own, functions);
  yield "# callgrind format\nversion: 1\ncreator: ticks\n";
  yield `cmd: ${printable(info.title)}\n`;
  yield `desc: Unit: ${unit}\ndesc: Call counts: ${noun}, as a sampler does not count calls\n`;
  yield `positions: line\nevents: ${event}\nsummary: ${total}\n`;
  for (let id = 0; id <= functions.root; id++) {
    if (self[id] === undefined && calls[id] === undefined) continue;
    yield `\n${functions.nameLines(id, "")}`;
    for (const [line, own] of ascending(self[id])) yield `${line} ${own}\n`;
    for (const { line, callee, ticks: all } of calls[id] ?? []) {
      yield `${functions.nameLines(callee, "c")}calls=${all} ${functions.lineOf(callee)}\n${line} ${all}\n`;
    }
  }
  yield `\ntotals: ${total}\n`;
}

/** Returns what a profile counts: its unit, the noun of calls, and the name of the event. */
function unitOf({ info: { tickTime, memory } }: Profile): readonly [string, string, string] {
  if (memory?.of === "bytes") return ["bytes of samples", "bytes", "Bytes"];
  if (memory !== undefined) return ["objects of samples", "objects", "Objects"];
  return tickTime === undefined
    ? ["ticks of the sampler", "ticks", "Ticks"]
    : ["microseconds of samples", "microseconds", "Microseconds"];
}

/** Returns the self ticks of each function by line; `own` are those of each frame. */
function selfByLine(own: Float64Array, functions: CallgrindFunctions): Map<number, Ticks>[] {
  const self: Map<number, Ticks>[] = [];
  for (const [frame, ticks] of own.entries()) {
    if (ticks === 0) continue;
    const id = functions.ofFrame(frame);
    const lines = self[id] ?? new Map<number, Ticks>();
    self[id] = lines;
    const line = functions.lineAt(frame);
    lines.set(line, (lines.get(line) ?? 0) + ticks);
  }
  return self;
}

function ascending(lines: Map<number, Ticks> = new Map()): (readonly [number, Ticks])[] {
  return Array.from(lines).sort(([a], [b]) => a - b);
}
