import type { Micros, Ticks } from "../base/units.js";
import type { ProfiledFunction } from "./function-table.js";

/**
 * What called a callback: `setTimeout` or `setInterval`; `setImmediate`; a promise or `process.nextTick`; Node, to load a script,
 * which runs once, or the recorder, for itself; I/O or what else there is.
 */
export type TurnKind = "timer" | "immediate" | "microtask" | "load" | "other";

/**
 * A turn of the event loop: ticks of a thread that follow each other in one callback, which Node called with no other
 * JavaScript on the stack.
 */
export interface Turn {
  readonly start: Micros;
  readonly length: Micros;
  /** What is sure to be one turn: 0 if these can be several short turns of the callback, with nothing between that a tick met. */
  readonly least: Micros;
  readonly most: Micros;
  readonly kind: TurnKind;
  /** The outermost function of the program or a package, else of Node; undefined if no JavaScript ran. */
  readonly callback: ProfiledFunction | undefined;
  readonly ticks: Ticks;
  /** Those of them in garbage collection. */
  readonly gc: Ticks;
  /** Where its ticks were: at the innermost function of the program, else of a package. Most ticks first. */
  readonly lines: readonly TurnLine[];
  /** How often turns of the callback start, those at least half as long as its longest; undefined if that is not even. */
  readonly recurrence: Recurrence | undefined;
}

/** A line of a function that took ticks of a turn. */
export interface TurnLine {
  readonly function: ProfiledFunction;
  /** The line that had most of them; 0 if it is unknown. */
  readonly line: number;
  readonly ticks: Ticks;
}

/** Turns of one callback that start evenly. */
export interface Recurrence {
  readonly period: Micros;
  readonly times: number;
}

/** How many turns are longer than a limit. */
export interface TurnCount {
  readonly over: Micros;
  /** Those that are sure to be. */
  readonly sure: number;
  /** With those that may be several turns. */
  readonly most: number;
  /** The time of all of them. */
  readonly time: Micros;
}

/** What one callback held the loop for, in its turns over {@link LONG_TURN}. */
export interface Holder {
  readonly turns: number;
  /** Those that are sure to be so long. */
  readonly sure: number;
  readonly time: Micros;
  readonly longest: Turn;
}

interface TurnBounds {
  readonly least: Micros;
  readonly length: Micros;
  readonly most: Micros;
  /** That of the turn with this length; undefined if no turn is as long as the shortest that is counted. */
  readonly callback: ProfiledFunction | undefined;
}

export interface ThreadTurns {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** From its first tick to its last. */
  readonly span: Micros;
  readonly counts: readonly TurnCount[];
  /** The longest first. */
  readonly longest: readonly Turn[];
  /** The longest turn once scripts were loaded: what it surely is, what was found, and what it is at most, as what may be a wait is. */
  readonly bounds: TurnBounds;
  /** The callback that held the loop for most time once it ran, in turns over {@link LONG_TURN}; undefined if there are none. */
  readonly holder: Holder | undefined;
}

export interface TurnOptions {
  /** The length of the shortest turn to list. */
  readonly least: Micros;
  /** How many turns to list of each thread. */
  readonly most: number;
  /** How many lines to list of each turn. */
  readonly lines: number;
}

/** What `ticks timeline` and `ticks top` list. */
export const TURNS: TurnOptions = { least: 10_000, most: 5, lines: 3 };
/** The limits that turns are counted by. */
export const LIMITS: readonly Micros[] = [10_000, 50_000, 100_000, 500_000];
/** A turn this long can be felt. */
export const LONG_TURN: Micros = 50_000;
