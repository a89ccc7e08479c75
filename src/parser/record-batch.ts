import type { DiagnosticCode } from "../diagnostics.js";
import type { LogRecord } from "./rows/row-decoders.js";
import type { TickFields } from "./rows/tick-fields.js";

// What a parser finds, as numbers in a row, so that a thread can hand it to another at little cost:
//
//     TICKS + count | cells       the cells of so many ticks follow
//     FAULT | line                its code is the next of the extras
//     RECORD | line               it is the next of the extras
//
// What stands around a | are two integers in the place of one number.
const TICKS = 0;
const DIAGNOSTIC = 1;
const RECORD = 2;
const KIND = 3;
const COUNT_SHIFT = 2;

/** What is no number. */
export type Extra = LogRecord | DiagnosticCode;

/** Who takes what a parser found, in its order. */
export interface RecordTaker {
  takeTicks(fields: TickFields, count: number): void;
  /** `line` is counted from 1. */
  takeRecord(record: LogRecord, line: number): void;
  takeDiagnostic(code: DiagnosticCode, line: number): void;
}

/** Writes what a parser finds into memory that it asks for. */
export class RecordWriter {
  readonly #claim: () => Float64Array;
  readonly #publish: (length: number, extras: Extra[]) => void;
  #numbers: Float64Array;
  #integers: Int32Array;
  #length = 0;
  #extras: Extra[] = [];

  /** `claim` gives memory; `publish` takes it back, with how much of it counts. */
  constructor(claim: () => Float64Array, publish: (length: number, extras: Extra[]) => void) {
    this.#claim = claim;
    this.#publish = publish;
    this.#numbers = claim();
    this.#integers = integersOf(this.#numbers);
  }

  /** Adds ticks. A piece of memory holds all that are added at once. */
  addTicks(fields: TickFields, count: number): void {
    if (this.#length + 1 + fields.length > this.#numbers.length) this.flush();
    this.#addHead(TICKS | (count << COUNT_SHIFT), fields.length);
    this.#numbers.set(fields, this.#length);
    this.#length += fields.length;
  }

  addRecord(record: LogRecord, line: number): void {
    const isTick = record.type === "tick";
    this.#addExtra(
      RECORD,
      isTick ? { ...record, frames: record.frames.slice(0, record.depth) } : record,
      line,
    );
  }

  addDiagnostic(code: DiagnosticCode, line: number): void {
    this.#addExtra(DIAGNOSTIC, code, line);
  }

  /** Publishes what was added since it was last published, and claims more memory. */
  flush(): void {
    this.#publish(this.#length, this.#extras);
    this.#length = 0;
    this.#extras = [];
    this.#numbers = this.#claim();
    this.#integers = integersOf(this.#numbers);
  }

  #addExtra(kind: number, extra: Extra, line: number): void {
    if (this.#length === this.#numbers.length) this.flush();
    this.#addHead(kind, line);
    this.#extras.push(extra);
  }

  #addHead(first: number, second: number): void {
    this.#integers[2 * this.#length] = first;
    this.#integers[2 * this.#length + 1] = second;
    this.#length++;
  }
}

/** Hands on what `numbers` say, which a {@link RecordWriter} wrote, in its order. Returns how many ticks there were. */
export function readBatch(numbers: Float64Array, extras: readonly Extra[], taker: RecordTaker): number {
  const integers = integersOf(numbers);
  let ticks = 0;
  let extra = 0;
  let at = 0;
  while (at < numbers.length) {
    const [first, second] = [integers[2 * at]!, integers[2 * at + 1]!];
    at++;
    switch (first & KIND) {
      case TICKS:
        taker.takeTicks(numbers.subarray(at, at + second), first >>> COUNT_SHIFT);
        ticks += first >>> COUNT_SHIFT;
        at += second;
        break;
      case DIAGNOSTIC:
        taker.takeDiagnostic(extras[extra++] as DiagnosticCode, second);
        break;
      default: {
        const record = extras[extra++] as LogRecord;
        if (record.type === "tick") ticks++;
        taker.takeRecord(record, second);
      }
    }
  }
  return ticks;
}

function integersOf(numbers: Float64Array): Int32Array {
  return new Int32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
}
