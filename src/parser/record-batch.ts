import type { DiagnosticCode } from "../diagnostics.js";
import type { LogRecord } from "./rows/index.js";
import type { TickRecord } from "./rows/tick.js";

// What a parser finds, as numbers in a row, so that a thread can hand it to another at little cost:
//
//     TICK + flags + state + other frames | shared frames, pc, time, the top of the stack if HAS_TOS,
//                                           each of the other frames, root first
//     FAULT | line                          its code is the next of the extras
//     RECORD | line                         it is the next of the extras
//
// What stands around a | are two integers in the place of one number.
const TICK = 0;
const FAULT = 1;
const RECORD = 2;
const KIND = 3;
/** Flags of a tick, and where its other integers begin. */
const IS_EXTERNAL = 1 << 2;
const HAS_OVERFLOW = 1 << 3;
const HAS_TOS = 1 << 4;
const STATE_SHIFT = 5;
const STATE_MASK = 31;
const FRESH_SHIFT = 10;
/** Numbers of a tick without its frames, at most. */
const TICK_HEAD = 4;

/** Numbers, with the same memory as integers: twice as many. */
export interface Cells {
  readonly numbers: Float64Array;
  readonly integers: Int32Array;
}

/** Cells in so many bytes of memory. */
export function cellsIn(buffer: ArrayBufferLike, start: number, bytes: number): Cells {
  return {
    numbers: new Float64Array(buffer, start, bytes / Float64Array.BYTES_PER_ELEMENT),
    integers: new Int32Array(buffer, start, bytes / Int32Array.BYTES_PER_ELEMENT),
  };
}

/** What is no number. */
export type Extra = LogRecord | DiagnosticCode;

/** Who takes what a parser found, in its order. */
export interface RecordTaker {
  /** `line` is counted from 1; for a tick, the line of a record before it. */
  takeRecord(record: LogRecord, line: number): void;
  takeFault(code: DiagnosticCode, line: number): void;
}

/** Writes what a parser finds into cells that it asks for. */
export class RecordWriter {
  readonly #claim: () => Cells;
  readonly #publish: (length: number, extras: Extra[]) => void;
  #cells: Cells;
  #length = 0;
  #extras: Extra[] = [];

  /** `claim` gives the next cells; `publish` takes the last ones back, with how many of them count. */
  constructor(claim: () => Cells, publish: (length: number, extras: Extra[]) => void) {
    this.#claim = claim;
    this.#publish = publish;
    this.#cells = claim();
  }

  addRecord(record: LogRecord, line: number): void {
    if (record.type !== "tick") this.#addExtra(RECORD, record, line);
    else if (TICK_HEAD + record.depth <= this.#cells.numbers.length) this.#addTick(record);
    else this.#addExtra(RECORD, { ...record, frames: record.frames.slice(0, record.depth), shared: 0 }, line);
  }

  addFault(code: DiagnosticCode, line: number): void {
    this.#addExtra(FAULT, code, line);
  }

  /** Publishes what was added since it was last published, and claims the next cells. */
  flush(): void {
    this.#publish(this.#length, this.#extras);
    this.#length = 0;
    this.#extras = [];
    this.#cells = this.#claim();
  }

  #addTick(tick: TickRecord): void {
    const { frames, depth, shared } = tick;
    if (this.#length + TICK_HEAD + depth > this.#cells.numbers.length) this.flush();
    const { numbers, integers } = this.#cells;
    let at = this.#length;
    const flags =
      (tick.isExternal ? IS_EXTERNAL : 0) |
      (tick.hasOverflow ? HAS_OVERFLOW : 0) |
      (tick.tos !== 0 ? HAS_TOS : 0);
    integers[2 * at] = TICK | flags | (tick.vmState << STATE_SHIFT) | ((depth - shared) << FRESH_SHIFT);
    integers[2 * at + 1] = shared;
    numbers[at + 1] = tick.pc;
    numbers[at + 2] = tick.timestamp;
    at += 3;
    if (tick.tos !== 0) numbers[at++] = tick.tos;
    for (let i = shared; i < depth; i++) numbers[at++] = frames[i]!;
    this.#length = at;
  }

  #addExtra(kind: number, extra: Extra, line: number): void {
    if (this.#length === this.#cells.numbers.length) this.flush();
    this.#cells.integers[2 * this.#length] = kind;
    this.#cells.integers[2 * this.#length + 1] = line;
    this.#length++;
    this.#extras.push(extra);
  }
}

/** Reads what a {@link RecordWriter} wrote, in its order. */
export class RecordReader {
  readonly #tick: TickRecord = {
    type: "tick",
    pc: 0,
    timestamp: 0,
    isExternal: false,
    tos: 0,
    vmState: 0,
    frames: new Float64Array(256),
    depth: 0,
    shared: 0,
    hasOverflow: false,
  };
  /** How many were read. */
  ticks = 0;
  #line = 0;

  /** Hands on what the first `length` of the cells say. */
  read(cells: Cells, length: number, extras: readonly Extra[], taker: RecordTaker): void {
    const { integers } = cells;
    let extra = 0;
    let at = 0;
    while (at < length) {
      const kind = integers[2 * at]! & KIND;
      if (kind === TICK) {
        at = this.#readTick(cells, at);
        this.ticks++;
        taker.takeRecord(this.#tick, this.#line);
        continue;
      }
      this.#line = integers[2 * at + 1]!;
      at++;
      if (kind === FAULT) {
        taker.takeFault(extras[extra++] as DiagnosticCode, this.#line);
      } else {
        const record = extras[extra++] as LogRecord;
        if (record.type === "tick") this.#tick.frames = record.frames; // The next tick may share them.
        taker.takeRecord(record, this.#line);
      }
    }
  }

  #readTick({ numbers, integers }: Cells, from: number): number {
    const tick = this.#tick;
    const head = integers[2 * from]!;
    const shared = integers[2 * from + 1]!;
    const depth = shared + (head >>> FRESH_SHIFT);
    let at = from + 3;
    tick.isExternal = (head & IS_EXTERNAL) !== 0;
    tick.hasOverflow = (head & HAS_OVERFLOW) !== 0;
    tick.vmState = (head >>> STATE_SHIFT) & STATE_MASK;
    tick.pc = numbers[from + 1]!;
    tick.timestamp = numbers[from + 2]!;
    tick.tos = (head & HAS_TOS) === 0 ? 0 : numbers[at++]!;
    if (depth > tick.frames.length) {
      const frames = new Float64Array(2 * depth);
      frames.set(tick.frames);
      tick.frames = frames;
    }
    const { frames } = tick;
    for (let i = shared; i < depth; i++) frames[i] = numbers[at++]!;
    tick.shared = shared;
    tick.depth = depth;
    return at;
  }
}
