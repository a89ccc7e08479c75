import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import { type SampleTable, stackTicks } from "../profile/sample-table.js";
import { regroup } from "../profile/stacks.js";
import type { Code, HiddenFrame, OffsetFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";

// What a tree tells of what was called where. Marks are 1 for frames that have them; nodes that the root calls have no caller.

/** The stacks of a log, and where they end. */
export type RecordedStacks = Pick<Recording, "frames" | "tree" | "samples">;

interface TreeTicks {
  readonly tree: CallTree;
  readonly samples: SampleTable;
}

/** Distinct calls, each a pair of a caller and what it called, with their ticks. */
export interface CountedCalls {
  readonly length: number;
  readonly caller: Int32Array;
  readonly called: Int32Array;
  /** 1 if what was called called something itself in these ticks. */
  readonly isInterior: Uint8Array;
  readonly ticks: Float64Array;
  /** The most ticks of one node, and the first node that has so many. */
  readonly most: Float64Array;
  readonly node: Int32Array;
}

/** Marks the frames at the top that a marked frame calls. */
export function topFrames(tree: CallTree, isTop: Uint8Array, isAbove: Uint8Array): Uint8Array {
  const isFound = new Uint8Array(isTop.length);
  for (const node of topNodes(tree, isTop, isAbove)) isFound[tree.frame[node]!] = 1;
  return isFound;
}

/** Returns the nodes of marked frames that a marked frame calls. */
export function topNodes({ length, parent, frame }: CallTree, isTop: Uint8Array, isAbove: Uint8Array) {
  const found: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller !== ROOT && isTop[frame[node]!] === 1 && isAbove[frame[caller]!] === 1) found.push(node);
  }
  return found;
}

/**
 * Returns a test of whether a name was seen to call another one: `names` has that of each frame, -1 for those to leave out.
 */
export function namesCalled({ length, parent, frame }: CallTree, names: Int32Array) {
  const pairs = new PairNumbers();
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const called = names[frame[node]!]!;
    if (called < 0 || caller === ROOT) continue;
    const above = names[frame[caller]!]!;
    if (above >= 0) pairs.of(above, called);
  }
  const known = pairs.length;
  return (caller: number, called: number) => pairs.of(caller, called) < known;
}

/** Returns the ticks of each node's stack, with those of the stacks that go on from there; and which nodes have such. */
export function stackTotals({ tree, samples }: TreeTicks) {
  const isInterior = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) isInterior[tree.parent[node]!] = 1;
  return { total: stackTicks(tree, samples), isInterior };
}

/** Returns the distinct calls of marked frames that have ticks, also in stacks that go on from there. */
export function countedCalls({ tree, samples }: TreeTicks, wanted: Uint8Array): CountedCalls {
  const { length, parent, frame } = tree;
  const { total, isInterior } = stackTotals({ tree, samples });
  const pairs = new PairNumbers();
  const ticks: number[] = [];
  const most: number[] = [];
  const nodes: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const all = total[node]!;
    if (caller === ROOT || wanted[frame[caller]!] === 0 || all === 0) continue;
    const pair = pairs.of(frame[caller]!, frame[node]! * 2 + isInterior[node]!);
    ticks[pair] = (ticks[pair] ?? 0) + all;
    if (all <= (most[pair] ?? 0)) continue;
    most[pair] = all;
    nodes[pair] = node;
  }
  const called = pairs.seconds();
  return {
    length: pairs.length,
    caller: pairs.firsts(),
    called: called.map((mark) => mark >> 1),
    isInterior: columnOf(Uint8Array, called, (mark) => mark & 1),
    ticks: Float64Array.from(ticks),
    most: Float64Array.from(most),
    node: Int32Array.from(nodes),
  };
}

/** Returns the stacks with a function between each of these nodes and its caller. */
export function withCallers(
  { frames, tree, samples }: RecordedStacks,
  found: ReadonlyMap<number, HiddenFrame>,
): RecordedStacks {
  const all = [...frames];
  /** By the call where they are, or by their code: the numbers of frames. */
  const known = new Map<Code | OffsetFrame, { readonly frame: HiddenFrame; readonly number: number }[]>();
  const numberOf = (frame: HiddenFrame): number => {
    const key = frame.at ?? frame.code;
    const alike = known.get(key) ?? [];
    known.set(key, alike);
    const one = alike.find((other) => hasSameFunctions(other.frame, frame));
    if (one !== undefined) return one.number;
    const number = all.push(frame) - 1;
    alike.push({ frame, number });
    return number;
  };
  const merged = new CallTreeBuilder(tree.length + found.size);
  const nodes = regroup(tree, merged, (into, caller, node) => {
    const frame = found.get(node);
    return into.child(frame === undefined ? caller : into.child(caller, numberOf(frame)), tree.frame[node]!);
  });
  const { length, vmState, thread, ticks } = samples;
  const node = columnOf(Int32Array, { length }, (_, i) => nodes[samples.node[i]!]!);
  return { frames: all, tree: merged.finish(), samples: { length, node, vmState, thread, ticks } };
}

function hasSameFunctions({ inlined }: HiddenFrame, other: HiddenFrame): boolean {
  return inlined.length === other.inlined.length && inlined.every((logged, i) => logged === other.inlined[i]);
}
