import {
  COUNT_FIRST,
  COUNT_FULL,
  COUNT_NODES,
  COUNT_OTHER,
  COUNTED_NODE_BYTES,
  FOR_ADDRESS,
  GRAIN_BITS,
  NODE_BYTES,
  NODE_FRAME,
  NODE_PARENT,
  REGION_BITS,
  RESULT_BYTES,
  RESULT_FIRSTS,
  RESULT_NODE,
  RESULT_STATE,
  RESULT_TIME,
  STEP_BUCKETS,
  STEPS_COLUMNS,
  TICK_BUFFER_BYTES,
  TIMES_FIRST,
  TIMES_FIRST_STACK,
  TIMES_LAST,
  TIMES_LAST_STACK,
  TIMES_LONGEST,
  TIMES_WITHOUT_STACK,
} from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";
import type { TickFields } from "../parser/rows/tick.js";
import type { CallTree } from "../profile/call-tree.js";
import type { Address, Micros, Ticks } from "../profile/units.js";
import { VM_STATES, type VmState } from "../profile/vm-state.js";
import type { AddressRange } from "./libraries.js";
import type { TickTimes } from "./sampling-clock.js";

/** What is at an address: a frame number times 2, plus 1 if it is a function's. */
export type Answer = number;

/** The number of addresses that are cached together if they are one frame. */
const GRAIN = 2 ** GRAIN_BITS;
/** The number of addresses whose grains can be cached at once. */
const REGION = 2 ** REGION_BITS;
/** The kernel only knows addresses below this. */
const ADDRESS_LIMIT = 2 ** 64;
/** The last address below that which is a number. */
const LAST_ADDRESS = 2 ** 64 - 2 ** 11;

/** Ticks with the nodes of their stacks. */
export interface TickNodes {
  readonly times: TickTimes;
  /**
   * The number of ticks that were not counted yet. Each has four integers or two numbers, valid until the
   * next batch.
   */
  readonly length: number;
  readonly integers: Int32Array;
  readonly numbers: Float64Array;
  /** The nodes that were counted for the first time, in the order of their first ticks; valid as long. */
  readonly firsts: Int32Array;
}

/** The counts of some nodes, valid until the next call of the kernel. */
interface NodeCounts {
  readonly ticks: Uint32Array;
  /** The VM state of the ticks. */
  readonly states: Uint8Array;
}

/**
 * The layout of {@link TickNodes}: the sizes of a tick and the indices of its fields, in integers or numbers.
 */
export const TICK_NODE = {
  integers: RESULT_BYTES / Int32Array.BYTES_PER_ELEMENT,
  node: RESULT_NODE / Int32Array.BYTES_PER_ELEMENT,
  state: RESULT_STATE / Int32Array.BYTES_PER_ELEMENT,
  numbers: RESULT_BYTES / Float64Array.BYTES_PER_ELEMENT,
  timestamp: RESULT_TIME / Float64Array.BYTES_PER_ELEMENT,
  /** In place of the timestamp if ticks are counted. */
  firsts: RESULT_FIRSTS / Int32Array.BYTES_PER_ELEMENT,
} as const;
/** The sizes of a node in the kernel's memory, without and with a count, in integers. */
const NODE_INTEGERS = NODE_BYTES / Int32Array.BYTES_PER_ELEMENT;
const COUNTED_NODE_INTEGERS = COUNTED_NODE_BYTES / Int32Array.BYTES_PER_ELEMENT;
/** The layout of a node, in integers. */
const NODE = {
  parent: NODE_PARENT / Int32Array.BYTES_PER_ELEMENT,
  frame: NODE_FRAME / Int32Array.BYTES_PER_ELEMENT,
} as const;
/** Entries of a column of integers that the kernel can put out at once. */
const COLUMN_ENTRIES = TICK_BUFFER_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** Builds a call tree of ticks and caches what is at each address. */
export class StacksKernel {
  readonly #exports: StacksExports;
  /** The size of a node. */
  readonly #nodeIntegers: number;
  #integers = new Int32Array();
  #numbers = new Float64Array();
  /** Where the nodes are in {@link #integers}. They move only where the memory grows. */
  #firstNode = 0;

