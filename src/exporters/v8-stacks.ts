import { ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { isIdle, VM_STATES, type VmState, vmState } from "../profile/vm-state.js";
import { FunctionTable, type ProfiledFunction } from "../views/function-table.js";
import { cutName, jsonText } from "../views/shown-text.js";
import { fileUrl } from "./export-options.js";
import { type ExportStacks, numberedStacks } from "./export-stacks.js";

/** The artificial functions of V8's own profiler; their numbers follow those of a profile. */
const MADE_UP = ["(garbage collector)", "(idle)"] as const;

/**
 * The functions of a profile as V8's own profiler writes them: `callFrame` objects of the DevTools protocol.
 * A tick in garbage collection has the leaf `(garbage collector)`, an idle one `(idle)`; unknown code is
 * `(program)`. V8 puts these under the root because it knows no C++; here they are under the C++ function
 * that the tick was in.
 *
 * Source: V8, src/profiler/symbolizer.cc, `EntryForVMState`; src/profiler/profile-generator.h, `CodeEntry`.
 */
class V8CallFrames {
  /** The root of all stacks, as JSON. */
  readonly root = nowhere("(root)");
  readonly #gc: number;
  /** The number of `(idle)`. */
  readonly idle: number;
  readonly #functions: FunctionTable;
  /** Files by number, from 1: the format needs numbers, which logs do not have. */
  readonly #scripts = new Map<string, number>();

  readonly #texts: string[] = [];

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

  /** Returns the number of the function to append for a VM state; -1 if there is none. */
  leafOf = (state: VmState): number => {
    if (state === vmState("gc")) return this.#gc;
    return isIdle(state) ? this.idle : -1;
  };

  /** Returns a function as JSON. */
  json(number: number): string {
    this.#texts[number] ??= this.#write(number);
    return this.#texts[number];
  }

  #write(number: number): string {
    const { functions } = this.#functions;
    const made = MADE_UP[number - functions.length];
    if (made !== undefined) return nowhere(made);
    const { frame, ...called } = functions[number]!;
    switch (frame.kind) {
      case "js":
        return this.#script(called);
      case "code":
        return nowhere(called.title);
      case "native":
        return nowhere(called.title, fileUrl(cutName(frame.library)));
      case "unknown":
        return nowhere("(program)");
    }
  }

  /** Returns a JavaScript function as JSON. Lines and columns are from 0, and -1 if unknown. */
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

/** Returns whether a frame is an artificial function of a profile that V8's own profiler wrote. */
function isMadeUp(frame: Frame): boolean {
  return frame.kind === "native" && frame.library === "" && MADE_UP.some((name) => name === frame.symbol);
}

function nowhere(functionName: string, url = ""): string {
  return jsonText({ functionName, scriptId: "0", url, lineNumber: -1, columnNumber: -1 });
}

/**
 * The stacks of a profile as in V8's own profiler: one node for a function under a caller, whatever its
 * tiers.
 */
export interface V8Stacks extends ExportStacks {
  /** By row of the profile's samples: the line that runs, from 1; 0 if unknown. */
  readonly lineOf: Int32Array;
  /** The node of `(idle)` under the root, for the time between ticks: it follows those of the tree. */
  readonly idle: number;
  /** Returns the function of a node, including the root and `idle`, as a JSON object. */
  callFrame(node: number): string;
}

/** Returns the stacks of a profile as V8's own profiler would have them. */
export function v8Stacks(profile: Profile): V8Stacks {
  const { frames, tree, samples } = profile;
  const table = new FunctionTable(frames);
  const callFrames = new V8CallFrames(table);
  // They come again, by the state of the ticks.
  const ofFrame = columnOf(Int32Array, frames, (frame, i) => (isMadeUp(frame) ? -1 : table.ofFrame[i]!));
  const stacks = numberedStacks(profile, ofFrame, { leafOf: callFrames.leafOf });
  const lineOf = new Int32Array(samples.length);
  const lines = columnOf(Int32Array, frames, (frame) => (frame.kind === "js" ? frame.line : 0));
  const hasLeaf = Uint8Array.from(VM_STATES, (_, state) => (callFrames.leafOf(state) < 0 ? 0 : 1));
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    // Memory that is never written to takes no room.
    if (node !== ROOT && hasLeaf[samples.vmState[i]!] === 0) lineOf[i] = lines[tree.frame[node]!]!;
  }
  const idle = stacks.tree.length;
  const callFrame = (node: number) => {
    if (node === ROOT) return callFrames.root;
    return callFrames.json(node === idle ? callFrames.idle : stacks.tree.frame[node]!);
  };
  return { ...stacks, lineOf, idle, callFrame };
}
