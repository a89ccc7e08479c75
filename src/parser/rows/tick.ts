import type { Address, Micros } from "../../profile/units.js";
import { UNKNOWN_STATE, type VmState } from "../../profile/vm-state.js";
import { type Dialect, translateState } from "../dialect.js";
import { HEX_DIGIT, Row } from "../fields.js";

/** One sample of the stack. The parser uses one object for all of them: copy what must outlive the call. */
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
  /** Return addresses, leaf first; only the first `depth` count. */
  frames: Float64Array;
  depth: number;
  /** V8's ring buffer was full: ticks after this one were lost. */
  hasOverflow: boolean;
}

/** What was odd about a tick that could be read. */
export interface TickFaults {
  /** Some field of the stack is no address. */
  hasMalformedFrame: boolean;
  /** The row ends where V8 cuts rows, so its last frame was dropped. */
  isCut: boolean;
}

const COMMA = 44;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
const LOWER_X = 120;
const LOWER_O = 111;

/**
 * Decodes the rows that make up most of a log. Four layouts are known, told apart by which fields are
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
  readonly faults: TickFaults = { hasMalformedFrame: false, isCut: false };
  readonly #row = new Row();

  /**
   * Decodes `bytes[start..end)`, the row without its name, into `record` and `faults`; `rowLength` is the
   * length of the whole row. False when a field before the stack is malformed.
   */
  decode(bytes: Buffer, start: number, end: number, rowLength: number, dialect: Dialect): boolean {
    const { record, faults } = this;
    faults.hasMalformedFrame = false;
    faults.isCut = dialect.rowLimit > 0 && rowLength >= dialect.rowLimit;
    record.depth = 0;
    record.hasOverflow = false;
    const at = this.#readHead(bytes, start, end, dialect);
    if (at < 0) return false;
    this.#readFrames(bytes, at, end);
    if (faults.isCut && record.depth > 0) record.depth--;
    return true;
  }

  /** Reads up to the state; returns where the stack begins, or -1. */
  #readHead(bytes: Buffer, start: number, end: number, dialect: Dialect): number {
    const { record } = this;
    const row = this.#row;
    row.reset(bytes, start, end);
    record.pc = row.hex();
    record.timestamp = 0;
    record.isExternal = false;
    if (!row.isAddress()) {
      record.timestamp = row.integer();
      record.isExternal = row.integer() === 1;
    } else {
      row.skip(); // the stack pointer
      if (!row.isAddress()) {
        const number = row.integer();
        if (row.isAddress()) {
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
    const sum = record.pc + record.timestamp + record.tos + state;
    return Number.isNaN(sum) ? -1 : row.at;
  }

  #readFrames(bytes: Buffer, start: number, end: number): void {
    const { record } = this;
    let frames = record.frames;
    let depth = 0;
    let at = start;
    // The base of relative frames: V8's own reader moves it by relative frames only.
    let base = record.isExternal ? record.tos : record.pc;
    while (at < end) {
      const first = bytes[at]!;
      const isRelative = first === PLUS || first === MINUS;
      if (isRelative) at++;
      if (bytes[at] === ZERO && bytes[at + 1] === LOWER_X) at += 2;
      const digits = at;
      let value = 0;
      let digit = 0;
      while (at < end) {
        digit = HEX_DIGIT[bytes[at]!]!;
        if (digit === 255) break;
        value = value * 16 + digit;
        at++;
      }
      if (at === digits || (at < end && bytes[at] !== COMMA)) {
        if (first === LOWER_O) record.hasOverflow = true;
        else this.faults.hasMalformedFrame ||= !this.faults.isCut;
        while (at < end && bytes[at] !== COMMA) at++;
      } else {
        if (isRelative) value = base = first === PLUS ? base + value : base - value;
        if (depth === frames.length) frames = this.#growFrames();
        frames[depth++] = value;
      }
      at++;
    }
    record.depth = depth;
  }

  #growFrames(): Float64Array {
    const wide = new Float64Array(this.record.frames.length * 2);
    wide.set(this.record.frames);
    this.record.frames = wide;
    return wide;
  }
}
