import { type CallTree, CallTreeBuilder, ROOT, visitDepthFirst } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { VM_STATES, vmState } from "../profile/vm-state.js";
import type { Callable } from "./function-stacks.js";
import type { FunctionTable } from "./function-table.js";
import { profilerWork } from "./profiler-work.js";
import { programFunctions } from "./program-frames.js";
import { STATE_CATEGORIES } from "./state-categories.js";

/** V8's state while it writes the log. */
const LOGGING = vmState("logging");

/** The folded call tree. Its frames are indexes of functions and, after those, of VM states. */
export class FoldedTree {
  readonly #tree = new CallTreeBuilder();
  readonly #profile: Profile;
  readonly #table: FunctionTable;
  /** By node of the profile's tree: the folded node of its stack's JavaScript. */
  readonly #callers: Int32Array;
  readonly #isProfiler: (sample: number) => boolean;
  /** By VM state: whether it stands for the native code below it. */
  readonly #isShownState = VM_STATES.map((state) => STATE_CATEGORIES[state] !== undefined);

  constructor(profile: Profile, table: FunctionTable) {
    this.#profile = profile;
    this.#table = table;
    this.#isProfiler = profilerWork(profile);
    const { tree, frames } = profile;
    this.#callers = new Int32Array(tree.length);
    const path = new FoldedPath(this.#tree, programFunctions(table), tree.length);
    const isJs = Uint8Array.from(frames, ({ kind }) => (kind === "js" ? 1 : 0));
    visitDepthFirst(tree, (node, isEntering) => {
      if (isJs[tree.frame[node]!] === 0) {
        this.#callers[node] = this.#callers[tree.parent[node]!]!;
      } else if (isEntering) {
        this.#callers[node] = path.enter(node, this.#callers[tree.parent[node]!]!, this.#functionAt(node));
      } else {
        path.leave(node, this.#callers[node]!, this.#functionAt(node));
      }
    });
  }

  get tree(): CallTree {
    return this.#tree;
  }

  /** Returns the folded node of a sample's whole stack. */
  nodeOf(sample: number): number {
    const { samples } = this.#profile;
    const node = samples.node[sample]!;
    const state = this.#isProfiler(sample) ? LOGGING : samples.vmState[sample]!;
    const caller = this.#callers[node]!;
    if (this.#isShownState[state]) return this.#tree.child(caller, this.#table.functions.length + state);
    const leaf = this.#functionAt(node);
    return this.#tree.frame[caller] === leaf ? caller : this.#tree.child(caller, leaf);
  }

  /** Returns the path to a node, outermost first. */
  path(node: number): Callable[] {
    const { functions } = this.#table;
    const path: Callable[] = [];
    for (let n = node; n !== ROOT; n = this.#tree.parent[n]!) {
      const id = this.#tree.frame[n]!;
      const found = functions[id];
      path.push(
        found === undefined
          ? { kind: "state", state: VM_STATES[id - functions.length]! }
          : { kind: "function", function: found },
      );
    }
    return path.reverse();
  }

  #functionAt(node: number): number {
    return this.#table.ofFrame[this.#profile.tree.frame[node]!]!;
  }
}

/** The folded stack during a walk of a call tree. A step costs the same at any depth. */
class FoldedPath {
  readonly #tree: CallTreeBuilder;
  readonly #isProgram: Uint8Array;
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
  constructor(tree: CallTreeBuilder, isProgram: Uint8Array, nodes: number) {
    this.#tree = tree;
    this.#isProgram = isProgram;
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
    if (this.#tree.frame[to] !== called) return to;
    const depth = this.#depth[to]!;
    this.#atBefore[node] = this.#at[depth]!;
    this.#calledBefore[node] = this.#calledAt[called]!;
    this.#at[depth] = to;
    this.#calledAt[called] = to;
    return to;
  }

  /** Leaves a node for which {@link enter} returned `to`. */
  leave(node: number, to: number, called: number): void {
    if (this.#tree.frame[to] !== called) return;
    this.#at[this.#depth[to]!] = this.#atBefore[node]!;
    this.#calledAt[called] = this.#calledBefore[node]!;
  }

  #called(caller: number, called: number): number {
    const isInProgram = this.#isInProgram[caller] === 1;
    const isProgram = this.#isProgram[called] === 1;
    if (isProgram && !isInProgram) return this.#child(ROOT, called);
    if (!isProgram && isInProgram && this.#isProgram[this.#tree.frame[caller]!] === 0) return caller;
    const last = this.#calledAt[called]!;
    const depth = this.#depth[last]!;
    const isInStack = last !== ROOT && depth <= this.#depth[caller]! && this.#at[depth] === last;
    return isInStack ? last : this.#child(caller, called);
  }

  #child(caller: number, called: number): number {
    const node = this.#tree.child(caller, called);
    this.#depth[node] = this.#depth[caller]! + 1;
    this.#isInProgram[node] = caller === ROOT ? this.#isProgram[called]! : this.#isInProgram[caller]!;
    return node;
  }
}
