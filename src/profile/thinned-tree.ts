import { type CallTree, ROOT } from "./call-tree.js";
import { ChildTable } from "./child-table.js";
import { reaching } from "./columns.js";

/** The options of {@link ThinnedTree}. */
interface ThinnedTreeOptions {
  /** Zeros for {@link ThinnedTree.numbers}. Default: a column of its own. */
  readonly numbers?: Int32Array | undefined;
  /**
   * Whether the old tree is overwritten, node by node as nodes are kept; do not call {@link ThinnedTree.adopted} before that is
   * done. Default: false.
   */
  readonly overwrites?: boolean | undefined;
}

/**
 * Builds a call tree from another one, node by node in its order, without some of the nodes. Most of the tree stays as
 * it is, so most nodes are only moved up: children are looked up only where some may be equal.
 */
export class ThinnedTree implements CallTree {
  length = 1;
  parent: Int32Array;
  frame: Int32Array;
  /** By old node: the new one. */
  readonly numbers: Int32Array;
  readonly #old: CallTree;
  readonly #adopts: Uint8Array;
  /** By new node: 1 if it stands for an old node. */
  #isTaken: Uint8Array;
  /** By new node: 1 if its children are in the table. */
  #isOpen: Uint8Array;
  /** By new node: 1 if it stands for several. */
  #isShared: Uint8Array;
  readonly #table = new ChildTable(this);
  /** The children of the nodes that are not open; undefined until needed. */
  #children: ChildLists | undefined;

  /**
   * `adopts` has 1 for the old nodes that get children other than their own, and for the root if it does.
   */
  constructor(old: CallTree, adopts: Uint8Array, { numbers, overwrites = false }: ThinnedTreeOptions = {}) {
    this.#old = old;
    this.#adopts = adopts;
    this.parent = overwrites ? old.parent : new Int32Array(old.length);
    this.frame = overwrites ? old.frame : new Int32Array(old.length);
    this.numbers = numbers ?? new Int32Array(old.length);
    this.#isTaken = new Uint8Array(old.length);
    this.#isOpen = new Uint8Array(old.length);
    this.#isShared = new Uint8Array(old.length);
    this.parent[ROOT] = -1;
    this.frame[ROOT] = -1;
    this.#isOpen[ROOT] = adopts[ROOT]!;
  }

  /** Keeps a node, with a frame. Call it, or {@link skip}, for each node whose children are kept. */
  keep(node: number, frame: number): void {
    const caller = this.numbers[this.#old.parent[node]!]!;
    const found = this.#isOpen[caller] === 1 ? this.#table.find(caller, frame) : 0;
    const kept = found === 0 ? this.#add(caller, frame) : found;
    this.numbers[node] = kept;
    if (this.#isTaken[kept] === 1) this.#share(kept);
    else {
      this.#isTaken[kept] = 1;
      if (this.#adopts[node] === 1) this.#isOpen[kept] = 1; // It has no children yet.
    }
  }

  /** Leaves a node out: its caller, which must adopt, gets its children. */
  skip(node: number): void {
    this.numbers[node] = this.numbers[this.#old.parent[node]!]!;
  }

  /** Returns a child of a new node that adopts, for samples of any other nodes. */
  adopted(caller: number, frame: number): number {
    const found = this.#table.find(caller, frame);
    const node = found === 0 ? this.#add(caller, frame) : found;
    this.#isShared[node] = 1;
    return node;
  }

  /** Takes note that a new node gets samples of other nodes. */
  take(node: number): void {
    this.#isShared[node] = 1;
  }

  /** By new node: 1 if it may have the samples of several nodes. Only the first `length` entries count. */
  get isShared(): Uint8Array {
    return this.#isShared;
  }

  /** Returns the tree. Call it once all nodes are kept. */
  finish(): CallTree {
    const { length } = this;
    return { length, parent: this.parent.subarray(0, length), frame: this.frame.subarray(0, length) };
  }

  #add(caller: number, frame: number): number {
    const node = this.length++;
    if (node === this.parent.length) this.#grow();
    this.parent[node] = caller;
    this.frame[node] = frame;
    if (this.#isOpen[caller] === 1) this.#table.add(node);
    else if (this.#children !== undefined) addChild(this.#children, caller, node);
    return node;
  }

  /** Makes a node stand for one more: each may have the same children. */
  #share(node: number): void {
    this.#isShared[node] = 1;
    this.#open(node);
  }

  /** Puts the children of a node that are there already in the table. */
  #open(node: number): void {
    if (this.#isOpen[node] === 1) return;
    this.#isOpen[node] = 1;
    this.#children ??= this.#childLists();
    const { first, next } = this.#children;
    for (let child = first[node]!; child !== 0; child = next[child]!) this.#table.add(child);
  }

  #childLists(): ChildLists {
    const { parent, length } = this;
    const lists = { first: new Int32Array(parent.length), next: new Int32Array(parent.length) };
    for (let node = ROOT + 1; node < length; node++) addChild(lists, parent[node]!, node);
    return lists;
  }

  #grow(): void {
    const last = this.length;
    this.parent = reaching(this.parent, last);
    this.frame = reaching(this.frame, last);
    this.#isTaken = reaching(this.#isTaken, last);
    this.#isOpen = reaching(this.#isOpen, last);
    this.#isShared = reaching(this.#isShared, last);
    if (this.#children === undefined) return;
    const { first, next } = this.#children;
    this.#children = { first: reaching(first, last), next: reaching(next, last) };
  }
}

/** By node: its first child and its next sibling; 0 for none. */
interface ChildLists {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function addChild({ first, next }: ChildLists, caller: number, node: number): void {
  if (first[caller] !== 0) next[node] = first[caller]!;
  first[caller] = node;
}
