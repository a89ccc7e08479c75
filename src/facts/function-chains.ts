import { marksOf } from "../base/columns.js";
import { groupBy } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import type { ShareRange } from "./confidence.js";
import { programFunctions } from "./program-frames.js";
import type { FunctionRow } from "./top-functions.js";

/** Functions that call each other and own the same ticks; often only one. */
export interface FunctionChain {
  /** Outermost first. */
  readonly rows: readonly FunctionRow[];
  /** The most total ticks of a function of the chain. */
  readonly total: Ticks;
  /** Ticks in the functions themselves. */
  readonly self: Ticks;
  /** The 95 % interval of the share of `total`, in percent; undefined if nobody asked for it. */
  readonly totalRange?: ShareRange;
}

/** Returns the function that stands for a chain: the outermost of those with most ticks. */
export function headOf({ rows, total }: FunctionChain): FunctionRow {
  return rows.find((row) => row.total === total)!;
}

/** Ticks that may differ between two functions of a chain, in percent of all. */
const DIFFERENCE = 1;

/**
 * Collapses ranked functions into chains. A function and one that it calls are in one chain if each has less
 * than 1 % of all ticks without the other. Functions of the program and its packages are in chains of their
 * own, so that no chain ends in code that their authors cannot change; what lies between two of them does not
 * part them. Chains with most ticks come first, then those of the program.
 */
export function functionChains(of: Profile, ranked: readonly FunctionRow[]): FunctionChain[] {
  const profile = Analysis.of(of);
  const { table, ticks: whole } = profile;
  const most = (whole * DIFFERENCE) / 100;
  const rowOf = new Int32Array(table.functions.length).fill(-1);
  // Lighter functions all differ by less than that.
  for (let i = 0; i < ranked.length; i++) {
    const { id, total } = ranked[i]!;
    if (total >= most) rowOf[id] = i;
  }
  const { length, callers, callees, ticks, depth } = callsOf(profile, (id) => rowOf[id]! >= 0);
  const chainOf = Array.from(ranked.keys());
  const find = (row: number): number => {
    let root = row;
    while (chainOf[root] !== root) root = chainOf[root]!;
    for (let at = row; at !== root; ) {
      const next = chainOf[at]!;
      chainOf[at] = root;
      at = next;
    }
    return root;
  };
  for (let pair = 0; pair < length; pair++) {
    const caller = rowOf[callers[pair]!]!;
    const callee = rowOf[callees[pair]!]!;
    if (Math.max(ranked[caller]!.total, ranked[callee]!.total) - ticks[pair]! >= most) continue;
    const first = find(caller);
    const second = find(callee);
    chainOf[Math.max(first, second)] = Math.min(first, second);
  }
  const chains = groupBy(ranked.keys(), find);
  const isProgram = programFunctions(table);
  const found = Array.from(chains.values(), (chain) => chain.map((i) => ranked[i]!)).map((rows) => ({
    rows: rows.sort((a, b) => depth[a.id]! / a.total - depth[b.id]! / b.total),
    total: rows.reduce((largest, { total }) => Math.max(largest, total), 0),
    self: rows.reduce((sum, { self }) => sum + self, 0),
  }));
  const programOf = ({ rows }: FunctionChain) => isProgram[rows[0]!.id]!;
  return found.sort((a, b) => b.total - a.total || programOf(b) - programOf(a));
}

/** Calls between functions, in any number of stacks, by pair of a caller and a callee. */
interface Calls {
  readonly length: number;
  readonly callers: ArrayLike<number>;
  readonly callees: ArrayLike<number>;
  /** The ticks of the stacks with such a call; each counts once. */
  readonly ticks: ArrayLike<number>;
  /** By function: the sum of its depths where it first is in a stack, weighted by ticks. */
  readonly depth: Float64Array;
}

/** Returns the calls between ranked functions. */
function callsOf({ tree, under, order, table }: Analysis, isRanked: (id: number) => boolean): Calls {
  const { functions, ofFrame } = table;
  const mayRank = marksOf(functions, (_, id) => isRanked(id));
  const isProgram = programFunctions(table);
  const pairs = new PairNumbers();
  const ticks: number[] = [];
  /** By pair: where the nodes below its last call end. */
  const pairEnds: number[] = [];
  const depth = new Float64Array(isProgram.length);
  const { nodes, ends } = order;
  /** By function: where the nodes below its last one end. */
  const open = new Int32Array(isProgram.length);
  /** By node: the innermost node of the program at or above it. */
  const programNode = new Int32Array(tree.length);
  const level = new Int32Array(tree.length);
  for (let at = 1; at < tree.length; at++) {
    const node = nodes[at]!;
    const id = ofFrame[tree.frame[node]!]!;
    const parent = tree.parent[node]!;
    level[node] = level[parent]! + 1;
    programNode[node] = isProgram[id] === 1 ? node : programNode[parent]!;
    if (mayRank[id] === 0) continue;
    if (at >= open[id]!) {
      open[id] = ends[at]!;
      depth[id]! += under[node]! * level[node]!;
    }
    const above = isProgram[id] === 1 ? programNode[parent]! : parent;
    if (above === ROOT) continue;
    const caller = ofFrame[tree.frame[above]!]!;
    if (caller === id || isProgram[caller] !== isProgram[id] || mayRank[caller] === 0) continue;
    const pair = pairs.of(caller, id);
    if (at < (pairEnds[pair] ?? 0)) continue;
    pairEnds[pair] = ends[at]!;
    ticks[pair] = (ticks[pair] ?? 0) + under[node]!;
  }
  return { length: pairs.length, callers: pairs.firsts(), callees: pairs.seconds(), ticks, depth };
}
