import { pushTo, valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import type { Analysis } from "./analysis.js";
import { BY_NODE, IMMEDIATE, LOAD, MICROTASK, NO_ROOT, TIMER } from "./callback-roots.js";
import type { ProfiledFunction } from "./function-table.js";
import { type Holder, LONG_TURN, type Recurrence, type Turn, type TurnKind } from "./turns.js";

/** How unlikely it is, for all turns of a callback together, that chance hid where short ones met. */
const CHANCE = 0.01;
/** With fewer turns nothing recurs; so many of the steps between them are the period, or a multiple of it. */
const LEAST_RECURRENT = 4;
const EVEN_STEPS = 2 / 3;
/** How far a step may be off, as a part of the period. */
const UNEVENNESS = 0.15;
/** The largest multiple: so many turns in a row may be too short to count. */
const MOST_MULTIPLE = 4;

/** A turn, as far as it says something of its callback. */
export interface CalledTurn {
  readonly callback: Callback;
  readonly kinds: number;
  readonly start: Micros;
  readonly length: Micros;
  readonly ticks: Ticks;
}

/** The turns of one callback in one thread. */
export class Callback {
  /** Its function; {@link NO_ROOT} for none. */
  readonly root: number;
  #kinds = 0;
  /** Turns that only Node's JavaScript tells of. */
  #turns = 0;
  /** How often two of them followed each other without a sleep, but with something else between; and the ticks of all those. */
  #meetings = 0;
  #meetingTicks = 0;
  #stretch = -1;
  #stretchTurns = 0;
  #stretchTicks = 0;

  constructor(root: number) {
    this.root = root;
  }

  functionOf({ functions }: Analysis["table"]): ProfiledFunction | undefined {
    return functions[this.root];
  }

  add(ticks: Ticks, kinds: number, stretch: number): void {
    this.#kinds |= kinds === BY_NODE ? BY_NODE : kinds & ~BY_NODE;
    if (kinds !== BY_NODE) return;
    if (stretch !== this.#stretch) this.finish();
    this.#stretch = stretch;
    this.#turns++;
    this.#stretchTurns++;
    this.#stretchTicks += ticks;
  }

  /** Counts the last stretch. */
  finish(): void {
    if (this.#stretchTurns > 1) {
      this.#meetings += this.#stretchTurns - 1;
      this.#meetingTicks += this.#stretchTicks;
    }
    this.#stretchTurns = 0;
    this.#stretchTicks = 0;
  }

  kindOf({ kinds }: CalledTurn): TurnKind {
    // Node's own functions are not in the log before they are hot: other turns of the callback tell who calls it.
    switch (kinds === 0 ? this.#kinds : kinds & ~BY_NODE) {
      case TIMER:
        return "timer";
      case IMMEDIATE:
        return "immediate";
      case MICROTASK:
        return "microtask";
      case LOAD:
        return "load";
      default:
        return "other";
    }
  }

  /**
   * Returns whether ticks are surely one turn: of a script; of a timer whose turns recur evenly and are short beside its period; or
   * of a callback that Node's JavaScript calls each time, if ticks often met that JavaScript between two turns that followed each
   * other, so often that chance did not hide it here.
   */
  isOneTurn(turn: CalledTurn, recurrence: Recurrence | undefined): boolean {
    const kind = this.kindOf(turn);
    if (this.root === NO_ROOT || kind === "load") return kind === "load";
    if (kind === "timer") return recurrence !== undefined && turn.length <= recurrence.period / 2;
    if (turn.kinds !== BY_NODE || this.#meetings === 0) return false;
    return (turn.ticks * this.#meetings) / this.#meetingTicks >= Math.log(this.#turns / CHANCE);
  }
}

/** Returns the callbacks whose turns start evenly: those at least half as long as the longest. */
export function recurrencesOf(turns: readonly CalledTurn[]): Map<Callback, Recurrence> {
  const longest = new Map<Callback, Micros>();
  for (const { callback, length } of turns)
    longest.set(callback, Math.max(length, longest.get(callback) ?? 0));
  const starts = new Map<Callback, Micros[]>();
  for (const { callback, start, length } of turns) {
    if (length < longest.get(callback)! / 2) continue;
    pushTo(starts, callback, start);
  }
  const found = new Map<Callback, Recurrence>();
  for (const [callback, times] of starts) {
    const period = times.length < LEAST_RECURRENT ? undefined : periodOf(times);
    if (period !== undefined) found.set(callback, { period, times: times.length });
  }
  return found;
}

/** Returns the time between moments that follow each other evenly, some left out; undefined if they do not. */
function periodOf(times: readonly Micros[]): Micros | undefined {
  const steps = times.slice(1).map((time, i) => time - times[i]!);
  const usual = steps.toSorted((a, b) => a - b)[Math.floor((steps.length - 1) / 2)]!;
  if (!(usual > 0)) return undefined;
  let [count, periods, time] = [0, 0, 0];
  for (const step of steps) {
    const multiple = Math.round(step / usual);
    if (multiple < 1 || multiple > MOST_MULTIPLE || Math.abs(step - multiple * usual) > UNEVENNESS * usual)
      continue;
    count++;
    periods += multiple;
    time += step;
  }
  return count >= EVEN_STEPS * steps.length ? time / periods : undefined;
}

/** Returns the callback with most time in long turns, without the loading of scripts. `turns` has the longest first. */
export function holderOf<T extends CalledTurn & { readonly least: Micros }>(
  turns: readonly T[],
  turnOf: (turn: T) => Turn,
): Holder | undefined {
  const byCallback = new Map<Callback, { turns: number; sure: number; time: Micros; longest: T }>();
  for (const turn of turns) {
    const { callback, length, least } = turn;
    if (length <= LONG_TURN || callback.root === NO_ROOT || callback.kindOf(turn) === "load") continue;
    const held = valueAt(byCallback, callback, () => ({ turns: 0, sure: 0, time: 0, longest: turn }));
    held.turns++;
    if (least > LONG_TURN) held.sure++;
    held.time += length;
  }
  const [most] = Array.from(byCallback.values()).sort((a, b) => b.time - a.time);
  return most && { ...most, longest: turnOf(most.longest) };
}
