import type { Tier } from "./frame.js";
import type { LineColumn } from "./source-lines.js";
import type { Micros, Ticks } from "./units.js";

/** The deoptimizations of one function in one thread that share tier, kind, position and reason. */
export interface Deopt {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** The function whose code was discarded, as in `JsFrame.name`; undefined if the log has no code there. */
  readonly function: string | undefined;
  /** The tier of that code. */
  readonly tier: Tier;
  /** `eager`, `lazy`, `soft` or `dependency-change`; empty if the log does not name it. */
  readonly kind: string;
  /** The reason in V8's words; empty if the log does not give one. */
  readonly reason: string;
  /**
   * `<script:line:column>` as logged, or as mapped by source maps, followed by ` inlined at <…>` for every
   * caller that the position was inlined into, the outermost last; empty if the log does not give it.
   */
  readonly position: string;
  /** How often it happened. */
  readonly count: number;
  /** When it happened, in microseconds since the log of the thread was opened; undefined if unknown. */
  readonly times?: readonly Micros[] | undefined;
  /** Whether the log ends before the function was optimized again. */
  readonly isOpen: boolean;
}

/** Ticks that a deoptimization cost: those in the function's code of a lower tier. */
export interface DeoptCharge {
  /** An index into the entries of {@link Deopts}. */
  readonly deopt: number;
  /** The tier that the function ran in. */
  readonly tier: Tier;
  /** A row of the profile's samples. */
  readonly sample: number;
  readonly ticks: Ticks;
}

/** The deoptimizations of the logs, regardless of filters, and their cost in the remaining samples. */
export interface Deopts {
  readonly entries: readonly Deopt[];
  /**
   * No tick is in two of them, so their sum is at most that of the samples. `DeoptCosts` has the rules.
   */
  readonly charges: readonly DeoptCharge[];
  readonly demoted: readonly DemotedFunction[];
}

/** A function with a tick in a lower tier after one in optimized code. */
export interface DemotedFunction {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** The function, as in `JsFrame.name`. */
  readonly function: string;
  /** Its ticks in a lower tier after the first one in optimized code, regardless of filters. */
  readonly ticks: Ticks;
  /** How often it was optimized after that, in a tier that it had ticks in, or in a lower one. */
  readonly optimizedAgain: number;
}

/**
 * Returns the deoptimizations for renumbered samples: `rows` maps old rows to new ones, -1 for a removed
 * sample. Threads are numbered from `firstThread`.
 */
export function moveCharges(deopts: Deopts, rows: Int32Array, firstThread = 0): Deopts {
  const charges: DeoptCharge[] = [];
  for (const { deopt, tier, sample: old, ticks } of deopts.charges) {
    const sample = rows[old]!;
    if (sample >= 0) charges.push({ deopt, tier, sample, ticks });
  }
  if (firstThread === 0) return { ...deopts, charges };
  const moved = <Item extends { readonly thread: number }>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, thread: item.thread + firstThread }));
  return { entries: moved(deopts.entries), charges, demoted: moved(deopts.demoted) };
}

/** Returns the deoptimizations of several logs, whose samples and threads have their final numbers. */
export function joinDeopts(all: readonly Deopts[]): Deopts {
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const entries: Deopt[] = [];
  const charges: DeoptCharge[] = [];
  const demoted: DemotedFunction[] = [];
  for (const deopts of all) {
    const first = entries.length;
    for (const entry of deopts.entries) entries.push(entry);
    for (const charge of deopts.charges) charges.push({ ...charge, deopt: charge.deopt + first });
    for (const one of deopts.demoted) demoted.push(one);
  }
  return { entries, charges, demoted };
}

/**
 * Returns the deoptimizations of some threads: `threads` maps old thread numbers to new ones, -1 for a thread
 * that is left out. The samples of a thread that is left out must already be gone.
 */
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

const INLINED_AT = " inlined at ";
const LOGGED_POSITION = /^<(.*):(\d+):(\d+)>$/s;

/** One of the positions that a {@link Deopt.position} consists of. */
interface LoggedPosition extends LineColumn {
  /** As logged. */
  readonly file: string;
  /** Whether the function itself has it, and not one that is inlined. */
  readonly isOutermost: boolean;
}

/** Returns a {@link Deopt.position} with each `script:line:column` changed. The name of a script can contain anything. */
export function changedPositions(position: string, change: (one: LoggedPosition) => string): string {
  const texts = position.split(/(?<=:\d+:\d+>) inlined at (?=<)/);
  return texts
    .map((text, i) => {
      const [, file, line, column] = LOGGED_POSITION.exec(text) ?? [];
      if (file === undefined) return text;
      const isOutermost = i === texts.length - 1;
      return `<${change({ file, line: Number(line), column: Number(column), isOutermost })}>`;
    })
    .join(INLINED_AT);
}
