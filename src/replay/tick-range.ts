import type { Micros } from "../base/units.js";
import type { RangeRows } from "../profile/profile.js";
import type { VmState } from "../profile/vm-state.js";

/** Which ticks of a log count. */
export interface TickRangeOptions {
  /** The first moment that counts, in milliseconds since the log was opened. Default: all. */
  readonly from?: number | undefined;
  /** The last moment that counts, in milliseconds. Default: all. */
  readonly to?: number | undefined;
  /** How long writing one row of the log took, in picoseconds; subtracted from the times. Default: 0. */
  readonly distortion?: number | undefined;
  /**
   * `all`: only ticks between the first and the last `current-time` row; `pairs`: only ticks between the
   * first and the second, the third and the fourth, and so on. A log without such rows counts whole. Default:
   * `off`.
   */
  readonly timedRange?: "off" | "all" | "pairs" | undefined;
  /**
   * Only ticks while this runtime timer is active; others are excluded. A log without timers counts whole.
   */
  readonly runtimeTimer?: string | undefined;
}

type Count = (node: number, state: VmState, timestamp: Micros) => void;

/** Decides which ticks count. Ticks after a mark are held until the next mark, which may never come. */
export class TickRange {
  #runtimeTimer: string | undefined;
  readonly #options: TickRangeOptions;
  readonly #from: Micros;
  readonly #to: Micros;
  /** Whether ticks count at once; otherwise they are held. */
  readonly isOpen: boolean;
  /** How long writing a row took. */
  readonly #perRow: Micros;
  readonly #held: { nodes: number[]; states: VmState[]; times: Micros[] } = {
    nodes: [],
    states: [],
    times: [],
  };
  #distortion = 0;
  /** The times of the first and the last tick that {@link includes} was asked about. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #marks = 0;
  #timers = 0;

  constructor(options: TickRangeOptions) {
    this.#options = options;
    this.isOpen = (options.timedRange ?? "off") === "off";
    this.#perRow = (options.distortion ?? 0) / 1e6;
    this.#from = options.from === undefined ? Number.NEGATIVE_INFINITY : options.from * 1000;
    this.#to = options.to === undefined ? Number.POSITIVE_INFINITY : options.to * 1000;
  }

  /** Whether ticks at all times count, so that {@link includes} need not be called. */
  get isWhole(): boolean {
    return this.#from === Number.NEGATIVE_INFINITY && this.#to === Number.POSITIVE_INFINITY;
  }

  /** Whether ticks count under every runtime timer. */
  get isEveryTimer(): boolean {
    return this.#options.runtimeTimer === undefined;
  }

  get matchesRuntimeTimer(): boolean {
    const { runtimeTimer } = this.#options;
    return (
      runtimeTimer === undefined || this.#runtimeTimer === undefined || this.#runtimeTimer === runtimeTimer
    );
  }

  /** The number of rows that define ranges. */
  get rows(): RangeRows {
    const times = this.isWhole || this.#last < this.#first ? undefined : ([this.#first, this.#last] as const);
    return { currentTime: this.#marks, runtimeTimers: this.#timers, ...(times && { times }) };
  }

  /** Records that another runtime timer is active from now on. */
  switchTimer(name: string): void {
    this.#runtimeTimer = name;
    this.#timers++;
  }

  /** Returns whether a tick at this time counts. Must be called for every tick or for none. */
  includes(timestamp: Micros): boolean {
    this.advance();
    const time = timestamp - this.#distortion;
    this.#first = Math.min(this.#first, time);
    this.#last = Math.max(this.#last, time);
    return time >= this.#from && time <= this.#to;
  }

  /** Records that a row was written, which took time. */
  advance(): void {
    this.#distortion += this.#perRow;
  }

  /** Holds a tick until the next mark. */
  hold(node: number, state: VmState, timestamp: Micros): void {
    if (this.#options.timedRange === "pairs" && this.#marks % 2 === 0 && this.#marks > 0) return;
    this.#held.nodes.push(node);
    this.#held.states.push(state);
    this.#held.times.push(timestamp);
  }

  /** Records a `current-time` row: counts the held ticks if it closes a range, and drops them otherwise. */
  mark(count: Count): void {
    this.#marks++;
    if (this.isOpen) return;
    const closes = this.#options.timedRange === "pairs" ? this.#marks % 2 === 0 : this.#marks > 1;
    if (closes) this.#release(count);
    this.#held.nodes.length = 0;
    this.#held.states.length = 0;
    this.#held.times.length = 0;
  }

  /** Ends the log: without any mark there is no range, and every tick counts. */
  finish(count: Count): void {
    if (this.#marks === 0) this.#release(count);
  }

  #release(count: Count): void {
    const { nodes, states, times } = this.#held;
    for (const [i, node] of nodes.entries()) count(node, states[i]!, times[i]!);
  }
}
