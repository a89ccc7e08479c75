import type { Micros, Ticks } from "../base/units.js";
import type { Tier } from "./frame.js";
import type { NameChanges } from "./name-changes.js";
import { type Moves, newNumbers, onRows, onThreads } from "./sample-table.js";
import type { LineColumn } from "./source-lines.js";

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

/** Returns the deoptimizations for moved samples and threads. */
export function moveDeopts({ entries, charges, demoted }: Deopts, moves: Moves): Deopts {
  const numbers = newNumbers(entries, moves);
  return {
    entries: onThreads(entries, moves),
    charges: onRows(charges, moves).map((charge) => ({ ...charge, deopt: numbers[charge.deopt]! })),
    demoted: onThreads(demoted, moves),
  };
}

/** Returns the deoptimizations with other names. */
export function renameDeopts({ entries, charges, demoted }: Deopts, names: NameChanges): Deopts {
  return {
    entries: entries.map((entry) => ({
      ...entry,
      function: entry.function === undefined ? undefined : names.functionName(entry.function),
      kind: names.word("deopt-kind", entry.kind),
      reason: names.word("deopt-reason", entry.reason),
      position: names.position(entry.position),
    })),
    charges,
    demoted: demoted.map((one) => ({ ...one, function: names.functionName(one.function) })),
  };
}

/** Returns the deoptimizations of several logs, whose samples and threads have their final numbers. */
export function joinDeopts(all: readonly Deopts[]): Deopts {
  let first = 0;
  return {
    entries: all.flatMap(({ entries }) => entries),
    charges: all.flatMap(({ entries, charges }) => {
      const before = first;
      first += entries.length;
      return charges.map((charge) => ({ ...charge, deopt: charge.deopt + before }));
    }),
    demoted: all.flatMap(({ demoted }) => demoted),
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
