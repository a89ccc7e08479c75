import { STACK_DEPTH, WORD_END } from "../../base/limits.js";
import type { Address, Micros } from "../../base/units.js";
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
import { UNKNOWN_STATE, type VmState } from "../../profile/vm-state.js";
import { type Dialect, translateState } from "../dialect.js";
import { COMMA, LOWER_O, MINUS, PLUS, Row } from "../fields.js";

/** One sample of the stack. All ticks share one object: copy what must outlive the call. */
export interface TickRecord {
  readonly type: "tick";
  /** The program counter; 0 if the sampler could not tell. */
  pc: Address;
  /** 0 in layouts without a time. */
  timestamp: Micros;
  /** Whether `tos` is a running C++ callback. The tick then belongs to that callback, whatever `pc` is. */
  isExternal: boolean;
  /** The callback, or a word from the top of the stack; 0 for none. */
  tos: Address;
  vmState: VmState;
  /** Return addresses, root first. Only the first `depth` are valid. */
  frames: Float64Array;
  depth: number;
  /** Whether V8's ring buffer was full, so that ticks after this one were lost. */
  hasOverflow: boolean;
}

/** Problems of a tick that could still be read. */
interface TickDiagnostics {
  /** Whether a frame is not an address. */
  hasMalformedFrame: boolean;
  /** Whether V8 cut the row, so that its last frame was dropped. */
  isCut: boolean;
  /** Whether the stack is deeper than {@link STACK_DEPTH}, so that callers at its root were dropped. */
  isTooDeep: boolean;
}

/** The columns after the stack pointer: µs, ext, tos, state. */
const MOST_COLUMNS = 4;

/**
 * Decodes tick rows, including those that the kernels do not read. There are five layouts, told apart by how
 * many columns come before the stack and which of them are numbers. An address begins with `0x`, or has 16
 * digits and no prefix in V8 5.4 to 6.0 on 64-bit Windows; on Linux, these write null pointers as `(nil)`. Only the top of the stack can be a bare `0`:
 *
 *     tick,pc,µs,ext,tos,state,frames…         Node 4 and later
 *     tick,pc,sp,µs,ext,tos,state,frames…      V8 3.1x of 2013
 *     tick,pc,sp,ext,tos,state,frames…         up to V8 3.14
 *     tick,pc,sp,tos,state,frames…             2010
 *     tick,pc,sp,state,frames…                 V8 1.x
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::TickEvent`, and its predecessors.
 */
export class TickDecoder {
  readonly record: TickRecord = {
    type: "tick",
    pc: 0,
    timestamp: 0,
    isExternal: false,
    tos: 0,
    vmState: UNKNOWN_STATE,
    frames: new Float64Array(256),
    depth: 0,
    hasOverflow: false,
  };
  readonly diagnostics: TickDiagnostics = { hasMalformedFrame: false, isCut: false, isTooDeep: false };
  readonly #row = new Row();

  /**
   * Decodes `bytes[start..end)`, a row without its row name, into `record` and `diagnostics`; `rowLength` is
   * the length of the whole row. Returns false if a field before the stack is malformed.
   */
  decode(bytes: Buffer, start: number, end: number, rowLength: number, dialect: Dialect): boolean {
    const { record, diagnostics } = this;
    this.#row.reset(bytes, start, end);
    if (!this.#readHead(dialect)) return false;
    const endsInFrame = this.#readStack(bytes, record.isExternal ? record.tos : record.pc);
    diagnostics.isCut = dialect.rowLimit > 0 && rowLength >= dialect.rowLimit;
    if (!diagnostics.isCut) return true;
    // V8 cut the last field, or left fields out after it. After a comma or in `0x`, no frame was begun.
    diagnostics.hasMalformedFrame = false;
    if (!endsInFrame) return true;
    record.frames.copyWithin(0, 1, record.depth);
    record.depth = Math.max(0, record.depth - 1);
    return true;
  }

  /** Reads the fields up to the state, in any layout. */
  #readHead(dialect: Dialect): boolean {
    const { record } = this;
    const row = this.#row;
    // Either all addresses of a row but null pointers have a prefix or none. A time can have 16 digits, too.
    const areMarked = row.isMarked();
    record.pc = row.hex();
    record.timestamp = 0;
    record.isExternal = false;
    record.tos = 0;
    let columns = MOST_COLUMNS;
    const hasStackPointer = row.isAddress(areMarked);
    if (hasStackPointer) {
      row.skip(); // The stack pointer.
      columns = this.#columns(areMarked);
    }
    if (columns > 3) record.timestamp = row.natural();
    if (columns > 2) record.isExternal = row.integer() === 1;
    if (columns > 1) record.tos = row.hex();
    const state = row.integer();
    record.vmState = translateState(dialect, state, hasStackPointer);
    return !Number.isNaN(record.pc + record.timestamp + record.tos + state);
  }

  /** Returns how many columns there are from after the stack pointer to the state. */
  #columns(areMarked: boolean): number {
    const row = this.#row;
    const { at } = row;
    let columns = 0;
    while (columns < MOST_COLUMNS && row.isNumber(areMarked)) {
      row.skip();
      columns++;
    }
    // The top of the stack is followed by the state, a frame by frames.
    if (columns <= MOST_COLUMNS - 2 && row.isAddress(areMarked)) {
      row.skip();
      if (row.isNumber(areMarked)) columns += 2;
    }
    row.at = at;
    return columns;
  }

  /**
   * Reads the frames, which the row has leaf first. The first relative frame is relative to `base`, later
   * ones to the last relative frame, as in V8's own reader. Returns whether the row ends in a frame.
   */
  #readStack(bytes: Buffer, base: Address): boolean {
    const { record, diagnostics } = this;
    const row = this.#row;
    let relativeTo = base;
    let depth = 0;
    let isLastFrame = false;
    let room = Math.min(record.frames.length, STACK_DEPTH);
    record.hasOverflow = false;
    diagnostics.hasMalformedFrame = false;
    diagnostics.isTooDeep = false;
    while (row.at < row.end) {
      const first = bytes[row.at]!;
      const isRelative = first === PLUS || first === MINUS;
      if (isRelative) row.at++;
      let value = row.hex();
      if (isRelative) {
        const absolute = first === PLUS ? relativeTo + value : relativeTo - value;
        value = absolute >= 0 && absolute <= WORD_END ? absolute : Number.NaN;
      }
      isLastFrame = !Number.isNaN(value);
      if (!isLastFrame) {
        if (first === LOWER_O) record.hasOverflow = true;
        else diagnostics.hasMalformedFrame = true;
        continue;
      }
      if (isRelative) relativeTo = value;
      if (depth === room) {
        diagnostics.isTooDeep = depth === STACK_DEPTH;
        if (diagnostics.isTooDeep) continue;
        record.frames = widenedFrames(record.frames, depth + 1);
        room = Math.min(record.frames.length, STACK_DEPTH);
      }
      record.frames[depth++] = value;
    }
    record.frames.subarray(0, depth).reverse();
    record.depth = depth;
    return isLastFrame && bytes[row.end - 1] !== COMMA;
  }
}

/** Returns a copy with room for `depth` frames and more. */
function widenedFrames(frames: Float64Array, depth: number): Float64Array {
  const wide = new Float64Array(2 * depth);
  wide.set(frames);
  return wide;
}

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
