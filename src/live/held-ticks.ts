import { reaching } from "../profile/columns.js";
import type { Micros } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";

/** A tick whose frames are known. */
export interface HeldTick {
  readonly state: VmState;
  readonly timestamp: Micros;
  /** Their numbers, outermost first; the last one runs. Valid only during the call. */
  readonly frames: Int32Array;
  readonly depth: number;
}

/** Holds ticks until it is known what is at their addresses. */
export class HeldTicks {
  #length = 0;
  #states = new Uint8Array(256);
  #times = new Float64Array(256);
  /** By tick: where its frames end. */
  #ends = new Int32Array(256);
  #frames = new Int32Array(4096);
  #used = 0;

  /** Begins a tick. */
  begin(state: VmState, timestamp: Micros): void {
    const at = this.#length;
    this.#states = reaching(this.#states, at);
    this.#times = reaching(this.#times, at);
    this.#ends = reaching(this.#ends, at);
    this.#states[at] = state;
    this.#times[at] = timestamp;
  }

  /** Adds a frame to the tick, outermost first. */
  add(frame: number): void {
    if (this.#used === this.#frames.length) this.#frames = reaching(this.#frames, this.#used);
    this.#frames[this.#used++] = frame;
  }

  /** Ends the tick. */
  end(): void {
    this.#ends[this.#length++] = this.#used;
  }

  /** Calls `count` with each tick, in their order, and forgets them. */
  take(count: (tick: HeldTick) => void): void {
    let start = 0;
    for (let i = 0; i < this.#length; i++) {
      const end = this.#ends[i]!;
      const frames = this.#frames.subarray(start, end);
      count({ state: this.#states[i]!, timestamp: this.#times[i]!, frames, depth: end - start });
      start = end;
    }
    this.#length = 0;
    this.#used = 0;
  }
}
