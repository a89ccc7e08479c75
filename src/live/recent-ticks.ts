import type { Micros, Ticks } from "../profile/units.js";
import { CATEGORIES } from "../views/breakdown.js";
import type { TickStack } from "./tick-counts.js";

/** Seconds of which every function's ticks are known. */
export const RECENT_SECONDS = 10;
/** Seconds of which the ticks by category are known. */
export const HISTORY_SECONDS = 60;
const MICROS = 1e6;

/** The ticks of a function in one second. */
interface FunctionTicks {
  self: Ticks;
  total: Ticks;
}

/**
 * The latest ticks of one log, second by second of the log's own clock. What is older than a minute is forgotten.
 */
export class RecentTicks {
  /** The second that each slot is about: its number modulo the slots. */
  readonly #seconds = new Float64Array(HISTORY_SECONDS).fill(Number.NaN);
  /** By slot, then by category. */
  readonly #categories = new Float64Array(HISTORY_SECONDS * CATEGORIES.length);
  readonly #functionSeconds = new Float64Array(RECENT_SECONDS).fill(Number.NaN);
  readonly #functions = Array.from({ length: RECENT_SECONDS }, () => new Map<number, FunctionTicks>());

  /** Adds one tick. */
  add({ ids, length, leaf, category }: TickStack, timestamp: Micros): void {
    const second = Math.floor(timestamp / MICROS);
    const slot = second % HISTORY_SECONDS;
    if (this.#seconds[slot] !== second && !this.#begin(second)) return;
    this.#categories[slot * CATEGORIES.length + category]!++;
    if (this.#functionSeconds[second % RECENT_SECONDS] !== second) return;
    const functions = this.#functions[second % RECENT_SECONDS]!;
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      const ticks = functions.get(id);
      if (ticks === undefined) functions.set(id, { self: id === leaf ? 1 : 0, total: 1 });
      else {
        ticks.total++;
        if (id === leaf) ticks.self++;
      }
    }
  }

  /**
   * Calls `visit` with the ticks of each second of the last minute before `now`, in the log's time: how many seconds
   * ago it was, and the ticks by category.
   */
  visitSeconds(now: Micros, visit: (age: number, categories: Float64Array) => void): void {
    const current = Math.floor(now / MICROS);
    for (let slot = 0; slot < HISTORY_SECONDS; slot++) {
      const age = current - this.#seconds[slot]!;
      const at = slot * CATEGORIES.length;
      if (age >= 0 && age < HISTORY_SECONDS)
        visit(age, this.#categories.subarray(at, at + CATEGORIES.length));
    }
  }

  /** Calls `visit` with the ticks of each function in each of the last ten seconds before `now`. */
  visitFunctions(now: Micros, visit: (id: number, ticks: FunctionTicks) => void): void {
    const current = Math.floor(now / MICROS);
    for (const [slot, second] of this.#functionSeconds.entries()) {
      const age = current - second;
      if (!(age >= 0 && age < RECENT_SECONDS)) continue;
      for (const [id, ticks] of this.#functions[slot]!) visit(id, ticks);
    }
  }

  /** Adds the ticks of one function to those of each of the last ten seconds, oldest first. */
  addHistory(now: Micros, id: number, history: { readonly self: Ticks[]; readonly total: Ticks[] }): void {
    const current = Math.floor(now / MICROS);
    for (const [slot, second] of this.#functionSeconds.entries()) {
      const age = current - second;
      const ticks = age >= 0 && age < RECENT_SECONDS ? this.#functions[slot]!.get(id) : undefined;
      if (ticks === undefined) continue;
      history.self[RECENT_SECONDS - 1 - age]! += ticks.self;
      history.total[RECENT_SECONDS - 1 - age]! += ticks.total;
    }
  }

  /** Makes room for a second. Returns false if it is older than what is kept. */
  #begin(second: number): boolean {
    const slot = second % HISTORY_SECONDS;
    if (second < this.#seconds[slot]!) return false;
    this.#seconds[slot] = second;
    this.#categories.fill(0, slot * CATEGORIES.length, (slot + 1) * CATEGORIES.length);
    const recent = second % RECENT_SECONDS;
    if (second > this.#functionSeconds[recent]! || Number.isNaN(this.#functionSeconds[recent]!)) {
      this.#functionSeconds[recent] = second;
      this.#functions[recent] = new Map();
    }
    return true;
  }
}
