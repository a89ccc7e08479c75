import { ROOT } from "../profile/call-tree.js";
import { depthFirst } from "../profile/depth-first.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable } from "./function-table.js";
import { allTicks } from "./leaf-ticks.js";
import { programFunctions } from "./program-frames.js";
import { stackTicks } from "./stack-ticks.js";
import type { FunctionRow } from "./top-functions.js";

/** Functions that call each other and own the same ticks; often only one. */
export interface FunctionChain {
  /** Outermost first. */
  readonly rows: readonly FunctionRow[];
  /** The most total ticks of a function of the chain. */
  readonly total: Ticks;
  /** Ticks in the functions themselves. */
  readonly self: Ticks;
}

/** Ticks that may differ between two functions of a chain, in percent of all. */
const DIFFERENCE = 1;

/**
 * Collapses ranked functions into chains. A function and one that it calls are in one chain if each has less
 * than 1 % of all ticks without the other. Functions of the program and its packages are in chains of their
 * own, so that no chain ends in code that their authors cannot change; what lies between two of them does not
 * part them. Chains with most ticks come first, then those of the program.
 */
export function functionChains(
  profile: Profile,
  table: FunctionTable,
  ranked: readonly FunctionRow[],
): FunctionChain[] {
  const whole = allTicks(profile.samples);
  const most = (whole * DIFFERENCE) / 100;
  const rowOf = new Int32Array(table.functions.length).fill(-1);
  // Lighter functions all differ by less than that.
  for (const [i, { id, total }] of ranked.entries()) if (total >= most) rowOf[id] = i;
  const { edges, depth } = callsOf(profile, table, (id) => rowOf[id]! >= 0);
  const chainOf = Array.from(ranked.keys());
  const find = (row: number): number => {
    let root = row;
    while (chainOf[root] !== root) root = chainOf[root]!;
    for (let at = row; at !== root; ) [chainOf[at], at] = [root, chainOf[at]!];
    return root;
  };
  for (const { caller, callee, ticks } of edges) {
    const [a, b] = [rowOf[caller]!, rowOf[callee]!];
    if (ranked[a]!.total - ticks >= most || ranked[b]!.total - ticks >= most) continue;
    const [first, second] = [find(a), find(b)];
    chainOf[Math.max(first, second)] = Math.min(first, second);
  }
  const chains = new Map<number, FunctionRow[]>();
  for (const [i, row] of ranked.entries()) {
    const chain = chains.get(find(i));
    if (chain === undefined) chains.set(find(i), [row]);
    else chain.push(row);
  }
  const isProgram = programFunctions(table);
  const found = Array.from(chains.values(), (rows) => ({
    rows: rows.sort((a, b) => depth[a.id]! / a.total - depth[b.id]! / b.total),
    total: rows.reduce((largest, { total }) => Math.max(largest, total), 0),
    self: rows.reduce((sum, { self }) => sum + self, 0),
  }));
  const programOf = ({ rows }: FunctionChain) => isProgram[rows[0]!.id]!;
  return found.sort((a, b) => b.total - a.total || programOf(b) - programOf(a));
}

/** Calls from one function to another, in any number of stacks. */
interface Calls {
  readonly caller: number;
  readonly callee: number;
  /** The ticks of the stacks with such a call; each counts once. */
  ticks: Ticks;
}

/**
 * Returns the calls between functions, and the sum of the depths of each function where it first is in a
 * stack, weighted by ticks.
 */
function callsOf(
  { tree, samples }: Profile,
  table: FunctionTable,
  isRanked: (id: number) => boolean,
): { readonly edges: Iterable<Calls>; readonly depth: Float64Array } {
  const isProgram = programFunctions(table);
  const functions = table.functions.length;
  const under = stackTicks({ tree, samples });
  const { nodes, ends } = depthFirst(tree);
  /** By caller and callee: the calls, and where the nodes below their last one end. */
  const edges = new Map<number, Calls & { end: number }>();
  const depth = new Float64Array(functions);
  /** By function: where the nodes below its last one end. */
  const open = new Int32Array(functions);
  const mayRank = Uint8Array.from(table.functions, (_, id) => (isRanked(id) ? 1 : 0));
  /** By node: the innermost node of the program at or above it. */
  const programNode = new Int32Array(tree.length);
  const level = new Int32Array(tree.length);
  for (let at = 1; at < tree.length; at++) {
    const node = nodes[at]!;
    const id = table.ofFrame[tree.frame[node]!]!;
    const parent = tree.parent[node]!;
    level[node] = level[parent]! + 1;
    programNode[node] = isProgram[id] === 1 ? node : programNode[parent]!;
    if (at >= open[id]!) {
      open[id] = ends[at]!;
      depth[id]! += under[node]! * level[node]!;
    }
    const above = isProgram[id] === 1 ? programNode[parent]! : parent;
    if (above === ROOT || mayRank[id] === 0) continue;
    const caller = table.ofFrame[tree.frame[above]!]!;
    if (caller === id || isProgram[caller] !== isProgram[id] || mayRank[caller] === 0) continue;
    const key = caller * functions + id;
    const edge = edges.get(key);
    if (edge === undefined) edges.set(key, { caller, callee: id, ticks: under[node]!, end: ends[at]! });
    else if (at >= edge.end) {
      edge.ticks += under[node]!;
      edge.end = ends[at]!;
    }
  }
  return { edges: edges.values(), depth };
}
