import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Ticks } from "../profile/units.js";
import type { Callable, FunctionStacks } from "./function-stacks.js";
import type { FunctionTree } from "./function-tree.js";

/** What a tree leaves out at one place. */
export interface Omitted {
  readonly functions: number;
  readonly ticks: Ticks;
}

/** A node of a tree that is shown. `ticks` = `self` + `withoutCaller` + the ticks of its rows + `omitted.ticks`. */
export interface TreeRow {
  /** 0 at the top. */
  readonly depth: number;
  /** The index of the row that it is under; -1 at the top. */
  readonly parent: number;
  readonly callable: Callable;
  readonly ticks: Ticks;
  /** Top-down: ticks in the function itself. Heavy: 0. */
  readonly self: Ticks;
  /** Heavy: ticks of the stacks that begin with the function. Top-down: 0. */
  readonly withoutCaller: Ticks;
  /** Of `ticks`, those in which the caller's code holds the function. */
  readonly inlined: Ticks;
  /** How deep the function calls itself at most; 1 where it does not. */
  readonly recursion: number;
  /** How many rows are right under it. */
  readonly children: number;
  /** What is right under it and not shown. */
  readonly omitted: Omitted;
}

/** What is shown of a tree. The rows at the top and `omitted` sum to `ticks`. */
export interface TreeRows {
  readonly ticks: Ticks;
  /** Depth first, those under one row by ticks. */
  readonly rows: readonly TreeRow[];
  readonly omitted: Omitted;
}

export interface TreeLimits {
  /** How many levels are shown. */
  readonly depth: number;
  /** How many ticks a row has at least. */
  readonly least: Ticks;
}

/** The rows of a tree within limits. */
export function treeRows(functions: FunctionTree, stacks: FunctionStacks, limits: TreeLimits): TreeRows {
  const { tree, ticks, self, withoutCaller, inlined, recursion } = functions;
  const children = new Children(functions, stacks, limits);
  const rows: TreeRow[] = [];
  const top = children.of(ROOT, 0);
  const waiting = top.shown.map((node) => ({ node, depth: 0, parent: -1 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth, parent } = next;
    const { shown, omitted } = children.of(node, depth + 1);
    rows.push({
      depth,
      parent,
      callable: stacks.callableOf(tree.frame[node]!),
      ticks: ticks[node]!,
      self: self[node]!,
      withoutCaller: withoutCaller[node]!,
      inlined: inlined[node]!,
      recursion: recursion[node]!,
      children: shown.length,
      omitted,
    });
    const row = rows.length - 1;
    for (const child of shown.reverse()) waiting.push({ node: child, depth: depth + 1, parent: row });
  }
  return { ticks: ticks[ROOT]!, rows, omitted: top.omitted };
}

/** The children of the nodes of a tree, as far as they are shown. */
class Children {
  readonly #functions: FunctionTree;
  readonly #stacks: FunctionStacks;
  readonly #limits: TreeLimits;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(functions: FunctionTree, stacks: FunctionStacks, limits: TreeLimits) {
    const { tree }: { tree: CallTree } = functions;
    this.#functions = functions;
    this.#stacks = stacks;
    this.#limits = limits;
    this.#first = new Int32Array(tree.length);
    this.#next = new Int32Array(tree.length);
    for (let node = tree.length - 1; node > ROOT; node--) {
      this.#next[node] = this.#first[tree.parent[node]!]!;
      this.#first[tree.parent[node]!] = node;
    }
  }

  /** The children of a node, which stand at this depth, most ticks first. */
  of(parent: number, depth: number): { shown: number[]; omitted: Omitted } {
    const { ticks } = this.#functions;
    const shown: number[] = [];
    const omitted = { functions: 0, ticks: 0 };
    for (let node = this.#first[parent]!; node !== ROOT; node = this.#next[node]!) {
      if (ticks[node] === 0) continue;
      if (depth < this.#limits.depth && ticks[node]! >= this.#limits.least) {
        shown.push(node);
      } else {
        omitted.functions++;
        omitted.ticks += ticks[node]!;
      }
    }
    return { shown: shown.sort((a, b) => this.#compare(a, b)), omitted };
  }

  #compare(a: number, b: number): number {
    const { ticks, self, withoutCaller, tree } = this.#functions;
    return (
      ticks[b]! - ticks[a]! ||
      self[b]! - self[a]! ||
      withoutCaller[b]! - withoutCaller[a]! ||
      compareNames(this.#nameOf(tree.frame[a]!), this.#nameOf(tree.frame[b]!)) ||
      tree.frame[a]! - tree.frame[b]!
    );
  }

  #nameOf(key: number): string {
    const callable = this.#stacks.callableOf(key);
    return callable.kind === "state" ? callable.state : callable.function.title;
  }
}

/** By UTF-16 units, which no locale changes. */
function compareNames(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
