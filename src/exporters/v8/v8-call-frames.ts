import { type VmState, vmState } from "../../profile/vm-state.js";
import type { FunctionTable, ProfiledFunction } from "../../views/function-table.js";
import { cutName, jsonText } from "../../views/shown-text.js";
import { fileUrl } from "../file-url.js";

/** Characters of texts that are kept to be written again. */
const KEPT_LENGTH = 1 << 24;

/** The functions that V8's own profiler makes up, in the order of their numbers after those of a profile. */
const MADE_UP = ["(garbage collector)", "(idle)"] as const;

/**
 * The functions of a profile as V8's own profiler writes them: `callFrame` objects of the DevTools protocol. A tick in
 * garbage collection has `(garbage collector)` for a leaf, one while idle `(idle)`, what nobody knows is `(program)`. V8 puts
 * these under the root, as it knows no C++; here they are under the C++ function that the tick was in.
 *
 * Source: V8, src/profiler/symbolizer.cc, `EntryForVMState`; src/profiler/profile-generator.h, `CodeEntry`.
 */
export class V8CallFrames {
  /** What all stacks begin with, as JSON. */
  readonly root = nowhere("(root)");
  readonly #gc: number;
  /** The number of `(idle)`. */
  readonly idle: number;
  readonly #functions: FunctionTable;
  /** Files by number, from 1; the format wants a number where logs have none. */
  readonly #scripts = new Map<string, number>();

  readonly #texts = new Map<number, string>();
  #kept = 0;

  constructor(functions: FunctionTable) {
    this.#functions = functions;
    this.#gc = functions.functions.length;
    this.idle = this.#gc + 1;
    for (const { frame, file = "" } of functions.functions) {
      if (frame.kind === "js" && file !== "" && !this.#scripts.has(file)) {
        this.#scripts.set(file, this.#scripts.size + 1);
      }
    }
  }

  /** The number of the function that a frame is of. */
  ofFrame(frame: number): number {
    return this.#functions.ofFrame[frame]!;
  }

  /** The number of the function that is called last in a state; -1 where it is the code itself. */
  leafOf = (state: VmState): number => {
    if (state === vmState("gc")) return this.#gc;
    return state === vmState("idle") || state === vmState("idle-external") ? this.idle : -1;
  };

  /** A function as JSON. */
  json(number: number): string {
    let text = this.#texts.get(number);
    if (text !== undefined) return text;
    text = this.#write(number);
    // One function can be many nodes; but the texts of all need not be kept.
    this.#kept += text.length;
    if (this.#kept > KEPT_LENGTH) {
      this.#texts.clear();
      this.#kept = text.length;
    }
    this.#texts.set(number, text);
    return text;
  }

  #write(number: number): string {
    const { functions } = this.#functions;
    const made = MADE_UP[number - functions.length];
    if (made !== undefined) return nowhere(made);
    const { frame, ...place } = functions[number]!;
    switch (frame.kind) {
      case "js":
        return this.#script(place);
      case "code":
        return nowhere(place.title);
      case "native":
        return nowhere(place.title, fileUrl(cutName(frame.library)));
      case "unknown":
        return nowhere("(program)");
    }
  }

  /** Lines and columns are counted from 0 here, and are -1 where they are not known. */
  #script({ name, file = "", line = 0, column = 0 }: Omit<ProfiledFunction, "frame">): string {
    return jsonText({
      functionName: name,
      scriptId: String(this.#scripts.get(file) ?? 0),
      url: fileUrl(cutName(file)),
      lineNumber: line - 1,
      columnNumber: column - 1,
    });
  }
}

function nowhere(functionName: string, url = ""): string {
  return jsonText({ functionName, scriptId: "0", url, lineNumber: -1, columnNumber: -1 });
}
