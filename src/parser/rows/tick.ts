import { STACK_DEPTH, WORD_END } from "../../limits.js";
import type { Address, Micros } from "../../profile/units.js";
import { UNKNOWN_STATE, type VmState } from "../../profile/vm-state.js";
import { LOWER_O, MINUS, PLUS } from "../bytes.js";
import { type Dialect, translateState } from "../dialect.js";
import { Row } from "../fields.js";

/** One sample of the stack. One object stands for all of them: copy what must outlive the call. */
export interface TickRecord {
  readonly type: "tick";
  /** Where the processor was; 0 when the sampler could not tell. */
  pc: Address;
  /** 0 in layouts that have none. */
  timestamp: Micros;
  /** Whether `tos` is the C++ callback that runs; the tick is that callback's, whatever `pc` is. */
  isExternal: boolean;
  /** The callback, or a word off the top of the stack; 0 for none. */
  tos: Address;
  vmState: VmState;
  /** Return addresses, root first; only the first `depth` count. */
  frames: Float64Array;
  depth: number;
  /** V8's ring buffer was full: ticks after this one were lost. */
  hasOverflow: boolean;
}

/** What was odd about a tick that could be read. */
export interface TickDiagnostics {
  /** Some field of the stack is no address. */
  hasMalformedFrame: boolean;
  /** The row ends where V8 cuts rows, so its last frame was dropped. */
  isCut: boolean;
  /** The stack is deeper than {@link STACK_DEPTH}: callers at its root were dropped. */
  isTooDeep: boolean;
}

/**
 * Decodes the rows of ticks, also those that kernels leave. Four layouts are known, told apart by which fields are
 * addresses (an address begins with `0x`, or has 16 digits and no mark on 64-bit Windows of V8 5.4 to 6.0):
 *
 *     tick,pc,µs,ext,tos,state,frames…         Node 4 and later
 *     tick,pc,sp,µs,ext,tos,state,frames…      V8 3.1x of 2013
 *     tick,pc,sp,ext,tos,state,frames…         to V8 3.14
 *     tick,pc,sp,tos,state,frames…             2010
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::TickEvent`, and its ancestors.
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
   * Decodes `bytes[start..end)`, the row without its name, into `record` and `faults`; `rowLength` is the
   * length of the whole row. False when a field before the stack is malformed.
   */
  decode(bytes: Buffer, start: number, end: number, rowLength: number, dialect: Dialect): boolean {
    const { record, diagnostics } = this;
    this.#row.reset(bytes, start, end);
    if (!this.#readHead(dialect)) return false;
    this.#readStack(bytes, record.isExternal ? record.tos : record.pc);
    diagnostics.isCut = dialect.rowLimit > 0 && rowLength >= dialect.rowLimit;
    if (!diagnostics.isCut) return true;
    // The frame at the root was cut, or those after it are missing.
    diagnostics.hasMalformedFrame = false;
    record.frames.copyWithin(0, 1, record.depth);
    record.depth = Math.max(0, record.depth - 1);
    return true;
  }

  /** Reads up to the state, in any layout. */
  #readHead(dialect: Dialect): boolean {
    const { record } = this;
    const row = this.#row;
    // Addresses of one row have marks all or none; a time can have 16 digits too.
    const areMarked = row.isMarked();
    record.pc = row.hex();
    record.timestamp = 0;
    record.isExternal = false;
    if (!row.isAddress(areMarked)) {
      record.timestamp = row.natural();
      record.isExternal = row.integer() === 1;
    } else {
      row.skip(); // the stack pointer
      if (!row.isAddress(areMarked)) {
        const number = row.natural();
        if (row.isAddress(areMarked)) {
          record.isExternal = number === 1;
        } else {
          record.timestamp = number;
          record.isExternal = row.integer() === 1;
        }
      }
    }
    record.tos = row.hex();
    const state = row.integer();
    record.vmState = translateState(dialect, state);
    return !Number.isNaN(record.pc + record.timestamp + record.tos + state);
  }

  /**
   * Reads the frames, leaf first in the row. Relative ones count from `base`, and after the first from the last relative
   * one: V8's own reader moves the base by no other.
   */
  #readStack(bytes: Buffer, base: Address): void {
    const { record, diagnostics } = this;
    const row = this.#row;
    let relativeTo = base;
    let depth = 0;
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
      if (Number.isNaN(value)) {
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
  }
}

/** A copy with room for so many frames, and for more to come. */
export function widenedFrames(frames: Float64Array, depth: number): Float64Array {
  const wide = new Float64Array(2 * depth);
  wide.set(frames);
  return wide;
}
