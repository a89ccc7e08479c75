import { INLINING_DEPTH } from "../limits.js";
import type { JsFrame } from "../profile/frame.js";
import type { CodeSource, LoggedFunction } from "../recorder/logged-functions.js";
import { type Code, type OffsetFrame, type RecordedFrame, wholeFrame } from "../recorder/recorded-frame.js";
import { DeoptExits } from "./deopt-exits.js";
import type { FunctionSources } from "./function-sources.js";
import { InlinedCalls, PositionTable, type SourcePosition } from "./source-positions.js";

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
/** Tiers whose code ends in exits. */
const OPTIMIZED: ReadonlySet<string | undefined> = new Set(["-", "+", "*"]);

/** The name of an inlined function that the log does not name. */
const UNKNOWN_FUNCTION = "<unknown function>";

interface DecodedSource {
  readonly table: PositionTable;
  readonly calls: InlinedCalls;
  /** The frames of inlined functions by function and line; many stacks share them. */
  readonly inlined: Map<string, JsFrame>;
}

/** Expands offsets in code into the functions that really run there, with their lines. */
export class InlineStacks {
  readonly #sources: FunctionSources;
  readonly #exits: DeoptExits;
  readonly #decoded = new Map<CodeSource, DecodedSource>();
  readonly #onlyLines = new Map<LoggedFunction, number>();

  /** `recorded` are all frames of the log. */
  constructor(sources: FunctionSources, recorded: readonly RecordedFrame[]) {
    this.#sources = sources;
    this.#exits = new DeoptExits(recorded, (frame) => this.#isExit(frame));
  }

  /**
   * Returns whether the position of a caller is lost: its call returns behind the last position of its
   * optimized code, and no row states where it was.
   */
  isLost(frame: OffsetFrame): boolean {
    return this.#isExit(frame) && this.#exits.callOf(frame) === undefined;
  }

  /** Returns the frame of a function's code as a whole, with the name of its source. */
  whole(code: Code): JsFrame {
    const { tier = "", function: logged, source } = code;
    const frame = wholeFrame(code, tier);
    if (logged === undefined || source === undefined) return frame;
    return { ...frame, name: this.#sources.of(logged).name };
  }

  /**
   * Returns the frames at an offset: the function of the code first, then what is inlined, innermost last. If
   * the position is lost, the function of the code is alone and has no line.
   */
  frames(frame: OffsetFrame): JsFrame[] {
    const { code, offset } = frame;
    const { function: logged, source } = code;
    const outer = this.whole(code);
    if (logged === undefined || source === undefined) return [outer];
    const { table, calls, inlined } = this.#decode(source);
    if (table.length === 0) return [{ ...outer, line: this.#onlyLine(logged) }];
    const isExit = this.#isExit(frame);
    const call = isExit ? this.#exits.callOf(frame) : undefined;
    if (isExit && call === undefined) return [outer];
    const index = table.indexAt(offset);
    // Code before the first entry sets up the frame of its function.
    const start: SourcePosition = { offset: logged.start, inlining: -1 };
    const [first, ...inner] = unfold(call ?? (index < 0 ? start : table.position(index)), calls);
    const frames: JsFrame[] = [{ ...outer, line: this.#sources.of(logged).line(first!.offset) }];
    for (const { offset: at, function: number } of inner) {
      const callee = number < 0 ? logged : source.functions[number];
      const line = (callee && this.#sources.of(callee))?.line(at) ?? 0;
      const key = `${number},${line}`;
      let inside = inlined.get(key);
      if (inside === undefined) {
        inside = this.#inlined(outer, callee, line);
        inlined.set(key, inside);
      }
      frames.push(inside);
    }
    return frames;
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
    const caller = last.function < 0 ? logged : source.functions[last.function];
    return caller && { function: caller, offset: last.offset };
  }

  #isExit({ code, offset, isReturn }: OffsetFrame): boolean {
    if (!isReturn || !OPTIMIZED.has(code.tier) || code.source === undefined) return false;
    const { table } = this.#decode(code.source);
    return table.length > 0 && table.behindLast(offset) >= LONGEST_CALL;
  }

  #inlined({ type, tier }: JsFrame, logged: LoggedFunction | undefined, line: number): JsFrame {
    // A script's top-level code can have functions inlined.
    const inlinedType = type === "Script" || type === "Eval" ? "JS" : type;
    const name = (logged && this.#sources.of(logged))?.name ?? UNKNOWN_FUNCTION;
    return { kind: "js", type: inlinedType, tier, name, line, inlined: true };
  }

  /** Returns the line of a function whose code has no positions; 0 unless all its bytecode is on one line. */
  #onlyLine(logged: LoggedFunction): number {
    let line = this.#onlyLines.get(logged);
    if (line === undefined) {
      const source = this.#sources.of(logged);
      const offsets = Array.from(new PositionTable(logged.bytecodePositions).offsets());
      const ends = [logged.start, logged.end];
      const lines = new Set((offsets.length > 0 ? offsets : ends).map((offset) => source.line(offset)));
      line = lines.size === 1 ? Array.from(lines)[0]! : 0;
      this.#onlyLines.set(logged, line);
    }
    return line;
  }

  #decode(source: CodeSource): DecodedSource {
    let decoded = this.#decoded.get(source);
    if (decoded === undefined) {
      decoded = {
        table: new PositionTable(source.positions),
        calls: new InlinedCalls(source.inlinings),
        inlined: new Map(),
      };
      this.#decoded.set(source, decoded);
    }
    return decoded;
  }
}

/** A function that runs at a position, and where in it. */
interface Running {
  /** In the script of the function. */
  readonly offset: number;
  /** An index into the functions of the code's row; -1 for the code's own function. */
  readonly function: number;
}

/** Returns the functions that run at a position, outermost first. */
function unfold(position: SourcePosition, calls: InlinedCalls): Running[] {
  const running: Running[] = [];
  let at = position;
  // A call inside itself would never end. V8 logs none.
  for (let depth = 0; at.inlining >= 0 && depth < Math.min(calls.length, INLINING_DEPTH); depth++) {
    if (at.inlining >= calls.length) break;
    running.push({ offset: at.offset, function: calls.functionOf(at.inlining) });
    at = calls.position(at.inlining);
  }
  running.push({ offset: at.offset, function: -1 });
  return running.reverse();
}
