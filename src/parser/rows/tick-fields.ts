import {
  FRESH_SHIFT,
  HAS_TOS,
  IS_EXTERNAL,
  STATE_MASK,
  STATE_SHIFT,
  TICK_PC,
  TICK_SHARED,
  TICK_TIME,
  TICK_TOS,
} from "../../kernels/layout.js";
import { type TickRecord, widenedFrames } from "./tick.js";

// A tick as numbers in a row, which kernels write and read and one thread hands to another:
//
//     flags + state + other frames | shared frames, pc, time, the top of the stack if HAS_TOS,
//                                    each of the other frames, root first
//
// The first two are integers in the place of one number. Here are the places in integers, and in numbers.
const SHARED = TICK_SHARED / Int32Array.BYTES_PER_ELEMENT;
const PC = TICK_PC / Float64Array.BYTES_PER_ELEMENT;
const TIME = TICK_TIME / Float64Array.BYTES_PER_ELEMENT;
const TOS = TICK_TOS / Float64Array.BYTES_PER_ELEMENT;

/** Ticks one after the other. Shared frames are those of the tick before, also where that is among other cells. */
export type TickFields = Float64Array;

/** Reads ticks out of cells. The record is the same for all of them: copy what must outlive the call. */
export class TickReader {
  readonly #onTick: (tick: TickRecord) => void;
  readonly #tick: TickRecord = {
    type: "tick",
    pc: 0,
    timestamp: 0,
    isExternal: false,
    tos: 0,
    vmState: 0,
    frames: new Float64Array(256),
    depth: 0,
    hasOverflow: false,
  };

  constructor(onTick: (tick: TickRecord) => void) {
    this.#onTick = onTick;
  }

  read(fields: TickFields): void {
    const integers = new Int32Array(fields.buffer, fields.byteOffset, 2 * fields.length);
    const tick = this.#tick;
    let at = 0;
    while (at < fields.length) {
      const head = integers[2 * at]!;
      const shared = integers[2 * at + SHARED]!;
      const depth = shared + (head >>> FRESH_SHIFT);
      tick.isExternal = (head & IS_EXTERNAL) !== 0;
      tick.vmState = (head >>> STATE_SHIFT) & STATE_MASK;
      tick.pc = fields[at + PC]!;
      tick.timestamp = fields[at + TIME]!;
      at += TOS;
      tick.tos = (head & HAS_TOS) === 0 ? 0 : fields[at++]!;
      if (depth > tick.frames.length) tick.frames = widenedFrames(tick.frames, depth);
      const { frames } = tick;
      for (let i = shared; i < depth; i++) frames[i] = fields[at++]!;
      tick.depth = depth;
      this.#onTick(tick);
    }
  }
}
