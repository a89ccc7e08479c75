import { reaching } from "../base/columns.js";
import type { Address, Micros, Ticks } from "../base/units.js";
import {
  COUNT_FIRST,
  COUNT_FULL,
  COUNT_NODES,
  COUNT_OTHER,
  COUNTED_NODE_BYTES,
  FOR_ADDRESS,
  FOR_RETURN,
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
import type { TickFields, TickRecord } from "../log/rows/tick.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { type SampleTable, SampleTableBuilder } from "../profile/sample-table.js";
import { VM_STATES, type VmState } from "../profile/vm-state.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { AddressRange, LibraryMap } from "./libraries.js";
import { Resolver, type ResolverOptions } from "./resolver.js";
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

/** Fewer ticks fit into 32 bits, however their stacks are merged. */
const WHOLE = 2 ** 32;

/** Returns a column of zeros for ticks that are at most `total` together: wider if that needs it. */
function tickColumn(length: number, total: Ticks): SampleTable["ticks"] {
  return total < WHOLE ? new Uint32Array(length) : new Float64Array(length);
}

/** What is counted, in columns. */
interface Counts {
  readonly nodes: Int32Array;
  /** By index of `nodes`. */
  readonly states: Uint8Array;
  readonly ticks: Uint32Array;
  readonly others: SampleTableBuilder;
  /** By row of `others`: how many of `nodes` come before it. */
  readonly before: readonly number[];
  /** By node: ticks that are missing in `ticks`. */
  readonly more: ReadonlyMap<number, Ticks>;
  /** Of all. */
  readonly total: Ticks;
}

type Counter = Pick<StacksKernel, "count" | "visitCounts" | "countsByState">;

/**
 * Counts the ticks of one log by stack and VM state like {@link SampleTableBuilder}, with the same rows: the kernel counts
 * the ticks in the state of the first one of their stack, and this has a row for each of these stacks, and the
 * other ticks.
 */
export class CountedTicks {
  readonly #kernel: Counter;
  /** The nodes that the kernel counts ticks of, in the order of their first ticks. */
  #nodes = new Int32Array(256);
  #length = 0;
  readonly #others = new SampleTableBuilder();
  /** By row of `others`: how many of `nodes` come before it. */
  readonly #before: number[] = [];
  /** By node: the ticks that it has no room for. */
  readonly #more = new Map<number, Ticks>();
  readonly #ticksByState: Ticks[];

  /** `ticksByState` are the ticks so far; those that the kernel counts are added by {@link finish}. */
  constructor(kernel: Counter, ticksByState: Ticks[]) {
    this.#kernel = kernel;
    this.#ticksByState = ticksByState;
  }

  /** Counts a batch of ticks. */
  addAll({ integers, length, firsts }: TickNodes): void {
    for (let tick = 0; tick < length; tick++) {
      const at = tick * TICK_NODE.integers;
      const before = integers[at + TICK_NODE.firsts]!;
      const rows = before < 0 ? before : this.#length + before;
      this.#addOther(integers[at + TICK_NODE.node]!, integers[at + TICK_NODE.state]! as VmState, rows);
    }
    const end = this.#length + firsts.length;
    this.#reach(end);
    this.#nodes.set(firsts, this.#length);
    this.#length = end;
  }

  /** Counts one tick. */
  add(node: number, state: VmState): void {
    const { isFirst, isCounted, isFull } = this.#kernel.count(node, state);
    if (!isCounted) this.#addOther(node, state, isFull ? -1 : this.#length);
    if (!isFirst) return;
    this.#reach(this.#length + 1);
    this.#nodes[this.#length++] = node;
  }

  /**
   * Ends the counting, and returns an object with the table of the ticks, which is made when it is asked for: until the
   * kernel is freed, it would be in memory beside it.
   */
  finish(): { readonly samples: SampleTable } {
    const nodes = this.#nodes.subarray(0, this.#length);
    const ticks = new Uint32Array(nodes.length);
    const states = new Uint8Array(nodes.length);
    this.#kernel.visitCounts(nodes, (counts, from) => {
      ticks.set(counts.ticks, from);
      states.set(counts.states, from);
    });
    for (const [state, sum] of this.#kernel.countsByState().entries()) this.#ticksByState[state]! += sum;
    const total = this.#ticksByState.reduce((sum, ticks) => sum + ticks, 0);
    return lazy({
      nodes,
      states,
      ticks,
      others: this.#others,
      before: this.#before,
      more: this.#more,
      total,
    });
  }

  /** Counts a tick in another state than the first one of its node; `before` is -1 for one that only lacks room there. */
  #addOther(node: number, state: VmState, before: number): void {
    this.#ticksByState[state]!++;
    if (before < 0) this.#more.set(node, (this.#more.get(node) ?? 0) + 1);
    else if (this.#others.add(node, state) === this.#before.length) this.#before.push(before);
  }

  #reach(length: number): void {
    if (length > 0) this.#nodes = reaching(this.#nodes, length - 1);
  }
}

