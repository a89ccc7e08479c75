import { reaching } from "../base/columns.js";
import { INPUT_STACK_DEPTH } from "../base/limits.js";
import { type CallTree, CallTreeBuilder } from "../profile/call-tree.js";

/** So many frames of a deep stack are kept at its root. */
const OUTERMOST = INPUT_STACK_DEPTH / 2;

/**
 * The call tree of a profile, whose stacks have {@link INPUT_STACK_DEPTH} frames at most: some formats write all frames of each stack,
 * and a file of 200 KB can have 20,000 stacks that are a call deeper each. A call below a stack of so many frames begins again at
 * the outermost half of them, below a frame that says how many are left out. So each call takes one node, and no leaf is lost.
 */
export class InputTree {
  readonly #tree: CallTreeBuilder;
  /** By node: the frames of its stack, with those left out, and how many are there. */
  #depth = new Int32Array(64);
  #kept = new Int32Array(64);
  /** By node: its caller at the depth that is kept of deep stacks; the root above it. */
  #outermost = new Int32Array(64);
  readonly #frameOf: (name: string) => number;

  /** `frameOf` returns the number of the frame with a name. */
  constructor(frameOf: (name: string) => number, capacity?: number) {
    this.#tree = new CallTreeBuilder(capacity);
    this.#frameOf = frameOf;
  }

  get length(): number {
    return this.#tree.length;
  }

  /** Returns the node for `frame` called from `parent`. */
  child(parent: number, frame: number): number {
    if (this.#kept[parent]! < INPUT_STACK_DEPTH) return this.#child(parent, frame);
    const left = this.#depth[parent]! - OUTERMOST;
    const mark = this.#child(this.#outermost[parent]!, this.#frameOf(`(${left} frames left out)`));
    this.#depth[mark] = this.#depth[parent]!;
    return this.#child(mark, frame);
  }

  /** Returns whether frames of a node's stack are left out. */
  isCut(node: number): boolean {
    return this.#depth[node]! > INPUT_STACK_DEPTH;
  }

  finish(): CallTree {
    return this.#tree.finish();
  }

  #child(parent: number, frame: number): number {
    const known = this.#tree.length;
    const node = this.#tree.child(parent, frame);
    if (node < known) return node;
    this.#depth = reaching(this.#depth, node);
    this.#kept = reaching(this.#kept, node);
    this.#outermost = reaching(this.#outermost, node);
    this.#depth[node] = this.#depth[parent]! + 1;
    this.#kept[node] = this.#kept[parent]! + 1;
    this.#outermost[node] = this.#kept[node] === OUTERMOST ? node : this.#outermost[parent]!;
    return node;
  }
}
