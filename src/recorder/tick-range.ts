import type { RangeRows } from "../profile/profile.js";
import type { Micros } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";

/** Which ticks of a log count. */
export interface TickRangeOptions {
  /** The first moment that counts, in milliseconds since the log was opened. Default: all. */
  readonly from?: number | undefined;
  /** The last moment that counts, in milliseconds. Default: all. */
  readonly to?: number | undefined;
  /** What writing one row of the log took, in picoseconds; subtracted from the times. Default: 0. */
  readonly distortion?: number | undefined;
  /**
   * `all`: only ticks between the first and the last `current-time` row; `pairs`: only between the first and the
   * second, the third and the fourth, and so on. Logs without such rows count whole. Default: `off`.
   */
  readonly timedRange?: "off" | "all" | "pairs" | undefined;
  /** Only ticks while this runtime timer is active; the others are excluded. Logs without timers count whole. */
  readonly runtimeTimer?: string | undefined;
}

type Count = (node: number, state: VmState, timestamp: Micros) => void;

/** Decides tick by tick what counts. Ticks after a mark wait for the next one, which may never come. */
export class TickRange {
  #runtimeTimer: string | undefined;
  readonly #options: TickRangeOptions;
  readonly #from: Micros;
  readonly #to: Micros;
  /** Whether ticks count at once; if not, they are held. */
  readonly isOpen: boolean;
  /** What writing a row took. */
  readonly #perRow: Micros;
  readonly #held: { nodes: number[]; states: VmState[]; times: Micros[] } = {
    nodes: [],
    states: [],
    times: [],
  };
  #distortion = 0;
  #marks = 0;
  #timers = 0;

  constructor(options: TickRangeOptions) {
    this.#options = options;
    this.isOpen = (options.timedRange ?? "off") === "off";
    this.#perRow = (options.distortion ?? 0) / 1e6;
    this.#from = options.from === undefined ? Number.NEGATIVE_INFINITY : options.from * 1000;
    this.#to = options.to === undefined ? Number.POSITIVE_INFINITY : options.to * 1000;
  }

  /** Whether ticks of all times count, so that nobody need ask. */
  get isWhole(): boolean {
    return this.#from === Number.NEGATIVE_INFINITY && this.#to === Number.POSITIVE_INFINITY;
  }

  /** Whether ticks count whatever runtime timer is active. */
  get isEveryTimer(): boolean {
    return this.#options.runtimeTimer === undefined;
  }

  get matchesRuntimeTimer(): boolean {
    const wanted = this.#options.runtimeTimer;
    return wanted === undefined || this.#runtimeTimer === undefined || this.#runtimeTimer === wanted;
  }

  /** How many rows ranges could go by. */
  get rows(): RangeRows {
    return { currentTime: this.#marks, runtimeTimers: this.#timers };
  }

  /** Another runtime timer is active from here on. */
  switchTimer(name: string): void {
    this.#runtimeTimer = name;
    this.#timers++;
  }

  /** Whether a tick at this time counts. Asked once for every tick, or for none. */
  includes(timestamp: Micros): boolean {
    this.advance();
    const time = timestamp - this.#distortion;
    return time >= this.#from && time <= this.#to;
  }

  /** A row was logged, and took its time. */
  advance(): void {
    this.#distortion += this.#perRow;
  }

  /** Keeps a tick until it is known whether a mark follows it. */
  hold(node: number, state: VmState, timestamp: Micros): void {
    if (this.#options.timedRange === "pairs" && this.#marks % 2 === 0 && this.#marks > 0) return;
    this.#held.nodes.push(node);
    this.#held.states.push(state);
    this.#held.times.push(timestamp);
  }

  /** A `current-time` row. Counts the ticks that it closes in, drops those before the first. */
  mark(count: Count): void {
    this.#marks++;
    if (this.isOpen) return;
    const closes = this.#options.timedRange === "pairs" ? this.#marks % 2 === 0 : this.#marks > 1;
    if (closes) this.#release(count);
    this.#held.nodes.length = 0;
    this.#held.states.length = 0;
    this.#held.times.length = 0;
  }

  /** The end of the log: without any mark there is no range, and every tick counts. */
  finish(count: Count): void {
    if (this.#marks === 0) this.#release(count);
  }

  #release(count: Count): void {
    const { nodes, states, times } = this.#held;
    for (const [i, node] of nodes.entries()) count(node, states[i]!, times[i]!);
  }
}
