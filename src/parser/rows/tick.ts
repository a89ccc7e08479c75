import type { Address, Micros } from "../../profile/units.js";
import { UNKNOWN_STATE, type VmState } from "../../profile/vm-state.js";
import { COMMA, LOWER_X, NINE, ZERO } from "../bytes.js";
import { type Dialect, translateState } from "../dialect.js";
import { HEX_DIGIT, longHex, Row, WHOLE_DIGITS } from "../fields.js";
import { StackText } from "./stack-text.js";

/** Decimal numbers of so many digits are below 2^30. */
const SMALL_DIGITS = 9;

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
  /** Return addresses, root first; only the first `depth` count. */
  frames: Float64Array;
  depth: number;
  /** How many frames from the root on are those of the tick before. */
  shared: number;
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
    frames: new Float64Array(0),
    depth: 0,
    shared: 0,
    hasOverflow: false,
  };
  readonly faults: TickFaults = { hasMalformedFrame: false, isCut: false };
  readonly #row = new Row();
  readonly #stack = new StackText();
  /** Where {@link #hex} and {@link #integer} are. */
  #at = 0;

  /**
   * Decodes `bytes[start..end)`, the row without its name, into `record` and `faults`; `rowLength` is the
   * length of the whole row. False when a field before the stack is malformed.
   */
  decode(bytes: Buffer, start: number, end: number, rowLength: number, dialect: Dialect): boolean {
    const { record, faults } = this;
    const stack = this.#stack;
    let at = this.#readHead(bytes, start, end, dialect);
    if (at < 0) at = this.#readOldHead(bytes, start, end, dialect);
    if (at < 0) return false;
    stack.read(bytes, at, end, record.isExternal ? record.tos : record.pc);
    faults.isCut = dialect.rowLimit > 0 && rowLength >= dialect.rowLimit;
    faults.hasMalformedFrame = stack.hasMalformedFrame && !faults.isCut;
    if (faults.isCut) stack.dropRoot();
    record.frames = stack.frames;
    record.depth = stack.depth;
    record.shared = stack.shared;
    record.hasOverflow = stack.hasOverflow;
    return true;
  }

  /** Copies what is still needed of the bytes of the last row: their owner takes them back. */
  release(): void {
    this.#stack.release();
  }

  /** Reads up to the state in the layout of Node 4 and later; returns where the stack begins, or -1. */
  #readHead(bytes: Buffer, start: number, end: number, dialect: Dialect): number {
    const { record } = this;
    this.#at = start;
    record.pc = this.#hex(bytes, end);
    record.timestamp = this.#integer(bytes, end);
    record.isExternal = this.#integer(bytes, end) === 1;
    record.tos = this.#hex(bytes, end);
    const state = this.#integer(bytes, end);
    record.vmState = translateState(dialect, state);
    return this.#at > end + 1 ? -1 : this.#at;
  }

  /** The next field, `0x…`. Past the end of the row stands `#at` once any field was malformed. */
  #hex(bytes: Buffer, end: number): number {
    let at = this.#at;
    if (at + 2 >= end || bytes[at] !== ZERO || bytes[at + 1] !== LOWER_X) {
      this.#at = Number.MAX_SAFE_INTEGER;
      return 0;
    }
    at += 2;
    const digits = at;
    let high = 0;
    let low = 0;
    for (; at < end; at++) {
      const digit = HEX_DIGIT[bytes[at]!]!;
      if (digit === 255) break;
      high = (high << 4) | (low >>> 20);
      low = ((low << 4) & 0xffffff) | digit;
    }
    const value = at - digits <= WHOLE_DIGITS ? high * 0x1000000 + low : longHex(bytes, digits, at);
    this.#at = at >= end || bytes[at] === COMMA ? at + 1 : Number.MAX_SAFE_INTEGER;
    return value;
  }

  /** The next field, decimal; as {@link #hex}. */
  #integer(bytes: Buffer, end: number): number {
    let at = this.#at;
    const start = at;
    // A small integer for as long as it is one: a double takes several times as long.
    const small = Math.min(end, start + SMALL_DIGITS);
    let integer = 0;
    for (; at < small; at++) {
      const byte = bytes[at]!;
      if (byte < ZERO || byte > NINE) break;
      integer = integer * 10 + byte - ZERO;
    }
    let value = integer;
    if (at === small) {
      for (; at < end; at++) {
        const byte = bytes[at]!;
        if (byte < ZERO || byte > NINE) break;
        value = value * 10 + (byte - ZERO);
      }
    }
    const isWhole = at > start && (at >= end || bytes[at] === COMMA);
    this.#at = isWhole ? at + 1 : Number.MAX_SAFE_INTEGER;
    return value;
  }

  /** Reads up to the state in any layout; returns where the stack begins, or -1. */
  #readOldHead(bytes: Buffer, start: number, end: number, dialect: Dialect): number {
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
}
