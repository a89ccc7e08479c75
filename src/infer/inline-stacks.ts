import { INLINING_DEPTH } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { type JsFrame, OPTIMIZED_TIERS } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import {
  type CodeSource,
  InlinedCalls,
  type LoggedFunction,
  PositionTable,
  type SourcePosition,
  tableOf,
} from "../replay/logged-functions.js";
import {
  type Code,
  type CodePosition,
  type HiddenFrame,
  type OffsetFrame,
  type ReplayedFrame,
  wholeFrame,
} from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import type { Scripts } from "../replay/scripts.js";
import type { FunctionSources } from "./function-sources.js";
import { PeeledLoops } from "./peeled-loops.js";

/**
 * A call and what passes its arguments take at most this many bytes. The last position of optimized code
 * applies to a call that returns so far behind it. Further behind, the address is an exit, to which V8 makes a
 * call return when it deoptimizes the caller, or the code of a rare case that V8 placed at the end: neither has
 * positions.
 *
 * Source: V8, src/deoptimizer/deoptimizer.cc, `ActivationsFinder`; src/compiler/backend/code-generator.cc,
 * `CodeGenerator::AssembleCode`. In logs of Node 16 to 26, of 350,000 callers two were 1 to 26 bytes behind.
 */
const LONGEST_CALL = 16;

/** A call, or that it is not sure which of several it is. */
type Call = CodePosition | "unsure";

/**
 * Returns the calls that return to the exits of deoptimized code, by code and offset.
 *
 * V8 logs a row when a call has returned to an exit, with the call's position but not the exit. Of several
 * callers in one code, the innermost is left first, and deoptimized code is not entered again. So if callers
 * were in only one exit of the code between two of its rows, the later row is about that exit. That V8 may log
 * ticks late does no harm: in a late tick, both the caller that was left and the next one are on the stack.
 *
 * Source: V8, src/deoptimizer/deoptimizer.cc, `Deoptimizer::Deoptimizer`.
 */
function findExitCalls(
  frames: readonly ReplayedFrame[],
  isExit: (frame: OffsetFrame) => boolean,
): Map<Code, Map<number, Call>> {
  /** By code, then by row: the exit that callers were in before it; NaN for several. */
  const exits = new Map<Code, Map<number, number>>();
  for (const frame of frames) {
    if (frame.kind !== "offset" || frame.code.lazyDeopts === undefined || !isExit(frame)) continue;
    const rows = valueAt(exits, frame.code, () => new Map());
    rows.set(frame.deopts, rows.has(frame.deopts) ? Number.NaN : frame.offset);
  }
  const calls = new Map<Code, Map<number, Call>>();
  for (const [code, rows] of exits) {
    const found = valueAt(calls, code, () => new Map());
    for (const [row, offset] of rows) {
      const call = code.lazyDeopts?.[row];
      if (call === undefined || Number.isNaN(offset)) continue;
      const known = found.get(offset);
      found.set(offset, known === undefined || areEqual(known, call) ? call : "unsure");
    }
  }
  return calls;
}

function areEqual(first: Call, second: CodePosition): boolean {
  return first !== "unsure" && first.offset === second.offset && first.inlining === second.inlining;
}

function isOptimizedCall({ code, isReturn }: OffsetFrame): boolean {
  return isReturn && OPTIMIZED_TIERS.has(code.tier);
}

/** Returns whether a frame is at a call that returns to an exit. `table` has the positions of its code. */
function isExit(frame: OffsetFrame, table: PositionTable): boolean {
  return isOptimizedCall(frame) && table.length > 0 && table.behindLast(frame.offset) >= LONGEST_CALL;
}

/** A function that runs at a position, and where in it. */
interface Running extends SourcePosition {
  /** An index into the functions of the code's row; -1 for the code's own function. */
  readonly function: number;
  /** The inlined call that is made there; -1 for none. */
  readonly callee: number;
}

/** Returns the functions that run at a position, outermost first. */
function unfold(position: SourcePosition, calls: InlinedCalls): Running[] {
  const running: Running[] = [];
  let at = position;
  let callee = -1;
  // A call inside itself would never end. V8 logs none.
  for (let depth = 0; at.inlining >= 0 && depth < Math.min(calls.length, INLINING_DEPTH); depth++) {
    if (at.inlining >= calls.length) break;
    running.push({ ...at, function: calls.functionOf(at.inlining), callee });
    callee = at.inlining;
    at = calls.position(at.inlining);
  }
  running.push({ offset: at.offset, inlining: -1, function: -1, callee });
  return running.reverse();
}

