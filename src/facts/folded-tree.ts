import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { CATEGORY_OF_STATE, categoryIndex } from "../profile/categories.js";
import type { Frame } from "../profile/frame.js";
import { VM_STATES, vmState } from "../profile/vm-state.js";
import type { Analysis } from "./analysis.js";
import type { Callable } from "./function-stacks.js";
import type { FunctionTable } from "./function-table.js";
import { programFunctions } from "./program-frames.js";

/** V8's state while it writes the log. */
const LOGGING = vmState("logging");
const PROFILER = categoryIndex("profiler");
/** By VM state: whether it stands for the native code below it. */
const IS_SHOWN = VM_STATES.map((state) => CATEGORY_OF_STATE[state] !== undefined);

/** What stacks are folded by. */
interface FoldOptions {
  /** By sample: its category, as an index into `CATEGORIES`. */
  readonly categoryOf: Uint8Array;
  /** By function: 1 if it has so few ticks that nobody asks for the stacks below it. */
  readonly isLight: Uint8Array;
}

/**
 * The folded stacks of a profile. All light functions are as one, or two: those of the program, and others. What they call
 * is light too. So there are few nodes, however many functions and stacks there are.
 */
export class FoldedStacks {
  /** Its frames are indexes of functions and, after those, of VM states; {@link isLight} tells the other ones. */
  readonly tree: CallTree;
  /** By sample: the folded node of its whole stack. */
  readonly ofSample: Int32Array;
  readonly #table: FunctionTable;

  constructor({ table, frames, tree, samples, order }: Analysis, { categoryOf, isLight }: FoldOptions) {
    this.#table = table;
    const { functions } = table;
    const light = lightProgram(table);
    const isProgram = new Uint8Array(light + 2);
    isProgram.set(programFunctions(table));
    isProgram[light] = 1;
    const heavy = functions.map((_, id) => (isLight[id] === 0 ? id : lightOf(light, isProgram[id]!)));
    const ofFrame = table.ofFrame.map((id) => heavy[id]!);
    const folded = new CallTreeBuilder();
    /** By node: the folded node of its stack's JavaScript. */
    const callers = new Int32Array(tree.length);
    const path = new FoldedPath(folded, { isProgram, light }, tree.length);
    const { nodes, ends } = order;
    /** The positions of the JavaScript that is open, the innermost last. */
    const open = new Int32Array(tree.length);
    let depth = 0;
    for (let position = 1; position < tree.length; position++) {
      while (depth > 0 && ends[open[depth - 1]!]! <= position) {
        const left = nodes[open[--depth]!]!;
        path.leave(left, callers[left]!);
      }
      const node = nodes[position]!;
      const frame = tree.frame[node]!;
      const caller = callers[tree.parent[node]!]!;
      if (frames[frame]!.kind !== "js") {
        callers[node] = caller;
        continue;
      }
      const called = ofFrame[frame]!;
      // Direct recursion, which is most of all where there are many light functions.
      const to = folded.frame[caller] === called ? caller : path.enter(node, caller, called);
      callers[node] = to;
      if (to !== caller) open[depth++] = position;
    }
    this.ofSample = new Int32Array(samples.length);
    for (let i = 0; i < samples.length; i++) {
      const state = categoryOf[i] === PROFILER ? LOGGING : samples.vmState[i]!;
      const node = samples.node[i]!;
      /** What ends its stack: a function, or after those a VM state for the native code below it. */
      const called = IS_SHOWN[state] ? functions.length + state : ofFrame[tree.frame[node]!]!;
      const caller = callers[node]!;
      const last = folded.frame[caller]!;
      const isJoined =
        last === called || last >= light || isNativeIn(caller, frames[tree.frame[node]!], state);
      this.ofSample[i] = isJoined ? caller : folded.child(caller, called);
    }
    this.tree = folded.finish();
  }

