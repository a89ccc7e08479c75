import { marksOf } from "../base/columns.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import { isInferred, isInlined } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
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
  readonly #tree: CallTree;
  readonly #samples: SampleTable;
  /** By frame: 1 if its function is inlined into its caller's code. */
  readonly #isInlined: Uint8Array;
  /** By frame: 1 if it is inferred. */
  readonly #isInferred: Uint8Array;
  /** By node: the outermost node of the direct recursion that ends here. */
  readonly #entry: Int32Array;
  /** By node: the depth of the direct recursion; 1 if the caller is another function, 0 for the root. */
  readonly #run: Int32Array;
  /** By node: 1 if the stack is native code alone. */
  readonly #isBare: Uint8Array;

  constructor(profile: Profile) {
    const { frames, tree, samples, table } = Analysis.of(profile);
    this.table = table;
    this.#tree = tree;
    this.#samples = samples;
    this.#isInlined = marksOf(frames, isInlined);
    this.#isInferred = marksOf(frames, isInferred);
    const isNative = marksOf(frames, ({ kind }) => kind === "native" || kind === "unknown");
    const { length, parent, frame } = tree;
    const { ofFrame } = table;
    this.#entry = new Int32Array(length);
    this.#run = new Int32Array(length);
    this.#isBare = new Uint8Array(length);
    for (let node = ROOT + 1; node < length; node++) {
      const caller = parent[node]!;
      const number = frame[node]!;
      const isAgain = caller !== ROOT && ofFrame[frame[caller]!] === ofFrame[number];
      this.#entry[node] = isAgain ? this.#entry[caller]! : node;
      this.#run[node] = isAgain ? this.#run[caller]! + 1 : 1;
      if (isNative[number] === 1 && (caller === ROOT || this.#isBare[caller] === 1)) this.#isBare[node] = 1;
    }
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
    return node > ROOT && this.#isInlined[this.#entryFrame(node)] === 1;
  }

  /** Returns whether the function is not in the log, but inferred. */
  isInferred(node: number): boolean {
    return node > ROOT && this.#isInferred[this.#entryFrame(node)] === 1;
  }

  /** Returns the frame of the outermost node of the direct recursion that ends at a node. */
  #entryFrame(node: number): number {
    return this.#tree.frame[this.#entry[node]!]!;
  }

  /** Returns how deep the function has called itself at a node; 1 if it has not. */
  recursionAt(node: number): number {
    return node <= ROOT ? 1 : this.#run[node]!;
  }
}
