import { FOR_ADDRESS, FOR_RETURN } from "../kernels/layout.js";
import type { TickFields, TickRecord } from "../parser/rows/tick.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import type { Address, Micros, Ticks } from "../profile/units.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import { CountedTicks } from "./counted-ticks.js";
import type { LibraryMap } from "./libraries.js";
import { Resolver, type ResolverOptions } from "./resolver.js";
import { type Answer, StacksKernel, type TickNodes } from "./stacks-kernel.js";

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
