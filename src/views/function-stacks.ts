import { type CallTree, ROOT } from "../profile/call-tree.js";
import { type Frame, isInferred } from "../profile/frame.js";
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

/** By node: the outermost node of the direct recursion that ends there, its depth, and 1 if its stack is native code alone. */
interface RecursionMarks {
  readonly entry: Int32Array;
  readonly run: Int32Array;
  readonly isBare: Uint8Array;
}

/** By frame: 1 if it is native or unknown, if its function is inlined into its caller's code, and if it is inferred. */
interface FrameMarks {
  readonly isNative: Uint8Array;
  readonly isInlined: Uint8Array;
  readonly isInferred: Uint8Array;
}

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
  readonly marks: FrameMarks;
  readonly #tree: CallTree;
  readonly #samples: SampleTable;
  /** By node: the outermost node of the direct recursion that ends here. */
  readonly #entry: Int32Array;
  /** By node: the depth of the direct recursion; 1 if the caller is another function, 0 for the root. */
  readonly run: Int32Array;
  /** By node: 1 if the stack is native code alone. */
  readonly isBareAt: Uint8Array;

  constructor(profile: Profile) {
    const { frames, tree, samples, table } = Analysis.of(profile);
    this.table = table;
    this.marks = marksOf(frames);
    this.#tree = tree;
    this.#samples = samples;
    const { ofFrame } = this.table;
    const { isNative } = this.marks;
    const found = markRecursion(tree, ofFrame, isNative);
    this.#entry = found.entry;
    this.run = found.run;
    this.isBareAt = found.isBare;
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
    return node > ROOT && this.isBareAt[node] === 1;
  }

  /** Returns whether the function is inlined into its caller's code. */
  isInlined(node: number): boolean {
    return node > ROOT && this.marks.isInlined[this.#entryFrame(node)] === 1;
  }

  /** Returns whether the function is not in the log, but inferred. */
  isInferred(node: number): boolean {
    return node > ROOT && this.marks.isInferred[this.#entryFrame(node)] === 1;
  }

  /** Returns the frame of the outermost node of the direct recursion that ends at a node. */
  #entryFrame(node: number): number {
    return this.#tree.frame[this.#entry[node]!]!;
  }

  /** Returns how deep the function has called itself at a node; 1 if it has not. */
  recursionAt(node: number): number {
    return node <= ROOT ? 1 : this.run[node]!;
  }
}

function marksOf(frames: readonly Frame[]): FrameMarks {
  const { length } = frames;
  const marks: FrameMarks = {
    isNative: new Uint8Array(length),
    isInlined: new Uint8Array(length),
    isInferred: new Uint8Array(length),
  };
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    if (frame.kind === "native" || frame.kind === "unknown") marks.isNative[number] = 1;
    if (frame.kind === "js" && frame.inlined) marks.isInlined[number] = 1;
    if (isInferred(frame)) marks.isInferred[number] = 1;
  }
  return marks;
}

function markRecursion(tree: CallTree, ofFrame: Int32Array, isNative: Uint8Array): RecursionMarks {
  const { length, parent, frame } = tree;
  const entry = new Int32Array(length);
  const run = new Int32Array(length);
  const isBare = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const number = frame[node]!;
    const isAgain = caller !== ROOT && ofFrame[frame[caller]!] === ofFrame[number];
    entry[node] = isAgain ? entry[caller]! : node;
    run[node] = isAgain ? run[caller]! + 1 : 1;
    if (isNative[number] === 1 && (caller === ROOT || isBare[caller] === 1)) isBare[node] = 1;
  }
  return { entry, run, isBare };
}
