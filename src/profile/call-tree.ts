import { firstOf, widened } from "../base/columns.js";
import { hashOf } from "../base/pair-numbers.js";

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
class ChildTable {
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
 * All sampled stacks as a tree in columns. Node 0 is the root and has no frame: its `frame` and `parent` are
 * -1. For every other node `parent[n] < n`, so a loop from the end sums children into parents. A node stands
 * for a whole stack: its frame is the leaf, its ancestors are the callers.
 */
export interface CallTree {
  readonly length: number;
  /** The node of the caller. Only the first `length` entries count. */
  readonly parent: Int32Array;
  /** An index into the profile's frames. Only the first `length` entries count. */
  readonly frame: Int32Array;
}

export const ROOT = 0;

/** A node with more children than this finds them by the hash table. */
const LIST_LIMIT = 16;
/** In place of the number of children: more than {@link LIST_LIMIT}. */
const IN_TABLE = 255;

/**
 * Builds a {@link CallTree}. The children of a node are a linked list with the last hit in front, where real
 * stacks nearly always find it. A node with more than 16 children uses a hash table over (parent, frame).
 */
export class CallTreeBuilder implements CallTree {
  length = 1;
  parent: Int32Array;
  frame: Int32Array;
  #firstChild: Int32Array;
  #nextSibling: Int32Array;
  /** The number of children of each node; {@link IN_TABLE} once they are in the table. */
  #childCount: Uint8Array;
  readonly #table = new ChildTable(this);

  constructor(capacity = 1024) {
    this.parent = new Int32Array(capacity);
    this.frame = new Int32Array(capacity);
    this.#firstChild = new Int32Array(capacity);
    this.#nextSibling = new Int32Array(capacity);
    this.#childCount = new Uint8Array(capacity);
    this.parent[ROOT] = -1;
    this.frame[ROOT] = -1;
  }

  /** Returns the node for `frame` called from `parent`, and adds it if it is new. */
  child(parent: number, frame: number): number {
    const frames = this.frame;
    const next = this.#nextSibling;
    const first = this.#firstChild[parent]!;
    if (first !== 0 && frames[first] === frame) return first;
    if (this.#childCount[parent] === IN_TABLE) {
      const found = this.#hashedChild(parent, frame);
      this.#firstChild[parent] = found; // No list any more: this is just the last hit.
      return found;
    }
    let previous = first;
    let node = first === 0 ? 0 : next[first]!;
    while (node !== 0) {
      if (frames[node] === frame) {
        next[previous] = next[node]!;
        next[node] = first;
        this.#firstChild[parent] = node;
        return node;
      }
      previous = node;
      node = next[node]!;
    }
    const made = this.#add(parent, frame);
    if (++this.#childCount[parent]! > LIST_LIMIT) this.#moveToTable(parent);
    return made;
  }

  /** Returns the tree as it is now, with columns of exactly its length. Nodes that are added later do not change it. */
  finish(): CallTree {
    const { length } = this;
    return { length, parent: firstOf(this.parent, length), frame: firstOf(this.frame, length) };
  }

  #add(parent: number, frame: number): number {
    if (this.length === this.parent.length) this.#grow();
    const node = this.length++;
    this.parent[node] = parent;
    this.frame[node] = frame;
    this.#nextSibling[node] = this.#firstChild[parent]!;
    this.#firstChild[parent] = node;
    return node;
  }

  #hashedChild(parent: number, frame: number): number {
    const found = this.#table.find(parent, frame);
    if (found !== 0) return found;
    const made = this.#add(parent, frame);
    this.#table.add(made);
    return made;
  }

  #moveToTable(parent: number): void {
    this.#childCount[parent] = IN_TABLE;
    for (let node = this.#firstChild[parent]!; node !== 0; node = this.#nextSibling[node]!)
      this.#table.add(node);
  }

  #grow(): void {
    const capacity = this.parent.length * 2;
    this.parent = widened(this.parent, capacity);
    this.frame = widened(this.frame, capacity);
    this.#firstChild = widened(this.#firstChild, capacity);
    this.#nextSibling = widened(this.#nextSibling, capacity);
    this.#childCount = widened(this.#childCount, capacity);
  }
}

/** Yields the frames from a node up to the root, leaf first, as indices into the profile's frames. */
export function* stackOf(tree: CallTree, node: number): Iterable<number> {
  for (let n = node; n !== ROOT; n = tree.parent[n]!) yield tree.frame[n]!;
}

/** The nodes of a call tree in depth-first order: each is followed by all nodes below it. The root is at position 0. */
export interface DepthFirst {
  /** By position: the node. */
  readonly nodes: Int32Array;
  /** By position: that behind the last node below it. */
  readonly ends: Int32Array;
}

/** Returns the order of the nodes of a finished tree. Siblings are in the order of their numbers. */
export function depthFirst({ length, parent }: Pick<CallTree, "length" | "parent">): DepthFirst {
  /** By node: how many nodes are below it, with itself. */
  const sizes = new Int32Array(length);
  for (let node = length - 1; node > ROOT; node--) sizes[parent[node]!]! += ++sizes[node]!;
  sizes[ROOT]!++;
  /** By node: the position of its next child. */
  const next = new Int32Array(length);
  next[ROOT] = 1;
  const nodes = new Int32Array(length);
  const ends = new Int32Array(length);
  ends[0] = length;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const position = next[caller]!;
    const end = position + sizes[node]!;
    next[caller] = end;
    next[node] = position + 1;
    nodes[position] = node;
    ends[position] = end;
  }
  return { nodes, ends };
}

/** The groups of the nodes of a tree. */
interface NodeGroups {
  readonly count: number;
  /** Returns the group of a node; -1 for none. */
  of(node: number): number;
}

/** Visits the nodes without a caller of the same group, but the root: what counts once a stack, however often a group is in it. */
export function visitOutermost(
  { nodes, ends }: DepthFirst,
  groups: NodeGroups,
  visit: (node: number, group: number) => void,
): void {
  /** By group: where the nodes below its last one end. */
  const open = new Int32Array(groups.count);
  for (let at = 1; at < nodes.length; at++) {
    const node = nodes[at]!;
    const group = groups.of(node);
    if (group < 0 || at < open[group]!) continue;
    open[group] = ends[at]!;
    visit(node, group);
  }
}
