import { ROOT } from "../profile/call-tree.js";
import type { Diagnostics } from "../profile/diagnostics.js";
import { UNKNOWN_STATE, type VmState } from "../profile/vm-state.js";
import { type FunctionFrames, stateOfFrame } from "./call-frames.js";
import { InputTree } from "./input-tree.js";
import type { NumberList } from "./number-list.js";

/** Stands for no node. */
export const NONE = -1;

/** Stands for the place of a node whose callers are being put into the tree. */
const OPEN = -2;

/** The stacks of nodes as a call tree, which has those that are asked for. */
export class NodeStacks {
  readonly tree: InputTree;
  readonly #functions: FunctionFrames;
  readonly #frames: NumberList;
  readonly #parents: NumberList;
  readonly #diagnostics: Diagnostics;
  /** By node: the tree's node; {@link NONE} until it is asked for. */
  readonly #nodes: Int32Array;
  readonly #program: number;
  readonly #unknown: number;
  readonly #root: number;

  constructor(functions: FunctionFrames, frames: NumberList, parents: NumberList, diagnostics: Diagnostics) {
    const { length } = frames;
    this.#functions = functions;
    this.#frames = frames;
    this.#parents = parents;
    this.#diagnostics = diagnostics;
    this.#program = functions.of({ functionName: "(program)" });
    this.#unknown = functions.of({ functionName: "UNKNOWN" });
    this.#root = functions.of({ functionName: "(root)" });
    this.#nodes = new Int32Array(length).fill(NONE);
    this.tree = new InputTree((functionName) => functions.of({ functionName }), Math.max(1024, length));
  }

  /** Returns the tree's node of a node, -1 for an unknown one, at a line and a column. */
  nodeAt(node: number, line: number, column: number): number {
    if (node < 0) return this.tree.child(ROOT, this.#unknown);
    const frame = this.#frames.at(node);
    const parent = this.#parents.at(node);
    if (parent === NONE)
      return this.tree.child(
        ROOT,
        frame === this.#root ? this.#program : this.#functions.atLine(frame, line, column),
      );
    this.#resolve(parent);
    const made = this.tree.child(this.#nodes[parent]!, this.#functions.atLine(frame, line, column));
    if (this.tree.isCut(made)) this.#diagnostics.add("deep-calls", 1);
    return made;
  }

  stateOf(node: number): VmState {
    return node < 0 ? UNKNOWN_STATE : stateOfFrame(this.#functions.frames[this.#frames.at(node)]!);
  }

  /** Returns whether a node is what V8 calls all that is not JavaScript. */
  isProgram(node: number): boolean {
    return node >= 0 && this.#frames.at(node) === this.#program;
  }

  /** Puts a node and its callers into the tree. */
  #resolve(node: number): void {
    const open: number[] = [];
    let caller = node;
    while (caller !== NONE && this.#nodes[caller] === NONE) {
      this.#nodes[caller] = OPEN;
      open.push(caller);
      caller = this.#parents.at(caller);
    }
    if (open.length === 0) return;
    if (caller !== NONE && this.#nodes[caller] === OPEN) {
      this.#diagnostics.add("node-cycle", 1);
      caller = NONE;
    }
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const above = caller === NONE ? ROOT : this.#nodes[caller]!;
      const isRoot = caller === NONE && this.#frames.at(one) === this.#root;
      this.#nodes[one] = isRoot ? ROOT : this.tree.child(above, this.#frames.at(one));
      caller = one;
    }
  }
}
