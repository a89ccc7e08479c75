import { marksOf } from "../base/columns.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/sample-table.js";
import { VM_STATES } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { categories } from "./breakdown.js";
import type { ShareRange } from "./confidence.js";
import { FoldedStacks } from "./folded-tree.js";
import type { Callable } from "./function-stacks.js";
import { compareFunctions } from "./top-functions.js";

/** A stack, with the ticks in it and in the lighter stacks that continue it. */
export interface HeavyStack {
  readonly ticks: Ticks;
  /** The 95 % interval of the share of `ticks`, in percent; undefined if nobody asked for it. */
  readonly range?: ShareRange;
  /** Outermost first. A VM state, such as garbage collection, stands for the native code below it. */
  readonly path: readonly Callable[];
}

export interface HeavyStacks {
  /** Most ticks first. */
  readonly stacks: readonly HeavyStack[];
  /** The ticks in no stack of the list. */
  readonly rest: Ticks;
  /** By sample: the index of its stack; -1 if it is in none of the list. */
  readonly ofSample: Int32Array;
}

/** How many stacks there are at most; and by sample its category, if that is known. */
interface StackOptions {
  readonly limit: number;
  readonly categoryOf?: Uint8Array | undefined;
}

/** Stacks with a smaller share of the ticks, in percent, get no row. */
const LIGHT = 2;

/**
 * Returns the stacks with most ticks, folded: functions of the program and its packages, the Node function
 * that each of them called, and the leaf or VM state; native code that JavaScript called is part of that. What Node runs before it calls the program is left out,
 * and recursion is shown once. Each tick counts in the longest of its stacks with at least 2 % of the ticks,
 * or in `rest`.
 */
export function heavyStacks(of: Profile, { limit, categoryOf = categories(of) }: StackOptions): HeavyStacks {
  const profile = Analysis.of(of);
  const { samples, ticks: all } = profile;
  const least = Math.max(1, (all * LIGHT) / 100);
  const { total } = profile.functionTicks;
  const folded = new FoldedStacks(profile, {
    categoryOf,
    isLight: marksOf(total, (ticks) => ticks < least),
  });
  const nodes = folded.ofSample;
  const { length, parent } = folded.tree;
  const under = stackTicks(folded.tree, { ...samples, node: nodes });
  for (let node = ROOT + 1; node < length; node++) if (folded.isLight(node)) under[node] = 0;
  const remaining = under.slice();
  for (let node = length - 1; node > ROOT; node--) {
    if (under[node]! >= least) remaining[parent[node]!]! -= under[node]!;
  }
  const stacks: (HeavyStack & { node: number })[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    if (remaining[node]! >= least) stacks.push({ ticks: remaining[node]!, path: folded.path(node), node });
  }
  const shown = stacks.sort(compareStacks).slice(0, limit);
  const rank = new Int32Array(length).fill(-1);
  for (const [i, { node }] of shown.entries()) rank[node] = i;
  // Lighter stacks count in the one that they continue.
  for (let node = ROOT + 1; node < length; node++)
    if (under[node]! < least) rank[node] = rank[parent[node]!]!;
  for (let i = 0; i < nodes.length; i++) nodes[i] = rank[nodes[i]!]!;
  return {
    stacks: shown.map(({ ticks, path }) => ({ ticks, path })),
    rest: shown.reduce((rest, { ticks }) => rest - ticks, all),
    ofSample: nodes,
  };
}

function compareStacks(a: HeavyStack, b: HeavyStack): number {
  if (a.ticks !== b.ticks) return b.ticks - a.ticks;
  for (let i = 0; i < Math.min(a.path.length, b.path.length); i++) {
    const order = compareCallables(a.path[i]!, b.path[i]!);
    if (order !== 0) return order;
  }
  return a.path.length - b.path.length;
}

/** Puts functions before VM states. */
function compareCallables(a: Callable, b: Callable): number {
  if (a.kind === "function") return b.kind === "function" ? compareFunctions(a.function, b.function) : -1;
  if (b.kind === "function") return 1;
  return VM_STATES.indexOf(a.state) - VM_STATES.indexOf(b.state);
}