  /**
   * `resolve` returns what is at an address that is not cached. With `inlines`, the answer may differ for
   * return addresses; with `counts`, ticks can be counted. Returns undefined if there are no kernels.
   */
  static open(
    resolve: (address: Address, isReturn: boolean) => Answer,
    { inlines, counts }: { readonly inlines: boolean; readonly counts: boolean },
  ): StacksKernel | undefined {
    const exports = loadKernel<StacksExports>("stacks", {
      resolve: (address = 0, isReturn = 0) => resolve(address, isReturn !== 0),
    });
    if (exports === undefined) return undefined;
    if (inlines) exports.useInlines();
    if (counts) exports.useCounts();
    return new StacksKernel(exports, counts);
  }

  private constructor(exports: StacksExports, counts: boolean) {
    this.#exports = exports;
    this.#nodeIntegers = counts ? COUNTED_NODE_INTEGERS : NODE_INTEGERS;
  }

  /** Caches what is at one address. `kind` is one of the `FOR_…` of kernels/layout.ts. */
  remember(kind: number, address: Address, answer: Answer): void {
    this.#exports.remember(kind, address, answer);
  }

  /** Caches what is at all addresses of a range, or of its part around `address`. */
  rememberRange(address: Address, { start, end }: AddressRange, answer: Answer): void {
    const region = floor(address, REGION);
    const first = floor(Math.max(start, region) + GRAIN - 1, GRAIN);
    const last = floor(Math.min(end, region + REGION), GRAIN);
    if (first <= address && address < last) this.#exports.rememberGrains(first, last, answer);
    else this.#exports.remember(FOR_ADDRESS, address, answer);
  }

  /** Voids the answers about `[start, end)`, and some others. */
  forget(start: Address, end: Address): void {
    if (start < ADDRESS_LIMIT) this.#exports.forget(Math.max(0, start), Math.min(end, LAST_ADDRESS));
  }

  /** Voids all answers. */
  forgetAll(): void {
    this.#exports.forgetAll();
  }

  /** Ends the sharing of nodes between the last stack and the next: addresses have other frames now. */
  breakPath(): void {
    this.#exports.breakPath();
  }

  /**
   * Returns the nodes of a batch of ticks. With `counts`, most ticks are only counted: see {@link
   * countsOf}. Steps between ticks are counted in `unit`s, the same in every call: see {@link steps}.
   */
  nodesOf(fields: TickFields, counts: boolean, unit: Micros): TickNodes {
    const { fields: at, nodesOf, times, firsts, firstCount } = this.#exports;
    const start = at.value / Float64Array.BYTES_PER_ELEMENT;
    this.#refresh();
    this.#numbers.set(fields, start);
    const length = nodesOf(fields.byteLength, Number(counts), unit);
    this.#refresh();
    const firstsAt = firsts.value / Int32Array.BYTES_PER_ELEMENT;
    return {
      times: this.#timesAt(times.value),
      length,
      firsts: this.#integers.subarray(firstsAt, firstsAt + firstCount.value),
      numbers: this.#numbers.subarray(start, start + length * TICK_NODE.numbers),
      integers: this.#integers.subarray(2 * start, 2 * start + length * TICK_NODE.integers),
    };
  }

  /** Returns the histogram of the steps of all batches, as kernels/layout.ts lays it out. */
  steps(): Float64Array {
    this.#refresh();
    const start = this.#exports.steps.value / Float64Array.BYTES_PER_ELEMENT;
    return this.#numbers.slice(start, start + STEP_BUCKETS * STEPS_COLUMNS);
  }

  /** Returns the node for `frame` called from `parent`, and adds it if it is new. */
  child(parent: number, frame: number): number {
    return this.#exports.child(parent, frame);
  }

  parentOf(node: number): number {
    return this.#entryOf(node, NODE.parent);
  }

  frameOf(node: number): number {
    return this.#entryOf(node, NODE.frame);
  }