  /** Returns whether a node stands for light functions. */
  isLight(node: number): boolean {
    return this.tree.frame[node]! >= lightProgram(this.#table);
  }

  /** Returns the path to a node, outermost first. */
  path(node: number): Callable[] {
    const { functions } = this.#table;
    const path: Callable[] = [];
    for (let n = node; n !== ROOT; n = this.tree.parent[n]!) {
      const id = this.tree.frame[n]!;
      const found = functions[id];
      path.push(
        found === undefined
          ? { kind: "state", state: VM_STATES[id - functions.length]! }
          : { kind: "function", function: found },
      );
    }
    return path.reverse();
  }
}

/** Whether native code ended a stack that JavaScript called, which explains it: V8's and libraries' functions would be a row each. */
function isNativeIn(caller: number, frame: Frame | undefined, state: number): boolean {
  return caller !== ROOT && frame?.kind === "native" && !IS_SHOWN[state];
}

/** Returns what stands for the light functions of the program. What stands for all others is next. */
function lightProgram({ functions }: FunctionTable): number {
  return functions.length + VM_STATES.length;
}

/** Returns what stands for a light function. */
function lightOf(light: number, isProgram: number): number {
  return light + 1 - isProgram;
}

/** The folded stack during a walk of a call tree. A step costs the same at any depth. */
class FoldedPath {
  readonly #tree: CallTreeBuilder;
  /** By function: 1 if it is of the program. */
  readonly #isProgram: Uint8Array;
  /** The first of the two that stand for light functions. */
  readonly #light: number;
  /** By folded node. */
  readonly #depth: Int32Array;
  /** By folded node: 1 if its stack begins with a function of the program. */
  readonly #isInProgram: Uint8Array;
  /**
   * By depth: the node of the folded stack. Entries beyond the current depth are leftovers of other stacks.
   */
  readonly #at: Int32Array;
  /** By function: the node of its last call in this stack; 0 for none. It may have been folded away since. */
  readonly #calledAt: Int32Array;
  /** By node of the profile's tree: the values it overwrote in `#at` and `#calledAt`. */
  readonly #atBefore: Int32Array;
  readonly #calledBefore: Int32Array;

  /** `nodes` is the number of nodes of the walked tree. */
  constructor(
    tree: CallTreeBuilder,
    { isProgram, light }: { readonly isProgram: Uint8Array; readonly light: number },
    nodes: number,
  ) {
    this.#tree = tree;
    this.#isProgram = isProgram;
    this.#light = light;
    this.#depth = new Int32Array(nodes);
    this.#isInProgram = new Uint8Array(nodes);
    this.#at = new Int32Array(nodes);
    this.#calledAt = new Int32Array(isProgram.length);
    this.#atBefore = new Int32Array(nodes);
    this.#calledBefore = new Int32Array(nodes);
  }

  /** Enters a node of the walked tree, where `caller` calls `called`, and returns the folded node. */
  enter(node: number, caller: number, called: number): number {
    const to = this.#called(caller, called);
    if (to === caller) return to;
    const depth = this.#depth[to]!;
    const frame = this.#tree.frame[to]!;
    this.#atBefore[node] = this.#at[depth]!;
    this.#calledBefore[node] = this.#calledAt[frame]!;
    this.#at[depth] = to;
    this.#calledAt[frame] = to;
    return to;
  }

  /** Leaves a node for which {@link enter} returned `to`, which is not its caller. */
  leave(node: number, to: number): void {
    const frame = this.#tree.frame[to]!;
    this.#at[this.#depth[to]!] = this.#atBefore[node]!;
    this.#calledAt[frame] = this.#calledBefore[node]!;
  }

  #called(caller: number, called: number): number {
    const isInProgram = this.#isInProgram[caller] === 1;
    const isProgram = this.#isProgram[called] === 1;
    if (isProgram && !isInProgram) return this.#child(ROOT, called);
    if (!isProgram && isInProgram && this.#isProgram[this.#tree.frame[caller]!] === 0) return caller;
    const known = this.#inStack(caller, called);
    if (known !== ROOT) return known;
    if (this.#tree.frame[caller]! < this.#light) return this.#child(caller, called);
    const light = lightOf(this.#light, this.#isProgram[called]!);
    return this.#inStack(caller, light) || this.#child(caller, light);
  }

  /** Returns the call of a function in the stack of its caller; the root if there is none. */
  #inStack(caller: number, called: number): number {
    const last = this.#calledAt[called]!;
    const depth = this.#depth[last]!;
    return depth <= this.#depth[caller]! && this.#at[depth] === last ? last : ROOT;
  }

  #child(caller: number, called: number): number {
    const node = this.#tree.child(caller, called);
    this.#depth[node] = this.#depth[caller]! + 1;
    this.#isInProgram[node] = caller === ROOT ? this.#isProgram[called]! : this.#isInProgram[caller]!;
    return node;
  }
}
