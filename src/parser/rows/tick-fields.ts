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

// A tick as a sequence of numbers, which kernels write and read and one thread passes to another:
//
//     flags + state + other frames | shared frames, pc, time, the top of the stack if HAS_TOS,
//                                    each of the other frames, root first
//
// The two integers around the | share the 8 bytes of one number. The constants are indices: SHARED of
// integers, the others of numbers.
const SHARED = TICK_SHARED / Int32Array.BYTES_PER_ELEMENT;
const PC = TICK_PC / Float64Array.BYTES_PER_ELEMENT;
const TIME = TICK_TIME / Float64Array.BYTES_PER_ELEMENT;
const TOS = TICK_TOS / Float64Array.BYTES_PER_ELEMENT;

/**
 * The fields of ticks, one tick after the other. The shared frames are those of the previous tick, even one
 * that was passed on earlier.
 */
export type TickFields = Float64Array;

/** Reads ticks from fields. All ticks share one record object: copy what must outlive the call. */
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
