import { SAMPLED_LINES } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { validPosition } from "../profile/clamped-numbers.js";
import type { Diagnostics } from "../profile/diagnostics.js";
import { type Frame, frameKey } from "../profile/frame.js";
import { JSC_BUILTINS } from "../profile/logged-name.js";
import { filePath } from "../profile/stable-files.js";
import { EXTERNAL, GC, UNKNOWN_STATE, type VmState, vmState } from "../profile/vm-state.js";
import { NumberList } from "./number-list.js";

/**
 * The artificial functions of V8's profiler, and what Datadog's calls one. Source: V8, src/profiler/profile-generator.h, `CodeEntry`;
 * pprof-nodejs, ts/src/profile-serializer.ts.
 */
const STATE_OF: ReadonlyMap<string, VmState> = new Map([
  ["(garbage collector)", GC],
  ["Garbage Collection", GC],
  ["(idle)", vmState("idle")],
  // Of heap profiles: src/profiler/sampling-heap-profiler.cc, `AddStack`.
  ["(GC)", GC],
  ["(PARSER)", vmState("parser")],
  ["(COMPILER)", vmState("compiler")],
  ["(BYTECODE_COMPILER)", vmState("bytecode-compiler")],
]);

/** What V8's profiler made up. */
const MADE_UP = /^\((?:program|idle|garbage collector|root)\)$/;

/**
 * Scripts of runtimes that tell V8 when a thread waits: Node from 16 on, which does so since 14, and Chrome. Electron has scripts of Node,
 * but an event loop of its own.
 */
export const TELLS_IDLE = /^(?:node:internal\/|https?:)/;

export const V8_ONLY: ReadonlySet<string> = new Set(["(program)", "(idle)", "(garbage collector)"]);

/**
 * Returns the number of the first line and column in a profile, by its first node, the root, which has none: that is -1 or nothing where
 * they are from 0, as the inspector writes them; and 0 where they are from 1, as V8 says them to programs, which may write them as
 * they are. Profiles of old Chromes have no `callFrame`, and are from 1.
 *
 * Source: V8, include/v8-profiler.h, `CpuProfileNode`; src/inspector/v8-profiler-agent-impl.cc, `buildInspectorObjectFor`.
 */
export function firstPosition({ functionName, lineNumber }: CallFrame, hasCallFrame: boolean): 0 | 1 {
  if (lineNumber === -1) return 0;
  return !hasCallFrame || (functionName === "(root)" && lineNumber === 0) ? 1 : 0;
}

/** Returns the frame of what V8's profiler made up; it is of no file. */
function madeUpFrame(name: string): Frame {
  return { kind: "native", library: "", symbol: name };
}

/** Where a function is, as profiles in JSON have it. */
export interface CallFrame {
  readonly functionName?: unknown;
  readonly scriptId?: unknown;
  readonly url?: unknown;
  readonly lineNumber?: unknown;
  readonly columnNumber?: unknown;
}

/** The frames of functions, each once. */
export class FunctionFrames {
  readonly frames: Frame[] = [];
  /** Whether V8 or JavaScriptCore named the files: one without a position in it is a script then, unless it looks like a library. */
  readonly #ofScripts: boolean;
  /** The functions of scripts by their names, and the others by {@link frameKey}. */
  readonly #scripts = new Map<string, number>();
  readonly #others = new Map<string, number>();
  /** Pairs of a frame and a line, and those of the first with a column; and by the latter their frames. */
  readonly #lines = new PairNumbers();
  readonly #columns = new PairNumbers();
  readonly #atLines = new NumberList();
  readonly #diagnostics: Diagnostics;

  constructor(diagnostics: Diagnostics, { ofScripts = false }: { readonly ofScripts?: boolean } = {}) {
    this.#diagnostics = diagnostics;
    this.#ofScripts = ofScripts;
  }

