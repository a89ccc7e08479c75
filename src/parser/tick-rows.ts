import { NO_STATE, STATE_NUMBERS } from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";
import { type Dialect, translateState } from "./dialect.js";
import type { TickFields } from "./rows/tick-fields.js";

/** What src/kernels/assembly/tick-rows.ts exports. */
interface TickRowsKernel extends Kernel {
  readonly input: KernelNumber;
  readonly inputBytes: KernelNumber;
  readonly cells: KernelNumber;
  readonly states: KernelNumber;
  readonly filled: KernelNumber;
  readonly rows: KernelNumber;
  readonly wasFull: KernelNumber;
  readonly timestamp: KernelNumber;
  setRowLimit(bytes: number): void;
  forget(): void;
  read(from: number, to: number): number;
}

/** Reads the rows of ticks that are as nearly all of them are, and leaves the others to the parser. */
export class TickRows {
  readonly #kernel: TickRowsKernel;
  readonly #numbers: Float64Array;
  /** The memory that bytes of the log are read from. What is read last stands in it until others are put there. */
  readonly #input: Buffer;
  readonly #start: number;

  /** Undefined where there are no kernels. */
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

  /** How many bytes can be put in at once. */
  get inputBytes(): number {
    return this.#input.length;
  }

  /** The rows that the last {@link read} took. */
  get rows(): number {
    return this.#kernel.rows.value;
  }

  /** The time of the tick that was read last. */
  get timestamp(): number {
    return this.#kernel.timestamp.value;
  }

  /** Rows are of this dialect from here on. */
  useDialect(dialect: Dialect): void {
    const states = new Uint8Array(this.#kernel.memory.buffer, this.#kernel.states.value, STATE_NUMBERS);
    for (let number = 0; number < STATE_NUMBERS; number++) {
      const state = translateState(dialect, number);
      states[number] = state === UNKNOWN_STATE ? NO_STATE : state;
    }
    this.#kernel.setRowLimit(dialect.rowLimit);
  }

  /** Whether bytes are where they can be read from. */
  holds(bytes: Buffer): boolean {
    return bytes.buffer === this.#input.buffer;
  }

  /** Puts bytes of the log in, and returns them where they stand from then on, until others are put in. */
  put(bytes: Uint8Array): Buffer {
    this.forget();
    this.#input.set(bytes);
    return this.#input.subarray(0, bytes.length);
  }

  /** The next tick shares nothing with the one before. */
  forget(): void {
    this.#kernel.forget();
  }

  /**
   * Reads from one place to another of the bytes that were put in last, as far as its kind of rows goes and there is room for
   * them; returns where it stopped. {@link take} what it read before it goes on.
   */
  read(from: number, to: number): number {
    return this.#kernel.read(this.#start + from, this.#start + to) - this.#start;
  }

  /** Whether the last {@link read} stopped for want of room. */
  get wasFull(): boolean {
    return this.#kernel.wasFull.value !== 0;
  }

  /** The ticks that were read; good until it reads on. */
  take(): TickFields {
    const { cells, filled } = this.#kernel;
    const start = cells.value / Float64Array.BYTES_PER_ELEMENT;
    const length = filled.value / Float64Array.BYTES_PER_ELEMENT;
    filled.value = 0;
    return this.#numbers.subarray(start, start + length);
  }
}
