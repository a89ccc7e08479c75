import { NO_STATE, OPEN_ROW_BYTES, STATE_NUMBERS } from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";
import { type Dialect, translateState } from "./dialect.js";
import type { LineSplitter } from "./line-splitter.js";
import type { TickFields } from "./rows/tick-fields.js";

/** What src/kernels/assembly/tick-rows.ts exports. */
interface TickRowsKernel extends Kernel {
  readonly input: KernelNumber;
  readonly inputBytes: KernelNumber;
  readonly fields: KernelNumber;
  readonly states: KernelNumber;
  readonly filled: KernelNumber;
  readonly rows: KernelNumber;
  readonly wasFull: KernelNumber;
  readonly timestamp: KernelNumber;
  setRowLimit(bytes: number): void;
  forget(): void;
  read(from: number, to: number): number;
}

/** Reads ordinary tick rows, which nearly all are, and leaves the others to the parser. */
export class TickRows {
  readonly #kernel: TickRowsKernel;
  readonly #numbers: Float64Array;
  /** The kernel's input memory. The bytes stay there until others are put in. */
  readonly #input: Buffer;
  readonly #start: number;

  /** Returns undefined if there are no kernels. */
  static open(dialect: Dialect): TickRows | undefined {
    const kernel = loadKernel<TickRowsKernel>("tick-rows");
    return kernel && new TickRows(kernel, dialect);
  }

  private constructor(kernel: TickRowsKernel, dialect: Dialect) {
    const { buffer } = kernel.memory;
    this.#kernel = kernel;
    this.#numbers = new Float64Array(buffer);
    this.#start = kernel.input.value;
    this.#input = Buffer.from(buffer, this.#start, kernel.inputBytes.value);
    this.useDialect(dialect);
  }

  /** Number of rows that the last {@link read} took. */
  get rows(): number {
    return this.#kernel.rows.value;
  }

  /** Time of the last tick. */
  get timestamp(): number {
    return this.#kernel.timestamp.value;
  }

  /** Uses this dialect from here on. */
  useDialect(dialect: Dialect): void {
    const states = new Uint8Array(this.#kernel.memory.buffer, this.#kernel.states.value, STATE_NUMBERS);
    for (let number = 0; number < STATE_NUMBERS; number++) {
      const state = translateState(dialect, number);
      states[number] = state === UNKNOWN_STATE ? NO_STATE : state;
    }
    this.#kernel.setRowLimit(dialect.rowLimit);
  }

  /** Whether bytes are in the kernel's input memory. */
  holds(bytes: Buffer): boolean {
    return bytes.buffer === this.#input.buffer;
  }

  /**
   * Copies bytes of the log into the input memory, part by part, and calls `take` with each copy, which is valid
   * until the next one. A part begins with the open row of `lines`, since only whole rows can be read.
   */
  putAll(bytes: Uint8Array, lines: Pick<LineSplitter, "takeRest">, take: (part: Buffer) => void): void {
    for (let from = 0; from < bytes.length; ) {
      // A few bytes are not worth copying an open row again and again.
      const isWorthIt = bytes.length - from >= OPEN_ROW_BYTES;
      const openRow = isWorthIt ? lines.takeRest(OPEN_ROW_BYTES) : undefined;
      const part = bytes.subarray(from, from + this.#input.length - (openRow?.length ?? 0));
      take(this.put(part, openRow));
      from += part.length;
    }
  }

  /**
   * Copies bytes of the log into the input memory, after those of an open row, and returns the copy, which is
   * valid until the next call.
   */
  put(bytes: Uint8Array, openRow?: Uint8Array): Buffer {
    const start = openRow?.length ?? 0;
    this.forget();
    if (openRow !== undefined) this.#input.set(openRow);
    this.#input.set(bytes, start);
    return this.#input.subarray(0, start + bytes.length);
  }

  /** Makes the next tick share nothing with the one before. */
  forget(): void {
    this.#kernel.forget();
  }

  /**
   * Reads ordinary tick rows between two offsets of the bytes put in last, as long as there is room for
   * ticks. Returns the offset where it stopped. {@link take} the ticks before the next call.
   */
  read(from: number, to: number): number {
    return this.#kernel.read(this.#start + from, this.#start + to) - this.#start;
  }

  /** Whether the last {@link read} stopped because there was no more room. */
  get wasFull(): boolean {
    return this.#kernel.wasFull.value !== 0;
  }

  /** Returns the ticks that were read, valid until the next {@link read}. */
  take(): TickFields {
    const { fields, filled } = this.#kernel;
    const start = fields.value / Float64Array.BYTES_PER_ELEMENT;
    const length = filled.value / Float64Array.BYTES_PER_ELEMENT;
    filled.value = 0;
    return this.#numbers.subarray(start, start + length);
  }
}
