import { hashOf } from "./pair-numbers.js";

/** The columns of a tree that a {@link ChildTable} finds nodes in. They may be replaced by longer ones. */
interface TreeColumns {
  readonly parent: Int32Array;
  readonly frame: Int32Array;
}

const LEAST_SLOTS = 64;

/**
 * Finds the nodes of a call tree by parent and frame: a hash table with open addressing. It holds only the
 * numbers of nodes, whose keys stay in the columns of the tree.
 */
export class ChildTable {
  readonly #tree: TreeColumns;
  /** 0 is a free slot, because the root is nobody's child. */
  #slots = new Int32Array(LEAST_SLOTS);
  #length = 0;

  constructor(tree: TreeColumns) {
    this.#tree = tree;
  }

  /** Returns the node for `frame` called from `parent`; 0 if it was not added. */
  find(parent: number, frame: number): number {
    const tree = this.#tree;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(parent, frame) & mask;
    for (let node = slots[slot]!; node !== 0; node = slots[slot]!) {
      if (tree.frame[node] === frame && tree.parent[node] === parent) return node;
      slot = (slot + 1) & mask;
    }
    return 0;
  }

  /** Adds a node that is not there yet. Its parent and frame are in the columns. */
  add(node: number): void {
    if (++this.#length * 2 > this.#slots.length) {
      const old = this.#slots;
      this.#slots = new Int32Array(old.length * 2);
      for (const other of old) if (other !== 0) this.#put(other);
    }
    this.#put(node);
  }

  #put(node: number): void {
    const mask = this.#slots.length - 1;
    let slot = hashOf(this.#tree.parent[node]!, this.#tree.frame[node]!) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = node;
  }
}

/**
 * Finds the nodes of a long tree as a {@link ChildTable} does, in less time and memory: most nodes are the only child of
 * their caller, and only the others are in a table.
 */
export class SiblingTable {
  readonly #tree: TreeColumns;
  readonly #siblings: ChildTable;
  /** By node: the child that was added or found last; its complement if there is no other; 0 if there is none. */
  readonly #last: Int32Array;

  /** `length` is the number of nodes that the tree has at most. */
  constructor(tree: TreeColumns, length: number) {
    this.#tree = tree;
    this.#siblings = new ChildTable(tree);
    this.#last = new Int32Array(length);
  }

  /** Returns the node for `frame` called from `parent`; 0 if it was not added. */
  find(parent: number, frame: number): number {
    const last = this.#last[parent]!;
    if (last === 0) return 0;
    const child = last < 0 ? ~last : last;
    if (this.#tree.frame[child] === frame) return child;
    if (last < 0) return 0;
    const found = this.#siblings.find(parent, frame);
    if (found !== 0) this.#last[parent] = found;
    return found;
  }

  /** Adds a node that is not there yet. Its parent and frame are in the columns. */
  add(node: number): void {
    const parent = this.#tree.parent[node]!;
    const last = this.#last[parent]!;
    this.#last[parent] = last === 0 ? ~node : node;
    if (last === 0) return;
    if (last < 0) this.#siblings.add(~last);
    this.#siblings.add(node);
  }
}
