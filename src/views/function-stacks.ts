import { type CallTree, ROOT } from "../profile/call-tree.js";
import { type Frame, isInferred } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { FunctionTable, type ProfiledFunction } from "./function-table.js";
import type { LeafFirstStacks } from "./heavy-tree.js";

/** A node of a function tree: a function, or the VM state of native code that nothing called. */
export type Callable =
  | { readonly kind: "function"; readonly function: ProfiledFunction }
  | { readonly kind: "state"; readonly state: VmStateName };

/**
 * The stacks of a profile as functions that call functions. A function that calls itself directly is one
 * node, however deep it recurses. A stack of native code alone, such as the garbage collector's, begins with
 * its VM state.
 *
 * A node is one of the call tree, or `-1 - state` for a VM state. A key is an index into the functions of the
 * table or, after those, into the VM states.
 */
export class FunctionStacks implements LeafFirstStacks {
  readonly table: FunctionTable;
  readonly #frames: readonly Frame[];
  readonly #tree: CallTree;
  readonly #samples: SampleTable;
  /** By node: the outermost node of the direct recursion that ends here. */
  readonly #entry: Int32Array;
  /** By node: the depth of the direct recursion; 1 if the caller is another function. */
  readonly #run: Int32Array;
  /** By node: 1 if the stack is native code alone. */
  readonly #isBare: Uint8Array;

  constructor({ frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">) {
    this.table = new FunctionTable(frames);
    this.#frames = frames;
    this.#tree = tree;
    this.#samples = samples;
    this.#entry = new Int32Array(tree.length);
    this.#run = new Int32Array(tree.length);
    this.#isBare = new Uint8Array(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      const parent = tree.parent[node]!;
      const isAgain = parent !== ROOT && this.keyAt(parent) === this.keyAt(node);
      this.#entry[node] = isAgain ? this.#entry[parent]! : node;
      this.#run[node] = isAgain ? this.#run[parent]! + 1 : 1;
      const { kind } = frames[tree.frame[node]!]!;
      const isNative = kind === "native" || kind === "unknown";
      this.#isBare[node] = isNative && (parent === ROOT || this.#isBare[parent] === 1) ? 1 : 0;
    }
  }

  /** The number of keys. */
  get keys(): number {
    return this.table.functions.length + VM_STATES.length;
  }

  /** Returns the function or VM state of a key. */
  callableOf(key: number): Callable {
    const { functions } = this.table;
    const known = functions[key];
    if (known !== undefined) return { kind: "function", function: known };
    return { kind: "state", state: VM_STATES[key - functions.length]! };
  }

  keyAt(node: number): number {
    if (node < 0) return this.table.functions.length - 1 - node;
    return this.table.ofFrame[this.#tree.frame[node]!]!;
  }

  leafOf(sample: number): number {
    return this.#samples.node[sample]!;
  }

  callerOf(node: number, sample: number): number {
    if (node < 0) return ROOT;
    const caller = this.#tree.parent[this.#entry[node]!]!;
    return caller === ROOT && this.isBare(node) ? -1 - this.#samples.vmState[sample]! : caller;
  }

  /** Returns whether the stack of a node is native code alone. */
  isBare(node: number): boolean {
    return node > ROOT && this.#isBare[node] === 1;
  }

  /** Returns whether the function is inlined into its caller's code. */
  isInlined(node: number): boolean {
    if (node <= ROOT) return false;
    const frame = this.#frames[this.#tree.frame[this.#entry[node]!]!]!;
    return frame.kind === "js" && frame.inlined;
  }

  /** Returns whether the function is not in the log, but inferred. */
  isInferred(node: number): boolean {
    return node > ROOT && isInferred(this.#frames[this.#tree.frame[this.#entry[node]!]!]!);
  }

  /** Returns how deep the function has called itself at a node; 1 if it has not. */
  recursionAt(node: number): number {
    return node <= ROOT ? 1 : this.#run[node]!;
  }
}
