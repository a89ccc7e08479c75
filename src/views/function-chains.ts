import { type CallTree, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import { depthFirst } from "../profile/depth-first.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import type { Profile } from "../profile/profile.js";
import { shareTreeKernel } from "../profile/shared-kernel.js";
import { stackTicks } from "../profile/stack-ticks.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable } from "./function-table.js";
import { allTicks } from "./leaf-ticks.js";
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
  const { pairs, ticks: ticksOf, depth } = callsOf(profile, table, (id) => rowOf[id]! >= 0);
  const chainOf = Array.from(ranked.keys());
  const find = (row: number): number => {
    let root = row;
    while (chainOf[root] !== root) root = chainOf[root]!;
    for (let at = row; at !== root; ) [chainOf[at], at] = [root, chainOf[at]!];
    return root;
  };
  for (let pair = 0; pair < pairs.length; pair++) {
    const [caller, callee] = [rowOf[pairs.first[pair]!]!, rowOf[pairs.second[pair]!]!];
    if (Math.max(ranked[caller]!.total, ranked[callee]!.total) - ticksOf[pair]! >= most) continue;
    const [first, second] = [find(caller), find(callee)];
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

/** Calls between functions, in any number of stacks. */
interface Calls {
  /** The functions that call, and those that they call. */
  readonly pairs: PairNumbers;
  /** By pair: the ticks of the stacks with such a call; each counts once. */
  readonly ticks: Float64Array;
  /** By function: the sum of its depths where it first is in a stack, weighted by ticks. */
  readonly depth: Float64Array;
}

/** Returns the calls between ranked functions. */
function callsOf({ tree, samples }: Profile, table: FunctionTable, isRanked: (id: number) => boolean): Calls {
  const { functions, ofFrame } = table;
  const mayRank = Uint8Array.from(functions, (_, id) => (isRanked(id) ? 1 : 0));
  const marks = { ofFrame, isProgram: programFunctions(table), mayRank };
  const under = stackTicks({ tree, samples });
  const { nodes, ends } = depthFirst(tree);
  const { callees, callers, depth } = findInKernel(tree, under, marks) ?? findCalls(tree, under, marks);
  const pairs = new PairNumbers();
  let ticks = new Float64Array(64);
  /** By pair: where the nodes below its last call end. */
  let end = new Int32Array(64);
  for (let i = 0; i < callees.length; i++) {
    const at = callees[i]!;
    const node = nodes[at]!;
    const callee = ofFrame[tree.frame[node]!]!;
    const caller = ofFrame[tree.frame[callers[i]!]!]!;
    const pair = pairs.of(caller, callee);
    ticks = reaching(ticks, pair);
    end = reaching(end, pair);
    if (at < end[pair]!) continue;
    ticks[pair]! += under[node]!;
    end[pair] = ends[at]!;
  }
  return { pairs, ticks, depth };
}

/** Functions by frame, and by function whether it is of the program, and whether it is ranked. */
interface CallMarks {
  readonly ofFrame: Int32Array;
  readonly isProgram: Uint8Array;
  readonly mayRank: Uint8Array;
}

/** Calls in depth-first order: the positions of what was called, and the nodes that called it. */
interface FoundCalls {
  readonly callees: ArrayLike<number>;
  readonly callers: ArrayLike<number>;
  /** By function: as {@link Calls} has it. */
  readonly depth: Float64Array;
}

/** Does what {@link findCalls} does. Returns undefined if there is no kernel for it. */
function findInKernel(
  tree: CallTree,
  under: Float64Array,
  { ofFrame, isProgram, mayRank }: CallMarks,
): FoundCalls | undefined {
  const { nodes, ends } = depthFirst(tree);
  const kernel = shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { length } = tree;
  const { exports, parent, frame, place } = kernel;
  const [functions, mine, ranked] = [place(ofFrame), place(isProgram), place(mayRank)];
  const [order, end, ticks] = [place(nodes), place(ends), place(under)];
  const room = (count = length) => kernel.room(count * Int32Array.BYTES_PER_ELEMENT);
  const [levels, programNode, open] = [room(), room(), room(isProgram.length)];
  const depths = kernel.room(isProgram.length * Float64Array.BYTES_PER_ELEMENT);
  const [callees, callers] = [room(), room()];
  const count = exports.findCalls(
    length,
    parent,
    frame,
    functions,
    mine,
    ranked,
    order,
    end,
    ticks,
    levels,
    programNode,
    open,
    depths,
    callees,
    callers,
  );
  return {
    callees: kernel.copied(callees, count),
    callers: kernel.copied(callers, count),
    depth: kernel.doubles(depths, isProgram.length).slice(),
  };
}

function findCalls(
  tree: CallTree,
  under: Float64Array,
  { ofFrame, isProgram, mayRank }: CallMarks,
): FoundCalls {
  const callees: number[] = [];
  const callers: number[] = [];
  const depth = new Float64Array(isProgram.length);
  const { nodes, ends } = depthFirst(tree);
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
    callees.push(at);
    callers.push(above);
  }
  return { callees, callers, depth };
}
