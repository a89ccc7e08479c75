import type { DiagnosticCode } from "../profile/diagnostics.js";
import type { LogRecord, RecordTaker } from "./rows/row-decoders.js";
import type { TickFields } from "./rows/tick.js";

// What a parser finds, as a sequence of numbers, which one thread can pass to another cheaply:
//
//     TICKS + count | length      the line of the last tick and the fields of `count` ticks follow, `length` numbers
//     DIAGNOSTIC | line           its code is the next of the extras
//     RECORD | line               it is the next of the extras
//
// The two integers around a | share the 8 bytes of one number.
const TICKS = 0;
const DIAGNOSTIC = 1;
const RECORD = 2;
const KIND = 3;
const COUNT_SHIFT = 2;

/** A diagnostic, the type of its row if that is named, and how often it was found before the next record. */
type FoundDiagnostic = [code: DiagnosticCode, type: string | undefined, times: number];

/** Anything that is not a number. */
export type Extra = LogRecord | FoundDiagnostic;

/** Returns the memory of extras that another thread can take over without a copy: the texts of scripts. */
export function extraBuffers(extras: readonly Extra[]): ArrayBuffer[] {
  return extras.flatMap((extra) => ("source" in extra ? [extra.source.buffer] : []));
}

/** Writes what a parser finds into memory that it claims. */
export class RecordWriter implements RecordTaker {
  readonly #claim: () => Float64Array;
  readonly #publish: (length: number, extras: Extra[]) => void;
  #numbers: Float64Array;
  #integers: Int32Array;
  #length = 0;
  #extras: Extra[] = [];
  /** The diagnostics since the last record, by code and type: a log can have millions of one kind in a row. */
  readonly #faults = new Map<string, FoundDiagnostic>();

  /** `claim` returns memory; `publish` takes it back, with the length that was used. */
  constructor(claim: () => Float64Array, publish: (length: number, extras: Extra[]) => void) {
    this.#claim = claim;
    this.#publish = publish;
    this.#numbers = claim();
    this.#integers = integersOf(this.#numbers);
  }

  /** Adds ticks. All ticks of one call must fit into one piece of memory. */
  takeTicks(fields: TickFields, count: number, line: number): void {
    if (this.#length + 2 + fields.length > this.#numbers.length) this.flush();
    this.#faults.clear();
    this.#addHead(TICKS | (count << COUNT_SHIFT), fields.length);
    this.#numbers[this.#length++] = line;
    this.#numbers.set(fields, this.#length);
    this.#length += fields.length;
  }

  takeRecord(record: LogRecord, line: number): void {
    const isTick = record.type === "tick";
    this.#faults.clear();
    this.#addExtra(
      RECORD,
      isTick ? { ...record, frames: record.frames.slice(0, record.depth) } : record,
      line,
    );
  }

  /** Adds a diagnostic, at the line where it was first found since the last record. */
  add(code: DiagnosticCode, line: number, type?: string, times = 1): void {
    const key = `${code} ${type ?? ""}`;
    const known = this.#faults.get(key);
    if (known !== undefined) {
      known[2] += times;
      return;
    }
    const found: FoundDiagnostic = [code, type, times];
    this.#addExtra(DIAGNOSTIC, found, line);
    this.#faults.set(key, found);
  }

  /** Publishes what was added since the last flush and claims more memory. */
  flush(): void {
    this.#publish(this.#length, this.#extras);
    this.#length = 0;
    this.#extras = [];
    this.#faults.clear();
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

/** Passes on what a {@link RecordWriter} wrote, in its order. Returns the number of ticks. */
export function readBatch(numbers: Float64Array, extras: readonly Extra[], taker: RecordTaker): number {
  const integers = integersOf(numbers);
  let ticks = 0;
  let extra = 0;
  let at = 0;
  while (at < numbers.length) {
    const first = integers[2 * at]!;
    const second = integers[2 * at + 1]!;
    at++;
    switch (first & KIND) {
      case TICKS: {
        const line = numbers[at++]!;
        taker.takeTicks(numbers.subarray(at, at + second), first >>> COUNT_SHIFT, line);
        ticks += first >>> COUNT_SHIFT;
        at += second;
        break;
      }
      case DIAGNOSTIC: {
        const [code, type, times] = extras[extra++] as FoundDiagnostic;
        taker.add(code, second, type, times);
        break;
      }
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
