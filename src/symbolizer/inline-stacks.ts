import type { JsFrame } from "../profile/frame.js";
import { functionPlace } from "../profile/function-place.js";
import type { CodeSource, LoggedFunction } from "./logged-functions.js";
import type { PlaceFrame } from "./recorded-frame.js";
import type { Scripts } from "./scripts.js";
import { type InlinedCall, inlinedCalls, PositionTable, type SourcePosition } from "./source-positions.js";

/** Stands where code was inlined from a function that the log never named. */
const UNKNOWN_FUNCTION = "<unknown function>";

interface DecodedSource {
  readonly table: PositionTable;
  readonly calls: readonly InlinedCall[];
}

/** Makes the functions that really run out of places in code: those that were inlined there, and their lines. */
export class InlineStacks {
  readonly #scripts: Scripts;
  readonly #decoded = new Map<CodeSource, DecodedSource>();
  readonly #onlyLines = new Map<LoggedFunction, number>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  /** The frames at a place, the function of the code first, then what is inlined, the innermost last. */
  frames({ code, offset }: PlaceFrame): JsFrame[] {
    const { type, name, tier = "", function: logged, source } = code;
    const whole: JsFrame = { kind: "js", type, tier, name, line: 0, inlined: false };
    if (logged === undefined || source === undefined) return [whole];
    const { table, calls } = this.#decode(source);
    if (table.length === 0) return [{ ...whole, line: this.#onlyLine(logged) }];
    const index = table.indexAt(offset);
    // Before the first entry, code sets up the frame of its function.
    const start: SourcePosition = { offset: logged.start, inlining: -1 };
    const [outer, ...inner] = unfold(index < 0 ? start : table.position(index), calls);
    const frames: JsFrame[] = [{ ...whole, line: this.#line(logged, outer!.offset) }];
    for (const { offset: at, function: number } of inner) {
      frames.push(this.#inlined(whole, number < 0 ? logged : source.functions[number], at));
    }
    return frames;
  }

  #inlined({ type, tier }: JsFrame, logged: LoggedFunction | undefined, offset: number): JsFrame {
    // The code of a script that runs as a whole can hold functions.
    const inlinedType = type === "Script" || type === "Eval" ? "JS" : type;
    const name = logged?.name ?? UNKNOWN_FUNCTION;
    const line = logged === undefined ? 0 : this.#line(logged, offset);
    return { kind: "js", type: inlinedType, tier, name, line, inlined: true };
  }

  /** The line of an offset in a function, as V8 counts lines in the function's name; 0 when the text is not there. */
  #line(logged: LoggedFunction, offset: number): number {
    const place = this.#scripts.place(logged.script, offset);
    const start = this.#scripts.place(logged.script, logged.start);
    if (place === undefined || start === undefined) return 0;
    // Scripts can be told to begin at another line than 1.
    return place.line + ((functionPlace(logged.name).line ?? start.line) - start.line);
  }

  /** The line of a function whose code has no positions: known if all its bytecode is of one line. */
  #onlyLine(logged: LoggedFunction): number {
    let line = this.#onlyLines.get(logged);
    if (line === undefined) {
      const offsets = Array.from(
        new PositionTable(logged.bytecodePositions).positions(),
        ({ offset }) => offset,
      );
      const lines = new Set(
        (offsets.length > 0 ? offsets : [logged.start, logged.end]).map((at) => this.#line(logged, at)),
      );
      line = lines.size === 1 ? Array.from(lines)[0]! : 0;
      this.#onlyLines.set(logged, line);
    }
    return line;
  }

  #decode(source: CodeSource): DecodedSource {
    let decoded = this.#decoded.get(source);
    if (decoded === undefined) {
      decoded = { table: new PositionTable(source.positions), calls: inlinedCalls(source.inlinings) };
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
function unfold(position: SourcePosition, calls: readonly InlinedCall[]): Running[] {
  const running: Running[] = [];
  let at = position;
  // A call inside itself would never end; no row of V8's has one.
  for (let depth = 0; at.inlining >= 0 && depth < calls.length; depth++) {
    const call = calls[at.inlining];
    if (call === undefined) break;
    running.push({ offset: at.offset, function: call.function });
    at = call.position;
  }
  running.push({ offset: at.offset, function: -1 });
  return running.reverse();
}
