import { type LoggedFunction, PositionTable } from "../recorder/logged-functions.js";
import type { FunctionSources } from "./function-sources.js";

/** Loops with more positions are not looked at: they are rarely on one line, unless their function is. */
const LOOP_POSITIONS = 1024;

/** What the positions of functions' bytecode say of their lines. */
export class FunctionLines {
  readonly #sources: FunctionSources;
  readonly #onlyLines = new Map<LoggedFunction, number>();
  readonly #offsets = new Map<LoggedFunction, Int32Array>();
  readonly #loops = new Map<LoggedFunction, Map<number, boolean>>();

  constructor(sources: FunctionSources) {
    this.#sources = sources;
  }

  /** Returns the line that all bytecode of a function is on; 0 if there are several. */
  onlyLine(logged: LoggedFunction): number {
    let line = this.#onlyLines.get(logged);
    if (line === undefined) {
      const source = this.#sources.of(logged);
      const offsets = this.#offsetsOf(logged);
      const ends = [logged.start, logged.end];
      const lines = new Set(Array.from(offsets.length > 0 ? offsets : ends, (offset) => source.line(offset)));
      line = lines.size === 1 ? Array.from(lines)[0]! : 0;
      this.#onlyLines.set(logged, line);
    }
    return line;
  }

  /** Returns whether the loop that begins at an offset of a function's script is known to be on one line. */
  isOneLineLoop(logged: LoggedFunction, head: number): boolean {
    if (this.onlyLine(logged) > 0) return true;
    let loops = this.#loops.get(logged);
    if (loops === undefined) {
      loops = new Map();
      this.#loops.set(logged, loops);
    }
    let isOneLine = loops.get(head);
    if (isOneLine === undefined) {
      isOneLine = this.#isOneLine(logged, head);
      loops.set(head, isOneLine);
    }
    return isOneLine;
  }

  #isOneLine(logged: LoggedFunction, head: number): boolean {
    const { line } = this.#sources.of(logged);
    const offsets = this.#offsetsOf(logged);
    // The bytecode of a loop ends with a jump, which has the position of the loop's head.
    const end = offsets.lastIndexOf(head);
    if (end <= 0 || end > LOOP_POSITIONS) return false;
    const first = line(head);
    return offsets.subarray(0, end).every((offset) => offset < head || line(offset) === first);
  }

  #offsetsOf(logged: LoggedFunction): Int32Array {
    let offsets = this.#offsets.get(logged);
    if (offsets === undefined) {
      offsets = new PositionTable(logged.bytecodePositions).offsets();
      this.#offsets.set(logged, offsets);
    }
    return offsets;
  }
}

/** The functions whose name and position contain a text, ignoring case. */
export interface NamedFunctions {
  readonly named: string;
}

/** Which frames have lines: all, none, all but those of Node's own scripts, or only those of some functions. */
export type LinesOf = boolean | "program" | NamedFunctions;

/** The functions whose frames have lines. */
export class LinedFunctions {
  readonly #sources: FunctionSources;
  readonly #linesOf: LinesOf;
  /** By function: whether it has the name that is asked for. */
  readonly #named = new Map<LoggedFunction, boolean>();

  constructor(sources: FunctionSources, linesOf: LinesOf) {
    this.#sources = sources;
    this.#linesOf = linesOf;
  }

  /** Returns whether the frames of a function have lines; undefined stands for one that the log does not name. */
  has(logged: LoggedFunction | undefined): boolean {
    if (typeof this.#linesOf === "boolean") return this.#linesOf;
    if (this.#linesOf === "program") return logged === undefined || !this.#sources.isOfNode(logged);
    return logged !== undefined && this.#isNamed(logged, this.#linesOf);
  }

  #isNamed(logged: LoggedFunction, { named }: NamedFunctions): boolean {
    let isNamed = this.#named.get(logged);
    if (isNamed === undefined) {
      const names = [this.#sources.nameOf(logged), this.#sources.roleOf(logged) ?? ""];
      isNamed = names.some((name) => name.toLowerCase().includes(named.toLowerCase()));
      this.#named.set(logged, isNamed);
    }
    return isNamed;
  }
}
