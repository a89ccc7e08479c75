import { type CallTree, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import { copyBytes, type PackedNames } from "./packed-names.js";

/** Callers are remembered from line to line up to so many bytes, and so are stretches. A line can have any number. */
const MOST_REMEMBERED = 1 << 22;
/** About how many frames a stretch has. */
const STRETCH = 16;
/** The most bytes of a stretch. */
const LONGEST_STRETCH = 1 << 13;

/** The names of a stack's callers, of which the next stack often shares the first. */
export class CallerNames {
  bytes = new Uint8Array(1 << 12);
  length = 0;
  readonly #tree: CallTree;
  readonly #named: PackedNames;
  readonly #stretches: Stretches;
  /** The nodes where a name or a stretch ends, callers first, and where in the bytes that is. */
  #nodes = new Int32Array(256);
  #ends = new Int32Array(256);
  #depth = 0;
  /** What is to be added, callers last: nodes, and for stretches `-1 - stretch`. */
  #fresh = new Int32Array(256);

  constructor(tree: CallTree, named: PackedNames) {
    this.#tree = tree;
    this.#named = named;
    this.#stretches = new Stretches(tree, named);
  }

  /** Makes the bytes those of a node and its callers. Returns the last nodes, if their names are too many bytes. */
  moveTo(last: number): readonly number[] {
    const { parent } = this.#tree;
    this.#stretches.makeRoom();
    let count = 0;
    for (let node = last; !this.#returnTo(node); count++) {
      this.#fresh = reaching(this.#fresh, count);
      const stretch = this.#stretches.endingAt(node);
      this.#fresh[count] = stretch < 0 ? node : -1 - stretch;
      node = stretch < 0 ? parent[node]! : this.#stretches.aboveOf(stretch);
    }
    while (count > 0 && this.#add(this.#fresh[count - 1]!)) count--;
    return count === 0 ? NONE : this.#nodesUpTo(last);
  }

  /** Drops what is not above a node or the node itself. Returns whether the node is the root or here. */
  #returnTo(node: number): boolean {
    // A node comes after its caller.
    while (this.#depth > 0 && this.#nodes[this.#depth - 1]! > node) this.#depth--;
    this.length = this.#depth === 0 ? 0 : this.#ends[this.#depth - 1]!;
    return node === ROOT || (this.#depth > 0 && this.#nodes[this.#depth - 1] === node);
  }

  /** Adds a node or a stretch below what is here. Returns false if that would be too many bytes. */
  #add(fresh: number): boolean {
    if (fresh < 0) {
      const stretches = this.#stretches;
      const stretch = -1 - fresh;
      const [start, end] = [stretches.start(stretch), stretches.end(stretch)];
      return this.#put(stretches.nodeOf(stretch), stretches.bytes, start, end);
    }
    const name = this.#tree.frame[fresh]!;
    return this.#put(fresh, this.#named.bytes, this.#named.start(name), this.#named.end(name));
  }

  #put(node: number, from: Uint8Array, start: number, end: number): boolean {
    const length = this.length + end - start;
    if (length > MOST_REMEMBERED) return false;
    this.bytes = reaching(this.bytes, length);
    copyBytes(from, start, end, this.bytes, this.length);
    this.length = length;
    this.#nodes = reaching(this.#nodes, this.#depth);
    this.#ends = reaching(this.#ends, this.#depth);
    this.#nodes[this.#depth] = node;
    this.#ends[this.#depth++] = length;
    return true;
  }

  /** Returns the nodes below what is here, up to a node, callers first. */
  #nodesUpTo(last: number): readonly number[] {
    const nodes: number[] = [];
    const top = this.#depth === 0 ? ROOT : this.#nodes[this.#depth - 1]!;
    for (let node = last; node !== top; node = this.#tree.parent[node]!) nodes.push(node);
    return nodes.reverse();
  }
}

const NONE: readonly number[] = [];

/**
 * The names of stretches of stacks, each from below a node whose number is a multiple of {@link STRETCH} up to the next such
 * node: deep stacks are put together from a few of them.
 */
class Stretches {
  bytes = new Uint8Array(1 << 12);
  readonly #tree: CallTree;
  readonly #named: PackedNames;
  /** By the node where it ends: the number of a stretch; -1 for one that is too long. */
  readonly #known = new Map<number, number>();
  #used = 0;
  /** By stretch: the node where it ends, the one above it, and the ends of its bytes. */
  #nodes = new Int32Array(64);
  #above = new Int32Array(64);
  #ends = new Int32Array(64);
  #count = 0;
  #path = new Int32Array(STRETCH);

  constructor(tree: CallTree, named: PackedNames) {
    this.#tree = tree;
    this.#named = named;
  }

  /** Forgets all stretches if there is no room for more. */
  makeRoom(): void {
    if (this.#used + LONGEST_STRETCH <= MOST_REMEMBERED) return;
    this.#known.clear();
    this.#used = 0;
    this.#count = 0;
  }

  /** Returns the stretch that ends at a node; -1 if none does. */
  endingAt(node: number): number {
    if (node % STRETCH !== 0) return -1;
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    if (this.#used + LONGEST_STRETCH > MOST_REMEMBERED) return -1;
    const made = this.#make(node);
    this.#known.set(node, made);
    return made;
  }

  nodeOf(stretch: number): number {
    return this.#nodes[stretch]!;
  }

  aboveOf(stretch: number): number {
    return this.#above[stretch]!;
  }

  start(stretch: number): number {
    return stretch === 0 ? 0 : this.#ends[stretch - 1]!;
  }

  end(stretch: number): number {
    return this.#ends[stretch]!;
  }

  #make(last: number): number {
    const { parent, frame } = this.#tree;
    const named = this.#named;
    let count = 0;
    let length = 0;
    let node = last;
    do {
      const name = frame[node]!;
      length += named.end(name) - named.start(name);
      if (length > LONGEST_STRETCH) return -1;
      this.#path = reaching(this.#path, count);
      this.#path[count++] = name;
      node = parent[node]!;
    } while (node % STRETCH !== 0);
    this.bytes = reaching(this.bytes, this.#used + length);
    while (count > 0) {
      const name = this.#path[--count]!;
      const [start, end] = [named.start(name), named.end(name)];
      copyBytes(named.bytes, start, end, this.bytes, this.#used);
      this.#used += end - start;
    }
    this.#nodes = reaching(this.#nodes, this.#count);
    this.#above = reaching(this.#above, this.#count);
    this.#ends = reaching(this.#ends, this.#count);
    this.#nodes[this.#count] = last;
    this.#above[this.#count] = node;
    this.#ends[this.#count] = this.#used;
    return this.#count++;
  }
}
