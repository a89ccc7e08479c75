import type { Tier } from "./frame.js";
import type { Ticks } from "./units.js";

/** The deoptimizations of one function in one thread that share tier, kind, place and reason. */
export interface Deopt {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** The function whose code was left, as `JsFrame.name` has it; undefined where the log names no code there. */
  readonly function: string | undefined;
  /** The tier of that code. */
  readonly tier: Tier;
  /** `eager`, `lazy`, `soft` or `dependency-change`; empty in logs that do not say. */
  readonly kind: string;
  /** Why, in V8's words; empty in logs that do not say. */
  readonly reason: string;
  /**
   * As logged, or by the source maps: `<script:line:column>`, followed by ` inlined at <…>` for every caller that the place was inlined into,
   * the outermost last; empty in logs that do not say.
   */
  readonly position: string;
  /** How often. */
  readonly count: number;
  /** Whether the log ends before the function was optimized again. */
  readonly isOpen: boolean;
}

/** Ticks that a deoptimization cost: they were spent in the function's code of a lower tier. */
export interface DeoptCharge {
  /** An index into the entries of {@link Deopts}. */
  readonly deopt: number;
  /** What the function ran in. */
  readonly tier: Tier;
  /** A row of the profile's samples. */
  readonly sample: number;
  readonly ticks: Ticks;
}

/** What the logs say of deoptimizations, whatever filter was applied, and what they cost by the samples that are left. */
export interface Deopts {
  readonly entries: readonly Deopt[];
  /** No tick is in two of them, so that their sum is at most that of the samples. `DeoptLedger` has the rules. */
  readonly charges: readonly DeoptCharge[];
  readonly demoted: readonly DemotedFunction[];
}

/** A function with a tick in a lower tier after one in optimized code. */
export interface DemotedFunction {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** As `JsFrame.name` has it. */
  readonly function: string;
}

/** The same where the samples have other rows: `rows` has the new one of each, -1 for a sample that is gone. */
export function moveCharges(deopts: Deopts, rows: Int32Array): Deopts {
  const charges = deopts.charges.flatMap((charge) => {
    const sample = rows[charge.sample]!;
    return sample < 0 ? [] : [{ ...charge, sample }];
  });
  return { ...deopts, charges };
}

/** What two logs say; the threads of the second get numbers from `firstThread` on. */
export function joinDeopts(first: Deopts, second: Deopts, firstThread: number): Deopts {
  const entries = first.entries.length;
  const moved = <Item extends { readonly thread: number }>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, thread: item.thread + firstThread }));
  return {
    entries: [...first.entries, ...moved(second.entries)],
    charges: [
      ...first.charges,
      ...second.charges.map((charge) => ({ ...charge, deopt: charge.deopt + entries })),
    ],
    demoted: [...first.demoted, ...moved(second.demoted)],
  };
}

/** The same for some threads: `threads` has the new number of each, -1 for one that is left out with its samples. */
export function arrangeDeopts({ entries, charges, demoted }: Deopts, threads: Int32Array): Deopts {
  const kept: Deopt[] = [];
  const numbers = entries.map((deopt) => {
    const thread = threads[deopt.thread]!;
    return thread < 0 ? -1 : kept.push({ ...deopt, thread }) - 1;
  });
  return {
    entries: kept,
    charges: charges.map((charge) => ({ ...charge, deopt: numbers[charge.deopt]! })),
    demoted: demoted.flatMap((one) => {
      const thread = threads[one.thread]!;
      return thread < 0 ? [] : [{ ...one, thread }];
    }),
  };
}