function lazy(counts: Counts): { readonly samples: SampleTable } {
  let left: Counts | undefined = counts;
  let table: SampleTable | undefined;
  return {
    get samples() {
      table ??= tableOf(left!);
      left = undefined;
      return table;
    },
  };
}

function tableOf({ nodes, states, others: counted, before, more, ...counts }: Counts): SampleTable {
  const others = counted.finish();
  const length = nodes.length + others.length;
  const node = new Int32Array(length);
  const vmState = new Uint8Array(length);
  const ticks = tickColumn(length, counts.total);
  let from = 0;
  for (let i = 0; i <= others.length; i++) {
    const to = before[i] ?? nodes.length;
    node.set(nodes.subarray(from, to), from + i);
    vmState.set(states.subarray(from, to), from + i);
    ticks.set(counts.ticks.subarray(from, to), from + i);
    from = to;
    if (i === others.length) break;
    node[to + i] = others.node[i]!;
    vmState[to + i] = others.vmState[i]!;
    ticks[to + i] = others.ticks[i]!;
  }
  // The first row of a node is that of its first tick.
  for (const [owner, sum] of more) ticks[node.indexOf(owner)]! += sum;
  return { length, node, vmState, thread: new Uint16Array(length), ticks };
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
  /** Whether ticks may only be counted. Default: false. */
  readonly counts?: boolean | undefined;
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
    { inlines = false, counts = false, hasKernel = true, ...others }: StackBuilderOptions = {},
  ) {
    const answer = (address: Address, isReturn: boolean) => this.#answer(address, isReturn);
    const kernel = hasKernel ? StacksKernel.open(answer, { inlines, counts }) : undefined;
    this.#kernel = kernel;
    this.#inlines = inlines;
    this.resolver = new Resolver(libraries, builtins, {
      ...others,
      inlines,
      onChange: kernel && ((start, end) => this.#forget(kernel, start, end)),
    });
  }

  /**
   * Turns many ticks into nodes quickly; returns undefined if there is no kernel. With `counts`, as in the options, most
   * of them are only counted: see {@link counter}. Steps between ticks are counted in `unit`s: see {@link steps}.
   */
  nodesOf(fields: TickFields, counts: boolean, unit: Micros): TickNodes | undefined {
    const { generation } = this.resolver;
    if (generation !== this.#pathGeneration) this.#kernel?.breakPath();
    this.#pathGeneration = generation;
    return this.#kernel?.nodesOf(fields, counts, unit);
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

  /** The histogram of the steps between the ticks of {@link nodesOf}; undefined if there is no kernel. */
  get steps(): Float64Array | undefined {
    return this.#kernel?.steps();
  }

  /**
   * Returns what counts ticks that are only counted, and adds their sums to `ticksByState`; undefined if there is no
   * kernel.
   */
  counter(ticksByState: Ticks[]): CountedTicks | undefined {
    return this.#kernel && new CountedTicks(this.#kernel, ticksByState);
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
