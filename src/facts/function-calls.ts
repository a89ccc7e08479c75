import type { Ticks } from "../base/units.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import { TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionId } from "./function-search.js";
import type { Callable, FunctionStacks } from "./function-stacks.js";

/** A caller or callee of a function. */
export interface Call {
  /** Undefined if the stacks begin with the function. */
  readonly callable: Callable | undefined;
  readonly ticks: Ticks;
  /** The part of `ticks` in which the callee is inlined into its caller's code. */
  readonly inlined: Ticks;
  /** The part of `ticks` in which the caller or callee is not in the log, but inferred. */
  readonly inferred: Ticks;
}

/** The ticks of a function in one tier. */
interface TierTotals {
  readonly tier: Tier;
  readonly self: Ticks;
  readonly total: Ticks;
}

/**
 * A function with its callers and callees. If it is several times in a stack, the outermost call counts for
 * callers and the innermost for callees and tiers, so that each stack counts once.
 */
export interface FunctionCalls {
  readonly self: Ticks;
  readonly total: Ticks;
  /** The part of `total` in which the function is not in the log, but inferred. */
  readonly inferred: Ticks;
  /** Most ticks first; they sum to `total`. */
  readonly callers: readonly Call[];
  /** Most ticks first; they sum to `total - self`. */
  readonly callees: readonly Call[];
  /** Slowest tier first. They sum to `self` and `total`; empty if the function is not JavaScript. */
  readonly tiers: readonly TierTotals[];
}

/** Where a function is in the stacks of a call tree. */
export class FunctionNodes {
  /** By node: the function's outermost node on the stack; 0 for none. */
  readonly outermost: Int32Array;
  /** By node: the function's innermost node on the stack; 0 for none. */
  readonly innermost: Int32Array;
  /** By node: the node that the innermost one calls; 0 if the stack ends with it. */
  readonly callee: Int32Array;

  constructor(tree: CallTree, ofFrame: Int32Array, id: FunctionId) {
    this.outermost = new Int32Array(tree.length);
    this.innermost = new Int32Array(tree.length);
    this.callee = new Int32Array(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      const parent = tree.parent[node]!;
      if (ofFrame[tree.frame[node]!] === id) {
        this.outermost[node] = this.outermost[parent]! || node;
        this.innermost[node] = node;
      } else if (this.innermost[parent]! !== 0) {
        this.outermost[node] = this.outermost[parent]!;
        this.innermost[node] = this.innermost[parent]!;
        this.callee[node] = this.callee[parent]! || node;
      }
    }
  }
}

/** Returns the ticks of a function by caller, callee and tier. */
export function functionCalls(
  { frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">,
  stacks: FunctionStacks,
  nodes: FunctionNodes,
): FunctionCalls {
  const callers = new CallCounter(stacks);
  const callees = new CallCounter(stacks);
  const tiers = new Map<Tier, { self: Ticks; total: Ticks }>();
  let self = 0;
  let total = 0;
  let inferred = 0;
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const outermost = nodes.outermost[leaf]!;
    if (outermost === 0) continue;
    const ticks = samples.ticks[i]!;
    const callee = nodes.callee[leaf]!;
    const inFunction = callee === 0 ? ticks : 0;
    total += ticks;
    self += inFunction;
    if (stacks.isInferred(nodes.innermost[leaf]!)) inferred += ticks;
    callers.add(stacks.callerOf(outermost, i), { ticks, isInlined: stacks.isInlined(outermost) });
    if (callee !== 0) callees.add(callee, { ticks, isInlined: stacks.isInlined(callee) });
    const frame = frames[tree.frame[nodes.innermost[leaf]!]!]!;
    if (frame.kind !== "js") continue;
    const inTier = tiers.get(frame.tier) ?? { self: 0, total: 0 };
    inTier.self += inFunction;
    inTier.total += ticks;
    tiers.set(frame.tier, inTier);
  }
  return {
    self,
    total,
    inferred,
    callers: callers.list(),
    callees: callees.list(),
    tiers: TIERS.flatMap((tier) => {
      const ticks = tiers.get(tier);
      return ticks === undefined ? [] : [{ tier, ...ticks }];
    }),
  };
}

/** Sums calls by the other function. */
class CallCounter {
  readonly #stacks: FunctionStacks;
  /** By key; -1 for no caller. */
  readonly #calls = new Map<number, { ticks: Ticks; inlined: Ticks; inferred: Ticks }>();

  constructor(stacks: FunctionStacks) {
    this.#stacks = stacks;
  }

  /** Adds the ticks of a caller's or callee's node; `ROOT` for no caller. */
  add(node: number, { ticks, isInlined }: { ticks: Ticks; isInlined: boolean }): void {
    const key = node === ROOT ? -1 : this.#stacks.keyAt(node);
    const call = this.#calls.get(key) ?? { ticks: 0, inlined: 0, inferred: 0 };
    call.ticks += ticks;
    if (isInlined) call.inlined += ticks;
    if (this.#stacks.isInferred(node)) call.inferred += ticks;
    this.#calls.set(key, call);
  }

  list(): Call[] {
    return Array.from(this.#calls)
      .sort(([a, { ticks: ofA }], [b, { ticks: ofB }]) => ofB - ofA || a - b)
      .map(([key, call]) => ({ ...call, callable: key < 0 ? undefined : this.#stacks.callableOf(key) }));
  }
}
