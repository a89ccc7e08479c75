import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Callable, FunctionStacks } from "./function-stacks.js";
import type { FunctionTree } from "./function-tree.js";

/** What a tree leaves out below one node. */
export interface Omitted {
  readonly functions: number;
  readonly ticks: Ticks;
}

/**
 * A node of a tree that is shown. `ticks` = `self` + `withoutCaller` + the ticks of its rows +
 * `omitted.ticks`.
 */
export interface TreeRow {
  /** 0 at the top. */
  readonly depth: number;
  /** The index of the parent row; -1 at the top. */
  readonly parent: number;
  readonly callable: Callable;
  readonly ticks: Ticks;
  /** Top-down: ticks in the function itself. Heavy: 0. */
  readonly self: Ticks;
  /** Heavy: ticks of the stacks that begin with the function. Top-down: 0. */
  readonly withoutCaller: Ticks;
  /** The part of `ticks` in which the function is inlined into its caller's code. */
  readonly inlined: Ticks;
  /** The part of `ticks` in which the function is not in the log, but inferred. */
  readonly inferred: Ticks;
  /** The greatest depth of direct recursion; 1 if there is none. */
  readonly recursion: number;
  /** The number of rows directly below it. */
  readonly children: number;
  /** What is directly below it and not shown. */
  readonly omitted: Omitted;
}

/** The shown part of a tree. The top rows and `omitted` sum to `ticks`. */
export interface TreeRows {
  readonly ticks: Ticks;
  /** Depth first; siblings by ticks. */
  readonly rows: readonly TreeRow[];
  readonly omitted: Omitted;
}

export interface TreeLimits {
  /** The number of levels to show. */
  readonly depth: number;
  /** The minimum ticks of a row. */
  readonly least: Ticks;
}

/** Returns the rows of a tree within limits. */
export function treeRows(functions: FunctionTree, stacks: FunctionStacks, limits: TreeLimits): TreeRows {
  const { tree, ticks, self, withoutCaller, inlined, inferred, recursion } = functions;
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
      inferred: inferred[node]!,
      recursion: recursion[node]!,
      children: shown.length,
      omitted,
    });
    const row = rows.length - 1;
    for (const child of shown.reverse()) waiting.push({ node: child, depth: depth + 1, parent: row });
  }
  return { ticks: ticks[ROOT]!, rows, omitted: top.omitted };
}

/**
 * Returns a tree without some of its rows, which it counts as omitted. The rows below a row that is left out
 * must be left out too.
 */
export function withoutRows<Row extends Placed>(
  tree: { readonly rows: readonly Row[]; readonly omitted: Omitted },
  isLeftOut: (row: number) => boolean,
): { readonly rows: readonly Row[]; readonly omitted: Omitted } {
  const rows: Mutable<Row>[] = [];
  let omitted = tree.omitted;
  /** By row of the whole tree: its index among those that stay; -1 if it is left out. */
  const indexOf = new Int32Array(tree.rows.length).fill(-1);
  for (const [i, row] of tree.rows.entries()) {
    const isTop = row.parent < 0;
    const parent = isTop ? -1 : indexOf[row.parent]!;
    if (!isTop && parent < 0) continue;
    if (!isLeftOut(i)) {
      indexOf[i] = rows.length;
      rows.push({ ...row, parent });
    } else if (isTop) {
      omitted = plusOne(omitted, row.ticks);
    } else {
      const above = rows[parent]!;
      above.children--;
      above.omitted = plusOne(above.omitted, row.ticks);
    }
  }
  return { rows, omitted };
}

/** What is known of the place of a row in its tree. */
type Placed = Pick<TreeRow, "parent" | "ticks" | "children" | "omitted">;

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] };

function plusOne({ functions, ticks }: Omitted, more: Ticks): Omitted {
  return { functions: functions + 1, ticks: ticks + more };
}

/** The shown children of each node of a tree. */
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

  /** Returns the children of a node, which are at this depth, most ticks first. */
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
      compareTexts(this.#nameOf(tree.frame[a]!), this.#nameOf(tree.frame[b]!)) ||
      tree.frame[a]! - tree.frame[b]!
    );
  }

  #nameOf(key: number): string {
    const callable = this.#stacks.callableOf(key);
    return callable.kind === "state" ? callable.state : callable.function.title;
  }
}
