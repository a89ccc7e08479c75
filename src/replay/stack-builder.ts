import { reaching } from "../base/columns.js";
import type { Address } from "../base/units.js";
import {
  FOR_ADDRESS,
  FOR_RETURN,
  GRAIN_BITS,
  NODE_BYTES,
  NODE_FRAME,
  NODE_PARENT,
  REGION_BITS,
  RESULT_BYTES,
  RESULT_NODE,
  RESULT_STATE,
  RESULT_TIME,
  TICK_BUFFER_BYTES,
} from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";
import type { TickFields, TickRecord } from "../log/rows/tick.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { AddressRange, LibraryMap } from "./libraries.js";
import { Resolver, type ResolverOptions } from "./resolver.js";

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
  /** The number of ticks. Each has four integers or two numbers, valid until the next batch. */
  readonly length: number;
  readonly integers: Int32Array;
  readonly numbers: Float64Array;
}

/**
 * The layout of {@link TickNodes}: the sizes of a tick and the indices of its fields, in integers or numbers.
 */
export const TICK_NODE = {
  integers: RESULT_BYTES / Int32Array.BYTES_PER_ELEMENT,
  node: RESULT_NODE / Int32Array.BYTES_PER_ELEMENT,
  /** The VM state, plus HAS_STACK of kernels/layout.ts if the tick has frames. */
  state: RESULT_STATE / Int32Array.BYTES_PER_ELEMENT,
  numbers: RESULT_BYTES / Float64Array.BYTES_PER_ELEMENT,
  timestamp: RESULT_TIME / Float64Array.BYTES_PER_ELEMENT,
} as const;
/** The size of a node in the kernel's memory, in integers. */
const NODE_INTEGERS = NODE_BYTES / Int32Array.BYTES_PER_ELEMENT;
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
  #integers = new Int32Array();
  #numbers = new Float64Array();
  /** Where the nodes are in {@link #integers}. They move only where the memory grows. */
  #firstNode = 0;

  /**
   * `resolve` returns what is at an address that is not cached. With `inlines`, the answer may differ for
   * return addresses. Returns undefined if there are no kernels.
   */
  static open(
    resolve: (address: Address, isReturn: boolean) => Answer,
    { inlines }: { readonly inlines: boolean },
  ): StacksKernel | undefined {
    const exports = loadKernel<StacksExports>("stacks", {
      resolve: (address = 0, isReturn = 0) => resolve(address, isReturn !== 0),
    });
    if (exports === undefined) return undefined;
    if (inlines) exports.useInlines();
    return new StacksKernel(exports);
  }

  private constructor(exports: StacksExports) {
    this.#exports = exports;
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

  /** Returns the nodes of a batch of ticks. */
  nodesOf(fields: TickFields): TickNodes {
    const { fields: at, nodesOf } = this.#exports;
    const start = at.value / Float64Array.BYTES_PER_ELEMENT;
    this.#refresh();
    this.#numbers.set(fields, start);
    const length = nodesOf(fields.byteLength);
    this.#refresh();
    return {
      length,
      numbers: this.#numbers.subarray(start, start + length * TICK_NODE.numbers),
      integers: this.#integers.subarray(2 * start, 2 * start + length * TICK_NODE.integers),
    };
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
    return this.#integers[this.#firstNode + NODE_INTEGERS * node + entry]!;
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
  useInlines(): void;
  remember(kind: number, address: Address, answer: number): void;
  rememberGrains(start: Address, end: Address, answer: number): void;
  forget(start: Address, end: Address): void;
  forgetAll(): void;
  breakPath(): void;
  nodesOf(bytes: number): number;
  takeColumn(field: number, first: number, length: number): void;
  child(parent: number, frame: number): number;
}

/**
 * A larger range voids all that the kernel remembers. That costs no more, and further ranges cost nothing
 * until it remembers something again.
 */
const LARGE_RANGE = 2 ** 18;

/** Whether a frame is a function's. */
const ROLE = { unknown: 0, function: 1, other: 2 } as const;

/** The options of {@link StackBuilder}. */
type StackBuilderOptions = Omit<ResolverOptions, "onChange"> & {
  /** Whether to use the kernel. Default: true, where it runs. */
  readonly hasKernel?: boolean | undefined;
};

/** Turns the stacks of one log's ticks into nodes of a call tree. */
export class StackBuilder {
  readonly resolver: Resolver;
  readonly #kernel: StacksKernel | undefined;
  /** The tree if there is no kernel. */
  #plainTree = new CallTreeBuilder(1);
  readonly #inlines: boolean;
  /** The state of the resolver for which the kernel's current path is valid. */
  #pathGeneration = -1;
  /** Whether the kernel may remember anything. */
  #hasAnswers = false;
  /** By frame: a {@link ROLE}. With very many frames, one that is asked for again is no longer in the processor's cache. */
  #roles = new Uint8Array(1024);

  constructor(
    libraries: LibraryMap,
    builtins: EmbeddedBuiltins,
    { inlines = false, hasKernel = true, ...others }: StackBuilderOptions = {},
  ) {
    const answer = (address: Address, isReturn: boolean) => this.#answer(address, isReturn);
    const kernel = hasKernel ? StacksKernel.open(answer, { inlines }) : undefined;
    this.#kernel = kernel;
    this.#inlines = inlines;
    this.resolver = new Resolver(libraries, builtins, {
      ...others,
      inlines,
      onChange: kernel && ((start, end) => this.#forget(kernel, start, end)),
    });
  }

  /**
   * Turns many ticks into nodes quickly; returns undefined if there is no kernel.
   */
  nodesOf(fields: TickFields): TickNodes | undefined {
    const { generation } = this.resolver;
    if (generation !== this.#pathGeneration) this.#kernel?.breakPath();
    this.#pathGeneration = generation;
    return this.#kernel?.nodesOf(fields);
  }

  /**
   * Returns the node of a tick's stack: the callers, then the top of the stack if it points into a function
   * (which was called but has no frame yet), then the program counter or, inside a C++ callback, the callback
   * itself.
   *
   * Source: V8, tools/tickprocessor.mjs, `TickProcessor.processTick`.
   */
  nodeOf({ pc, tos, isExternal, frames, depth }: TickRecord): number {
    const { resolver } = this;
    // Code is numbered in the order of look-ups: the top of the stack first, then from the leaf up.
    const top = isExternal || tos === 0 ? -1 : resolver.resolveCaller(tos);
    const leaf = resolver.resolve(isExternal ? tos : pc);
    const callers = new Int32Array(depth);
    for (let i = depth - 1; i >= 0; i--) callers[i] = resolver.resolveCaller(frames[i]!);
    const tree = this.#kernel ?? this.#plainTree;
    let node = ROOT;
    for (const caller of callers) node = tree.child(node, caller);
    if (top >= 0 && this.#isFunction(top)) node = tree.child(node, top);
    return tree.child(node, leaf);
  }

  /** Returns the node of the caller. */
  parentOf(node: number): number {
    return this.#kernel?.parentOf(node) ?? this.#plainTree.parent[node]!;
  }

  frameOf(node: number): number {
    return this.#kernel?.frameOf(node) ?? this.#plainTree.frame[node]!;
  }

  /** Returns the tree as it is now. */
  tree(): CallTree {
    return this.#kernel?.tree() ?? this.#plainTree.finish();
  }

  /** Forgets all stacks. Only without a kernel. */
  clear(): void {
    this.#plainTree = new CallTreeBuilder();
  }

  /** Answers the kernel and makes it remember the answer. */
  #answer(address: Address, isReturn: boolean): Answer {
    const { resolver } = this;
    const frame = isReturn ? resolver.resolveCaller(address) : resolver.resolve(address);
    const answer = 2 * frame + Number(this.#isFunction(frame));
    this.#hasAnswers = true;
    const range = isReturn && this.#inlines ? undefined : resolver.rangeOf(address);
    if (range !== undefined) this.#kernel?.rememberRange(address, range, answer);
    else this.#kernel?.remember(isReturn && this.#inlines ? FOR_RETURN : FOR_ADDRESS, address, answer);
    return answer;
  }

  #isFunction(frame: number): boolean {
    this.#roles = reaching(this.#roles, frame);
    if (this.#roles[frame] === ROLE.unknown)
      this.#roles[frame] = this.resolver.isFunction(frame) ? ROLE.function : ROLE.other;
    return this.#roles[frame] === ROLE.function;
  }

  #forget(kernel: StacksKernel, start: Address, end: Address): void {
    if (!this.#hasAnswers) return;
    this.#hasAnswers = end - start <= LARGE_RANGE;
    if (this.#hasAnswers) kernel.forget(start, end);
    else kernel.forgetAll();
  }
}