/** Returns a function of a piece of code's row; its own for -1. */
function calleeAt({ function: own, source }: Code, number: number): LoggedFunction | undefined {
  return number < 0 ? own : source?.functions[number];
}

/** The name of an inlined function that the log does not name. */
const UNKNOWN_FUNCTION = "<unknown function>";

/** Most code has no inlined calls. */
const NO_CALLS = new InlinedCalls("");

interface DecodedSource {
  /** That of the source. */
  readonly number: number;
  readonly table: PositionTable;
  readonly calls: InlinedCalls;
  /** The frame of its function without a line; undefined until there is one. */
  outer: JsFrame | undefined;
  /** The frames of inlined functions by function and line, which many stacks share; undefined until there is one. */
  inlined: Map<string, JsFrame> | undefined;
  /** Undefined until needed, and for code other than Maglev's. */
  loops: PeeledLoops | undefined;
}

/** Which frames have columns: all with a line, those in long lines of the log's own scripts, or none. */
export type ColumnsOf = boolean | "long-lines";

/** What {@link InlineStacks} knows, and which frames have what. */
export interface InlineStacksOptions {
  readonly replayed: Pick<ReplayedLog, "frames" | "scripts">;
  readonly sources: FunctionSources;
  /** Whether to infer lines that the log does not state, and to leave out those of loops that it misstates. */
  readonly inferred: boolean;
  /** Which frames have lines. */
  readonly lines: LinesOf;
  /** Which frames with lines have columns too. */
  readonly columns: ColumnsOf;
  /** Whether the top-level code of each module is a frame at `file:1:1`. Only with `lines`. */
  readonly modules: boolean;
}

/** The line of a frame, as in {@link JsFrame}. */
type FrameLine = Pick<JsFrame, "line" | "column" | "loop" | "inferredLine">;

const NO_LINE: FrameLine = { line: 0 };

/** Expands offsets in code into the functions that really run there, with their lines. */
export class InlineStacks {
  readonly #sources: FunctionSources;
  /** All frames of the log. */
  readonly #replayed: readonly ReplayedFrame[];
  /** Undefined until it is needed. */
  #exitCalls: ReturnType<typeof findExitCalls> | undefined;
  readonly #decoded = new Map<CodeSource, DecodedSource>();
  /**
   * Numbers the places of all code: its source, and the number of the position in the table, -1 before the first; without
   * lines the inlined call of the position.
   */
  readonly #places = new PairNumbers();
  /** By place: its frames, which many offsets share. */
  readonly #chains: (readonly JsFrame[])[] = [];
  /** Numbers the lines of all code that runs there without inlined functions: its source, and the line. */
  readonly #ownLines = new PairNumbers();
  /** By line: its only frame, which many places share. */
  readonly #ownFrames: (readonly JsFrame[])[] = [];
  readonly #lines: FunctionLines;
  readonly #infers: boolean;
  readonly #linesOf: LinesOf;
  /** By function: whether it has the name that is asked for. */
  readonly #named = new Map<LoggedFunction, boolean>();
  readonly #columns: ColumnsOf;
  readonly #hasModules: boolean;
  readonly #scripts: Scripts;
  /** By logged name: where its script begins, if that is not where it seems to be. */
  readonly #scriptStarts = new Map<string, number | undefined>();

  constructor({ replayed, sources, inferred, lines, columns, modules }: InlineStacksOptions) {
    this.#sources = sources;
    this.#lines = new FunctionLines(sources);
    this.#infers = inferred;
    this.#linesOf = lines;
    this.#columns = columns;
    this.#hasModules = modules && lines === true;
    this.#scripts = replayed.scripts;
    this.#replayed = replayed.frames;
  }