  /** Returns the tree as it is now. */
  tree(): CallTree {
    const length = this.#exports.length.value;
    return { length, parent: this.#columnOf(NODE_PARENT), frame: this.#columnOf(NODE_FRAME) };
  }

  /**
   * Counts a tick if its state is that of the first tick of its node. Returns whether it is the first, whether it
   * was counted, and whether it lacks only room.
   */
  count(node: number, state: VmState): { isFirst: boolean; isCounted: boolean; isFull: boolean } {
    const counted = this.#exports.count(node, state);
    return {
      isFirst: counted === COUNT_FIRST,
      isCounted: counted > COUNT_OTHER,
      isFull: counted === COUNT_FULL,
    };
  }

  /** Calls `take` with the counts of nodes, part by part; `from` is the index of the first one. */
  visitCounts(nodes: Int32Array, take: (counts: NodeCounts, from: number) => void): void {
    const start = this.#exports.fields.value;
    for (let from = 0; from < nodes.length; from += COUNT_NODES) {
      const part = nodes.subarray(from, from + COUNT_NODES);
      this.#refresh();
      this.#integers.set(part, start / Int32Array.BYTES_PER_ELEMENT);
      this.#exports.takeCounts(part.length);
      const { buffer } = this.#integers;
      const statesAt = start + COUNT_NODES * Int32Array.BYTES_PER_ELEMENT;
      take(
        {
          ticks: new Uint32Array(buffer, start, part.length),
          states: new Uint8Array(buffer, statesAt, part.length),
        },
        from,
      );
    }
  }

  /** Returns, by VM state, the sum of all counts that were visited. */
  countsByState(): readonly Ticks[] {
    this.#refresh();
    const start = this.#exports.countsByState.value / Float64Array.BYTES_PER_ELEMENT;
    return Array.from(this.#numbers.subarray(start, start + VM_STATES.length));
  }

  #timesAt(at: number): TickTimes {
    const read = (offset: number) => this.#numbers[(at + offset) / Float64Array.BYTES_PER_ELEMENT]!;
    return {
      first: read(TIMES_FIRST),
      last: read(TIMES_LAST),
      hasFirstStack: read(TIMES_FIRST_STACK) !== 0,
      hasLastStack: read(TIMES_LAST_STACK) !== 0,
      longest: read(TIMES_LONGEST),
      withoutStack: read(TIMES_WITHOUT_STACK),
    };
  }

  /** Returns a field of all nodes; `field` is one of the `NODE_…` of kernels/layout.ts. */
  #columnOf(field: number): Int32Array {
    const column = new Int32Array(this.#exports.length.value);
    const start = this.#exports.fields.value / Int32Array.BYTES_PER_ELEMENT;
    this.#refresh();
    for (let from = 0; from < column.length; from += COLUMN_ENTRIES) {
      const length = Math.min(COLUMN_ENTRIES, column.length - from);
      this.#exports.takeColumn(field, from, length);
      column.set(this.#integers.subarray(start, start + length), from);
    }
    return column;
  }

  #entryOf(node: number, entry: number): number {
    this.#refresh();
    return this.#integers[this.#firstNode + this.#nodeIntegers * node + entry]!;
  }

  /** Renews the views: memory that has grown is another object, and the views of the old one are empty. */
  #refresh(): void {
    if (this.#integers.length > 0) return;
    const { buffer } = this.#exports.memory;
    this.#integers = new Int32Array(buffer);
    this.#numbers = new Float64Array(buffer);
    this.#firstNode = this.#exports.nodes.value / Int32Array.BYTES_PER_ELEMENT;
  }
}

/** Returns the last multiple of `unit`, a power of two, up to an address. */
function floor(address: Address, unit: number): Address {
  return Math.floor(address / unit) * unit;
}

/** The exports of src/kernels/assembly/stacks.ts. */
interface StacksExports extends Kernel {
  readonly fields: KernelNumber;
  readonly nodes: KernelNumber;
  readonly length: KernelNumber;
  readonly times: KernelNumber;
  readonly steps: KernelNumber;
  readonly firsts: KernelNumber;
  readonly firstCount: KernelNumber;
  readonly countsByState: KernelNumber;
  useInlines(): void;
  useCounts(): void;
  remember(kind: number, address: Address, answer: number): void;
  rememberGrains(start: Address, end: Address, answer: number): void;
  forget(start: Address, end: Address): void;
  forgetAll(): void;
  breakPath(): void;
  nodesOf(bytes: number, counts: number, unit: Micros): number;
  count(node: number, state: VmState): number;
  takeCounts(length: number): void;
  takeColumn(field: number, first: number, length: number): void;
  child(parent: number, frame: number): number;
}
