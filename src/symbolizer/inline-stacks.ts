import { INLINING_DEPTH } from "../limits.js";
import type { JsFrame } from "../profile/frame.js";
import type { CodeSource, LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame } from "../recorder/recorded-frame.js";
import type { FunctionSources } from "./function-sources.js";
import { InlinedCalls, PositionTable, type SourcePosition } from "./source-positions.js";

/** Stands where code was inlined from a function that the log never named. */
const UNKNOWN_FUNCTION = "<unknown function>";

interface DecodedSource {
  readonly table: PositionTable;
  readonly calls: InlinedCalls;
  /** The frames of inlined functions, by function and line: the same are in many stacks. */
  readonly inlined: Map<string, JsFrame>;
}

/** Makes the functions that really run out of places in code: those that were inlined there, and their lines. */
export class InlineStacks {
  readonly #sources: FunctionSources;
  readonly #decoded = new Map<CodeSource, DecodedSource>();
  readonly #onlyLines = new Map<LoggedFunction, number>();

  constructor(sources: FunctionSources) {
    this.#sources = sources;
  }

  /** The frames at a place, the function of the code first, then what is inlined, the innermost last. */
  frames({ code, offset }: OffsetFrame): JsFrame[] {
    const { type, name, tier = "", function: logged, source } = code;
    const whole: JsFrame = { kind: "js", type, tier, name, line: 0, inlined: false };
    if (logged === undefined || source === undefined) return [whole];
    const { table, calls, inlined } = this.#decode(source);
    const outer = { ...whole, name: this.#sources.of(logged).name };
    if (table.length === 0) return [{ ...outer, line: this.#onlyLine(logged) }];
    const index = table.indexAt(offset);
    // Before the first entry, code sets up the frame of its function.
    const start: SourcePosition = { offset: logged.start, inlining: -1 };
    const [first, ...inner] = unfold(index < 0 ? start : table.position(index), calls);
    const frames: JsFrame[] = [{ ...outer, line: this.#sources.of(logged).line(first!.offset) }];
    for (const { offset: at, function: number } of inner) {
      const callee = number < 0 ? logged : source.functions[number];
      const line = (callee && this.#sources.of(callee))?.line(at) ?? 0;
      const key = `${number},${line}`;
      let frame = inlined.get(key);
      if (frame === undefined) {
        frame = this.#inlined(whole, callee, line);
        inlined.set(key, frame);
      }
      frames.push(frame);
    }
    return frames;
  }

  #inlined({ type, tier }: JsFrame, logged: LoggedFunction | undefined, line: number): JsFrame {
    // The code of a script that runs as a whole can hold functions.
    const inlinedType = type === "Script" || type === "Eval" ? "JS" : type;
    const name = (logged && this.#sources.of(logged))?.name ?? UNKNOWN_FUNCTION;
    return { kind: "js", type: inlinedType, tier, name, line, inlined: true };
  }

  /** The line of a function whose code has no positions: known if all its bytecode is of one line. */
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

/** Where a function is, of those that run at one position. */
interface Running {
  /** In the script of the function. */
  readonly offset: number;
  /** An index into the functions of the code's row; -1 for the code's own function. */
  readonly function: number;
}

/** The functions that run at a position, outermost first. */
function unfold(position: SourcePosition, calls: InlinedCalls): Running[] {
  const running: Running[] = [];
  let at = position;
  // A call inside itself would never end; no row of V8's has one.
  for (let depth = 0; at.inlining >= 0 && depth < Math.min(calls.length, INLINING_DEPTH); depth++) {
    if (at.inlining >= calls.length) break;
    running.push({ offset: at.offset, function: calls.functionOf(at.inlining) });
    at = calls.position(at.inlining);
  }
  running.push({ offset: at.offset, function: -1 });
  return running.reverse();
}
