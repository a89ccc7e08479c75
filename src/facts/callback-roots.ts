import { columnOf, marksOf } from "../base/columns.js";
import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Analysis } from "./analysis.js";
import type { ProfiledFunction } from "./function-table.js";
import { isRecorderWork } from "./origin.js";
import { programFunctions } from "./program-frames.js";

/** Bits of {@link Roots.kinds}. */
export const TIMER = 1;
export const IMMEDIATE = 2;
export const MICROTASK = 4;
export const LOAD = 8;
/** Node's JavaScript called the callback, or is the script that is loaded. */
export const BY_NODE = 16;

const TIMERS: ReadonlySet<string> = new Set(["listOnTimeout", "processTimers"]);
const IMMEDIATES: ReadonlySet<string> = new Set(["processImmediate"]);
const TICKS: ReadonlySet<string> = new Set(["processTicksAndRejections", "runMicrotasks", "_tickCallback"]);
/** The builtins of V8 that call what waited for a promise. */
const PROMISE_JOB =
  /^(?:Async(?:Function|Generator|Module|FromSync)|PromiseFulfill|PromiseReject|RunMicrotasks)/;

/** No JavaScript is on the stack. */
export const NO_ROOT = -1;

/** The callbacks that stacks belong to, by node of the tree. */
export interface Roots {
  /** The outermost function of the program or of a package, else of Node; {@link NO_ROOT} for none. */
  readonly root: Int32Array;
  /** What called it, as bits. */
  readonly kinds: Uint8Array;
  /** The node that called it. */
  readonly above: Int32Array;
  /** What called the code that ran; -1 if that is machine code of a library. */
  readonly caller: Int32Array;
  /** By function: whether it is Node's that runs what waits for a promise or `process.nextTick`. */
  readonly runsMicrotasks: Uint8Array;
  /** Whether a function is on the stack of a node. */
  readonly isIn: (id: number, node: number) => boolean;
}

/** Finds the callback of each stack, and what called it. */
export function rootsOf({ frames, tree, table }: Analysis): Roots {
  const isProgram = programFunctions(table);
  const called = columnOf(Uint8Array, table.functions, (fn) => calledBy(fn.frame, fn));
  const isRecorders = marksOf(table.functions, isRecorderWork);
  const isJs = marksOf(frames, ({ kind }) => kind === "js");
  const root = new Int32Array(tree.length).fill(NO_ROOT);
  const kinds = new Uint8Array(tree.length);
  const above = new Int32Array(tree.length);
  const native = marksOf(frames, ({ kind }) => kind === "native");
  const parents = tree.parent.subarray(0, tree.length);
  const caller = columnOf(Int32Array, parents, (parent, node) =>
    native[tree.frame[node]!] === 1 ? -1 : parent,
  );
  const isInProgram = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const from = tree.parent[node]!;
    const frame = tree.frame[node]!;
    const id = table.ofFrame[frame]!;
    root[node] = root[from]!;
    kinds[node] = kinds[from]!;
    above[node] = above[from]!;
    isInProgram[node] = isInProgram[from]!;
    if (isInProgram[from] === 1) continue;
    const isOutermost = root[from] === NO_ROOT;
    const says = called[id]!;
    if (isRecorders[id] === 1) {
      isInProgram[node] = 1;
      root[node] = id;
      kinds[node] = LOAD;
    } else if (isProgram[id] === 1) {
      isInProgram[node] = 1;
      root[node] = id;
      above[node] = from;
      // A script that waits for a promise goes on in a job of its own.
      const isResumed = frames[tree.frame[from]!]?.kind === "code" && (kinds[from]! & MICROTASK) !== 0;
      if (says === LOAD && !isResumed) kinds[node] = LOAD;
      else if (!isOutermost) kinds[node]! |= BY_NODE;
    } else {
      if (isOutermost && isJs[frame] === 1) {
        root[node] = id;
        above[node] = from;
      }
      if (says === LOAD) kinds[node]! |= isOutermost ? LOAD | BY_NODE : 0;
      else if (says !== 0) kinds[node] = says;
    }
  }
  const runsMicrotasks = marksOf(
    table.functions,
    ({ frame }, id) => frame.kind === "js" && called[id] === MICROTASK,
  );
  const isIn = (id: number, node: number) => {
    let at = node;
    while (at > ROOT && table.ofFrame[tree.frame[at]!] !== id) at = tree.parent[at]!;
    return at > ROOT;
  };
  return { root, kinds, above, caller, runsMicrotasks, isIn };
}

/** Returns what a function says of its callees; of a script, that it is one. */
function calledBy(frame: Frame, { name, origin, line, column }: ProfiledFunction): number {
  if (frame.kind === "code") return PROMISE_JOB.test(frame.name) ? MICROTASK : 0;
  if (frame.kind !== "js") return 0;
  // Up to Node 11 it begins elsewhere, behind text that Node put around it, where another function can begin too.
  if (name === "" && line === 1 && column === 1) return LOAD;
  if (origin.kind !== "node") return 0;
  return TIMERS.has(name) ? TIMER : IMMEDIATES.has(name) ? IMMEDIATE : TICKS.has(name) ? MICROTASK : 0;
}