  /**
   * Returns a frame with its `scriptAt`, if the log has the text of its script and the name alone would be split elsewhere:
   * names of functions and of scripts can both contain spaces.
   */
  located(frame: JsFrame): JsFrame {
    if (frame.lacksColumn || this.#scripts.isEmpty) return frame;
    const { name } = frame;
    const scriptAt = valueAt(this.#scriptStarts, name, () => scriptStart(name, this.#scripts));
    return scriptAt === undefined ? frame : { ...frame, scriptAt };
  }

  /** Returns whether the frames of a function have lines; undefined stands for one that the log does not name. */
  hasLines(logged: LoggedFunction | undefined): boolean {
    const lines = this.#linesOf;
    if (typeof lines === "boolean") return lines;
    if (lines === "program") return logged === undefined || !this.#sources.isOfNode(logged);
    if (logged === undefined) return false;
    return valueAt(this.#named, logged, () => {
      const names = [this.#sources.nameOf(logged), this.#sources.roleOf(logged) ?? ""];
      return names.some((name) => name.toLowerCase().includes(lines.named.toLowerCase()));
    });
  }

  /**
   * Returns whether the position of a caller is lost: its call returns behind the last position of its
   * optimized code, and no row states where it was.
   */
  isLost(frame: OffsetFrame): boolean {
    return this.#isExit(frame) && this.#callOfExit(frame) === undefined;
  }

  /** Returns the frame of a function's code as a whole, with the name of its source. */
  whole(code: Code): JsFrame {
    return this.located(this.#whole(code));
  }

  #whole(code: Code): JsFrame {
    const { tier = "", function: logged, source } = code;
    const frame = wholeFrame(code, tier);
    const hasSource = logged !== undefined && source !== undefined;
    const named = hasSource ? { ...frame, name: this.#nameOf(logged), ...this.#roleOf(logged) } : frame;
    return this.#hasModules ? this.#sources.modules.named(named, logged) : named;
  }

  /**
   * Returns the frames at an offset: the function of the code first, then what is inlined, innermost last. If
   * the position is lost, the function of the code is alone, and has a line only if all of it is on one. `inferred` is the line if the
   * code has no positions and only one line is possible. Offsets at one position share the list.
   */
  frames(frame: OffsetFrame, inferred?: number): readonly JsFrame[] {
    const { code, offset } = frame;
    const { function: logged, source } = code;
    if (logged === undefined || source === undefined) return [this.whole(code)];
    const decoded = this.#decode(source);
    const { table } = decoded;
    if (table.length === 0) {
      const outer = this.#whole(code);
      if (!this.hasLines(logged)) return [this.located(outer)];
      const line = this.#lines.onlyLine(logged);
      const isInferred = line === 0 && inferred !== undefined;
      const whole: JsFrame = isInferred
        ? { ...outer, line: inferred, inferredLine: true }
        : { ...outer, line };
      const offset = this.#hasModules ? this.#sources.offsetOf(logged, whole.line) : -1;
      return this.#withModule(whole, logged, offset);
    }
    if (isExit(frame, table)) {
      const call = this.#callOfExit(frame);
      if (call !== undefined) return this.#framesAt(call, code, logged, decoded);
      const line = this.hasLines(logged) ? this.#lines.onlyLine(logged) : 0;
      return [this.located({ ...this.#whole(code), line })];
    }
    const index = table.indexAt(offset);
    const place = this.#linesOf !== false || index < 0 ? index : table.position(index).inlining;
    const number = this.#places.of(decoded.number, place);
    let chain = this.#chains[number];
    if (chain === undefined) {
      // Code before the first entry sets up the frame of its function.
      const position = index < 0 ? { offset: logged.start, inlining: -1 } : table.position(index);
      chain = this.#framesAt(position, code, logged, decoded);
      this.#chains[number] = chain;
    }
    return chain;
  }

  #framesAt(
    position: SourcePosition,
    code: Code,
    logged: LoggedFunction,
    decoded: DecodedSource,
  ): readonly JsFrame[] {
    const { calls } = decoded;
    decoded.outer ??= this.#whole(code);
    const { outer } = decoded;
    const [first, ...inner] = unfold(position, calls);
    const own = this.#lineOf(first!, code, decoded);
    if (inner.length === 0 && isPlain(own) && !this.#hasModules) return this.#ownFrame(decoded, outer, own);
    const frames = this.#withModule({ ...outer, ...own }, logged, first!.offset);
    for (const running of inner) {
      const { function: number } = running;
      const line = this.#lineOf(running, code, decoded);
      const key = `${number},${line.line}:${line.column ?? ""},${line.loop ?? ""},${line.inferredLine ?? ""}`;
      decoded.inlined ??= new Map();
      const inside = valueAt(decoded.inlined, key, () =>
        this.located(this.#inlined(outer, calleeAt(code, number), line)),
      );
      frames.push(inside);
    }
    return frames;
  }

  /** Returns the frame of a function at a line of its own, the same for the same line. */
  #ownFrame({ number }: DecodedSource, outer: JsFrame, own: FrameLine): readonly JsFrame[] {
    const line = this.#ownLines.of(number, own.line);
    this.#ownFrames[line] ??= [this.located({ ...outer, ...own })];
    return this.#ownFrames[line];
  }

  /** Completes a frame, and adds one of the module whose top-level code it runs at an offset of its script. */
  #withModule(frame: JsFrame, logged: LoggedFunction, offset: number): JsFrame[] {
    const module = this.#hasModules ? this.#sources.modules.inside(logged, offset) : undefined;
    const outer = this.located(frame);
    if (module === undefined) return [outer];
    return [outer, this.located({ ...frame, name: module, line: 0, inlined: true })];
  }

  #lineOf(running: Running, code: Code, decoded: DecodedSource): FrameLine {
    const line = this.#wholeLineOf(running, code, decoded);
    const logged = this.#columns !== false && line.line > 0 ? calleeAt(code, running.function) : undefined;
    if (logged === undefined || line.inferredLine) return line;
    const source = this.#sources.of(logged);
    if (this.#columns === "long-lines" && !source.isLongLine(running.offset)) return line;
    const column = source.column(running.offset);
    return column > 0 ? { ...line, column } : line;
  }

  #wholeLineOf(running: Running, code: Code, decoded: DecodedSource): FrameLine {
    const logged = calleeAt(code, running.function);
    if (!this.hasLines(logged)) return NO_LINE;
    const line = (logged && this.#sources.of(logged))?.line(running.offset) ?? 0;
    if (!this.#infers || code.tier !== "+" || logged === undefined) return { line };
    if (!this.#sources.isLoop(logged, running.offset)) return { line };
    decoded.loops ??= this.#peeledLoops(code, decoded);
    if (!decoded.loops.isCopy(running)) return { line };
    const known = running.callee >= 0 ? decoded.loops.lineOfCall(running.callee) : 0;
    if (known > 0) return { line: known, inferredLine: true };
    return line === 0 || this.#lines.isOneLineLoop(logged, running.offset)
      ? { line }
      : { line: 0, loop: line };
  }

  #peeledLoops(code: Code, { table, calls }: DecodedSource): PeeledLoops {
    const functionAt = (inlining: number) =>
      calleeAt(code, inlining < 0 || inlining >= calls.length ? -1 : calls.functionOf(inlining));
    return new PeeledLoops(table, calls, {
      isLoop: ({ offset, inlining }) => {
        const logged = functionAt(inlining);
        return logged !== undefined && this.#sources.isLoop(logged, offset);
      },
      line: ({ offset, inlining }) => {
        const logged = functionAt(inlining);
        return logged === undefined ? 0 : this.#sources.of(logged).line(offset);
      },
    });
  }

  /**
   * Returns the frames of a function that the sampler skipped, and of functions inlined in it. They have lines only where all of
   * the function is on one; the innermost, also if it is known where in its script it was.
   */
  hidden({ code, inlined, at, offset }: HiddenFrame): readonly JsFrame[] {
    if (at !== undefined)
      return this.frames(at).map(({ column: _, loop: __, inferredLine: ___, ...frame }) => ({
        ...frame,
        line: 0,
        inferred: true,
      }));
    const running = [code.function, ...inlined];
    const outer = this.#whole(code);
    return running.map((logged, depth) => {
      const frame = depth === 0 ? outer : this.#inlined(outer, logged, NO_LINE);
      const place = depth === inlined.length ? offset : undefined;
      return { ...this.located(frame), ...this.#inferredLine(logged, place), inferred: true };
    });
  }

  #inferredLine(logged: LoggedFunction | undefined, offset: number | undefined): FrameLine {
    if (logged === undefined || !this.hasLines(logged)) return NO_LINE;
    const line = this.#lines.onlyLine(logged);
    const found = line === 0 && offset !== undefined ? this.#sources.of(logged).line(offset) : 0;
    return found > 0 ? { line: found, inferredLine: true } : { line };
  }

  /**
   * Returns the functions that are inlined in code, each with those that it is inlined into before it, outermost first;
   * undefined stands for one that the log does not name.
   */
  inlinedIn(code: Code): readonly (readonly (LoggedFunction | undefined)[])[] {
    if (code.source === undefined) return [];
    const { calls } = this.#decode(code.source);
    return Array.from({ length: calls.length }, (_, inlining) =>
      unfold({ offset: -1, inlining }, calls)
        .slice(1)
        .map((running) => calleeAt(code, running.function)),
    );
  }

  /**
   * Returns the function that calls at an offset, which may be inlined, and where in its script; undefined if the
   * log does not say.
   */
  callAt(frame: OffsetFrame): { readonly function: LoggedFunction; readonly offset: number } | undefined {
    const { code, offset } = frame;
    const { function: logged, source } = code;
    if (logged === undefined || source === undefined || this.#isExit(frame)) return undefined;
    const { table, calls } = this.#decode(source);
    const index = table.indexAt(offset);
    const last = index < 0 ? undefined : unfold(table.position(index), calls).at(-1);
    if (last === undefined) return undefined;
    const caller = calleeAt(code, last.function);
    return caller && { function: caller, offset: last.offset };
  }

  /**
   * Returns the call that returns to an exit; undefined if it is not sure. It never is in Maglev's code, whose
   * rows have the head of the loop for a call in its first round.
   */
  #callOfExit({ code, offset }: OffsetFrame): CodePosition | undefined {
    if (code.lazyDeopts === undefined || code.tier !== "*") return undefined;
    this.#exitCalls ??= findExitCalls(this.#replayed, (frame) => this.#isExit(frame));
    const call = this.#exitCalls.get(code)?.get(offset);
    return call === "unsure" ? undefined : call;
  }

  #isExit(frame: OffsetFrame): boolean {
    const { source } = frame.code;
    return source !== undefined && isOptimizedCall(frame) && isExit(frame, tableOf(source));
  }

  #inlined({ type, tier }: JsFrame, logged: LoggedFunction | undefined, line: FrameLine): JsFrame {
    // A script's top-level code can have functions inlined.
    const inlinedType = type === "Script" || type === "Eval" ? "JS" : type;
    const name = logged === undefined ? UNKNOWN_FUNCTION : this.#nameOf(logged);
    return { kind: "js", type: inlinedType, tier, name, ...this.#roleOf(logged), ...line, inlined: true };
  }

  #roleOf(logged: LoggedFunction | undefined): Pick<JsFrame, "role"> | undefined {
    const role = logged && this.#sources.roleOf(logged);
    return role === undefined ? undefined : { role };
  }

  /** Without lines, the text of the function's script is not needed. */
  #nameOf(logged: LoggedFunction): string {
    return this.hasLines(logged) ? this.#sources.of(logged).name : this.#sources.nameOf(logged);
  }

  #decode(source: CodeSource): DecodedSource {
    return valueAt(this.#decoded, source, () => ({
      number: source.number,
      table: tableOf(source),
      calls: source.inlinings === "" ? NO_CALLS : new InlinedCalls(source.inlinings),
      outer: undefined,
      inlined: undefined,
      loops: undefined,
    }));
  }
}