  /** Returns the number of the frame of a function, without a line. `first` is the number of the first line and column. */
  of({ functionName, url, lineNumber, columnNumber }: CallFrame, first: 0 | 1 = 0): number {
    const name = typeof functionName === "string" ? functionName : "";
    const file = typeof url === "string" ? url : "";
    const isMadeUp = file === "" && MADE_UP.test(name);
    const from1 = (position: unknown) =>
      typeof position === "number" && !isMadeUp ? validPosition(position + 1 - first) : 0;
    const [line, column] = [from1(lineNumber), from1(columnNumber)];
    const frame = this.#frameOf(name, { file, line, column });
    const add = () => this.frames.push(frame) - 1;
    return frame.kind === "js"
      ? valueAt(this.#scripts, frame.name, add)
      : valueAt(this.#others, frameKey(frame), add);
  }

  /**
   * Names functions of JavaScriptCore as those of V8: the body of a module, and its own functions without a file, each of which is a
   * text of one line.
   */
  nameAsV8(): void {
    for (const [number, frame] of this.frames.entries()) {
      if (frame.kind !== "js") continue;
      const body = JSC_MODULE.exec(frame.name)?.[1];
      if (body !== undefined) this.frames[number] = { ...frame, name: ` ${body}:1:1`, scriptAt: 1 };
      else if (JSC_BUILTIN.test(frame.name))
        this.frames[number] = { ...frame, name: frame.name.replace(" :", ` ${JSC_BUILTINS}:`) };
    }
  }

  #frameOf(name: string, position: Position): Frame {
    return frameOf(
      name,
      position,
      this.#ofScripts ? !LIBRARY.test(position.file) : URL_OF_SCRIPT.test(position.file),
    );
  }

  /**
   * Returns the number of a frame of the same function at a line, and at a column if that is known; without one if there are more than
   * {@link SAMPLED_LINES}.
   */
  atLine(number: number, line: number, column = 0): number {
    const frame = this.frames[number]!;
    if (line === 0 || frame.kind !== "js") return number;
    const { length } = this.#columns;
    const found = this.#columns.of(this.#lines.of(number, line), column);
    if (found >= SAMPLED_LINES) {
      if (found === length) this.#diagnostics.add("many-lines", 1);
      return number;
    }
    if (found === length)
      this.#atLines.push(this.frames.push({ ...frame, line, ...(column > 0 && { column }) }) - 1);
    return this.#atLines.at(found);
  }
}

interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The kinds of V8's own code, as reports of this program name it in profiles: `Builtin: ArrayMap`. */
const CODE = /^([A-Z][A-Za-z]{1,30}): (.*)$/s;

/** Functions of WebAssembly as logs of V8 name them, which tell no module. */
const WEB_ASSEMBLY = /^wasm-(?:function\[\d+\]|to-js)$/;

/** The body of a module, at its first statement. */
const JSC_MODULE = /^\(module\) (.+):\d+:\d+$/s;
/** Not what a program makes of a text, which is `anonymous` or `(eval)`. */
const JSC_BUILTIN = /^(?!anonymous )[\w$@ .[\]]+ :1:\d+$/;

/** Scripts that are named so have no position only if nobody knows it: in pprof, also for functions of libraries. */
const URL_OF_SCRIPT = /^[a-z][a-z0-9+.-]+:|^evalmachine\.|^wasm /i;

/** Binaries, and what Linux maps into a process: V8's own exports have none, those of this program do. */
const LIBRARY =
  /\.(?:so|dylib|dll|exe|node)(?:\.\d+)*$|^\[\w+\]$|(?:^|[\\/])(?:node|bun|deno|electron|chrome|chromium|workerd)$/i;

/** `isScript`: whether the file is one if the position in it is unknown. */
function frameOf(title: string, { file, line, column }: Position, isScript: boolean): Frame {
  if (file === "") {
    if (MADE_UP.test(title)) return madeUpFrame(title);
    if (line === 0 && WEB_ASSEMBLY.test(title))
      return { kind: "js", type: "JS", tier: "", name: title, line: 0, inlined: false };
    if (title === "UNKNOWN") return { kind: "unknown", reason: "unmapped" };
    const [, type, name] = (line === 0 && CODE.exec(title)) || [];
    if (type !== undefined) return { kind: "code", type, name: name!, duplicate: 0 };
    if (line === 0)
      return title === "" ? madeUpFrame("(anonymous)") : { kind: "native", library: "", symbol: title };
  } else if (line === 0 && !isScript) {
    const library = filePath(file);
    const isNamed = title !== library && !library.endsWith(`/${title}`);
    return { kind: "native", library, symbol: isNamed ? title : undefined };
  }
  const name = title === "(anonymous)" || title === "<anonymous>" ? "" : title;
  // Joined: V8 keeps a text that is added up as a tree of its parts, which takes several times as much memory.
  const full = [name, " ", file, ":", Math.max(1, line), ":", Math.max(1, column)].join("");
  return {
    kind: "js",
    type: "JS",
    tier: "",
    name: full,
    scriptAt: name.length + 1,
    line: 0,
    inlined: false,
  };
}

/** Returns the state that a sample with this leaf is in. */
export function stateOfFrame(frame: Frame): VmState {
  if (frame.kind === "js" || frame.kind === "code") return JS;
  if (frame.kind === "unknown") return UNKNOWN_STATE;
  return (frame.library === "" && STATE_OF.get(frame.symbol ?? "")) || EXTERNAL;
}

const JS = vmState("js");