/** Returns where the script of a function begins in its logged name; undefined if it is where it seems to be. */
function scriptStart(logged: string, scripts: Scripts): number | undefined {
  const { name, file } = parseLoggedName(logged);
  if (file === undefined || scripts.idOf(file) >= 0) return undefined;
  const end = logged.lastIndexOf(":", logged.lastIndexOf(":") - 1);
  const start = scripts.startIn(logged.slice(0, end).replace(/<\d+>$/, ""));
  return start < 0 || start === name.length + 1 ? undefined : start;
}

/** Returns whether a line is stated by the log, or unknown, and has no column. */
function isPlain({ column, loop, inferredLine }: FrameLine): boolean {
  return column === undefined && loop === undefined && inferredLine === undefined;
}

/** Loops with more positions are not looked at: they are rarely on one line, unless their function is. */
const LOOP_POSITIONS = 1024;

/** What the positions of functions' bytecode say of their lines. */
class FunctionLines {
  readonly #sources: FunctionSources;
  readonly #onlyLines = new Map<LoggedFunction, number>();
  readonly #offsets = new Map<LoggedFunction, Int32Array>();
  readonly #loops = new Map<LoggedFunction, Map<number, boolean>>();

  constructor(sources: FunctionSources) {
    this.#sources = sources;
  }

  /** Returns the line that all bytecode of a function is on; 0 if there are several. */
  onlyLine(logged: LoggedFunction): number {
    return valueAt(this.#onlyLines, logged, () => {
      const source = this.#sources.of(logged);
      const offsets = this.#offsetsOf(logged);
      const ends = [logged.start, logged.end];
      const lines = new Set(Array.from(offsets.length > 0 ? offsets : ends, (offset) => source.line(offset)));
      return lines.size === 1 ? Array.from(lines)[0]! : 0;
    });
  }

  /** Returns whether the loop that begins at an offset of a function's script is known to be on one line. */
  isOneLineLoop(logged: LoggedFunction, head: number): boolean {
    if (this.onlyLine(logged) > 0) return true;
    const loops = valueAt(this.#loops, logged, () => new Map());
    return valueAt(loops, head, () => this.#isOneLine(logged, head));
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
    return valueAt(this.#offsets, logged, () => new PositionTable(logged.bytecodePositions).offsets());
  }
}

/** The functions whose name and position contain a text, ignoring case. */
export interface NamedFunctions {
  readonly named: string;
}

/** Which frames have lines: all, none, all but those of Node's own scripts, or only those of some functions. */
export type LinesOf = boolean | "program" | NamedFunctions;
