import { reaching } from "../base/columns.js";
import { compareTexts } from "../base/sorted.js";
import { CallTreeBuilder } from "../profile/call-tree.js";
import type { Model } from "./model.js";
import { FRAME_KINDS, frameKind, KIND_TITLES } from "./page-data.js";
import { rowsWithin, type TimeRange, ticksWithin } from "./thread-times.js";

/**
 * A call tree as shown, in depth-first order with the heaviest callees first. Node 0 is the root and has all
 * ticks; its function is -1, unless the graph belongs to one function.
 */
export interface Graph {
  readonly length: number;
  readonly parent: Int32Array;
  /** 0 for the root. */
  readonly depth: Int32Array;
  readonly function: Int32Array;
  /** The kind of most of its ticks, an index into `FRAME_KINDS`. */
  readonly kind: Uint8Array;
  /** 1 if more than half of its ticks are inlined into the caller's code. */
  readonly inlined: Uint8Array;
  /** 1 if more than half of its ticks are inferred: their stacks in the log do not have it. */
  readonly inferred: Uint8Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Its left side in ticks, with callees side by side and heaviest first. */
  readonly start: Float64Array;
  /** Ticks by kind: of node `n` and kind `k` at `n * FRAME_KINDS.length + k`. */
  readonly kindTicks: Float64Array;
  readonly inlinedTicks: Float64Array;
  readonly inferredTicks: Float64Array;
  /** Only if the page compares two sides. */
  readonly sides?: SideTicks | undefined;
}

/** A tree in any order, from which a {@link Graph} is made. */
interface Unsorted {
  readonly length: number;
  /** `parent[n] < n`; -1 for the root. */
  readonly parent: Int32Array;
  readonly function: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly kindTicks: Float64Array;
  readonly inlinedTicks: Float64Array;
  readonly inferredTicks: Float64Array;
  readonly sides?: SideTicks | undefined;
}

export const KIND_COUNT = FRAME_KINDS.length;

/** A sorted graph, and the new index of each node of the unsorted one. */
interface Sorted {
  readonly graph: Graph;
  readonly newIndex: Int32Array;
}

/**
 * Sorts callees by ticks, of both sides if there are two, then by title, and puts the tree into depth-first
 * order.
 */
function sortGraph(tree: Unsorted, titles: readonly string[]): Sorted {
  const { length, sides } = tree;
  // Frames keep their places when the page shows one side and then the other.
  const weight =
    sides === undefined ? tree.total : sides.total[0].map((ticks, n) => ticks + sides.total[1][n]!);
  const order = depthFirst(tree, (a, b) => {
    const byTicks = weight[b]! - weight[a]!;
    if (byTicks !== 0) return byTicks;
    const f = tree.function[a]!;
    const g = tree.function[b]!;
    return compareTexts(titles[f] ?? "", titles[g] ?? "") || f - g || a - b;
  });
  const newIndex = new Int32Array(length);
  for (let i = 0; i < length; i++) newIndex[order[i]!] = i;
  const parent = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  const start = new Float64Array(length);
  const free = new Float64Array(length);
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  const functions = new Int32Array(length);
  const kind = new Uint8Array(length);
  const kindTicks = new Float64Array(length * KIND_COUNT);
  const inlined = new Uint8Array(length);
  const inlinedTicks = new Float64Array(length);
  const inferred = new Uint8Array(length);
  const inferredTicks = new Float64Array(length);
  for (let node = 0; node < length; node++) {
    const from = order[node]!;
    functions[node] = tree.function[from]!;
    self[node] = tree.self[from]!;
    total[node] = tree.total[from]!;
    inlinedTicks[node] = tree.inlinedTicks[from]!;
    inlined[node] = inlinedTicks[node]! * 2 > total[node]! ? 1 : 0;
    inferredTicks[node] = tree.inferredTicks[from]!;
    inferred[node] = inferredTicks[node]! * 2 > total[node]! ? 1 : 0;
    for (let k = 0; k < KIND_COUNT; k++) {
      kindTicks[node * KIND_COUNT + k] = tree.kindTicks[from * KIND_COUNT + k]!;
    }
    kind[node] = mainKind(kindTicks, node);
    if (node === 0) continue;
    const caller = newIndex[tree.parent[from]!]!;
    parent[node] = caller;
    depth[node] = depth[caller]! + 1;
    start[node] = free[caller]!;
    free[node] = start[node]!;
    free[caller]! += total[node]!;
  }
  const graph: Graph = {
    length,
    parent,
    depth,
    function: functions,
    kind,
    inlined,
    inferred,
    self,
    total,
    start,
    kindTicks,
    inlinedTicks,
    inferredTicks,
    sides: sides && inOrder(sides, order),
  };
  return { graph, newIndex };
}

/** Returns the end of a node's subtree in depth-first order: the first node that is not in it. */
function endOf({ depth, length }: Graph, node: number): number {
  let end = node + 1;
  while (end < length && depth[end]! > depth[node]!) end++;
  return end;
}

function mainKind(kindTicks: Float64Array, node: number): number {
  let best = 0;
  const from = node * KIND_COUNT;
  for (let kind = 1; kind < KIND_COUNT; kind++) {
    if (kindTicks[from + kind]! > kindTicks[from + best]!) best = kind;
  }
  return best;
}

/** Returns the nodes, each before its callees, with callees in the order of `compare`. */
function depthFirst({ length, parent }: Unsorted, compare: (a: number, b: number) => number): Int32Array {
  // The callees of all nodes in one list: those of n are from first[n] to first[n + 1].
  const first = new Int32Array(length + 1);
  for (let node = 1; node < length; node++) first[parent[node]! + 1]!++;
  for (let node = 0; node < length; node++) first[node + 1]! += first[node]!;
  const next = first.slice(0, length);
  const callees = new Int32Array(Math.max(0, length - 1));
  for (let node = 1; node < length; node++) callees[next[parent[node]!]!++] = node;
  const order = new Int32Array(length);
  const stack = [0];
  for (let i = 0; i < length; i++) {
    const node = stack.pop()!;
    order[i] = node;
    const own = callees.subarray(first[node]!, first[node + 1]!);
    if (own.length > 1) own.sort(compare);
    for (let callee = own.length - 1; callee >= 0; callee--) stack.push(own[callee]!);
  }
  return order;
}

/** A column before and after. */
type Pair = readonly [Float64Array, Float64Array];

/** Ticks before and after, in columns by node. */
interface SideTicks {
  readonly self: Pair;
  readonly total: Pair;
}

/** Returns columns with the entries in another order. */
function inOrder({ self, total }: SideTicks, order: Int32Array): SideTicks {
  const sorted = (column: Float64Array) => Float64Array.from(order, (from) => column[from]!);
  return { self: [sorted(self[0]), sorted(self[1])], total: [sorted(total[0]), sorted(total[1])] };
}

/** Sums up ticks before and after of nodes that come one by one. */
export class SideSums {
  #columns: [Float64Array, Float64Array, Float64Array, Float64Array];

  constructor(capacity: number) {
    const column = () => new Float64Array(capacity);
    this.#columns = [column(), column(), column(), column()];
  }

  /** Makes room for a node. */
  reach(node: number): void {
    if (node < this.#columns[0].length) return;
    const [a, b, c, d] = this.#columns;
    this.#columns = [reaching(a, node), reaching(b, node), reaching(c, node), reaching(d, node)];
  }

  /** Adds self ticks to a node. */
  addSelf(node: number, [before, after]: Pair, from: number): void {
    this.#columns[0][node]! += before[from]!;
    this.#columns[1][node]! += after[from]!;
  }

  /** Adds total ticks to a node. */
  addTotal(node: number, [before, after]: Pair, from: number): void {
    this.#columns[2][node]! += before[from]!;
    this.#columns[3][node]! += after[from]!;
  }

  get ticks(): SideTicks {
    const [a, b, c, d] = this.#columns;
    return { self: [a, b], total: [c, d] };
  }
}

/** Ticks by function, in columns. */
export interface FunctionSums {
  readonly self: Float64Array;
  /** Including callees; a recursive function counts once per stack. */
  readonly total: Float64Array;
}

/** Returns the ticks of each function of a graph; `length` is the number of functions. */
export function functionSums(
  graph: Pick<Graph, "length" | "depth" | "function" | "self" | "total">,
  length: number,
): FunctionSums {
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  const onPath = new Int32Array(length);
  const path: number[] = [];
  for (let node = 1; node < graph.length; node++) {
    while (path.length >= graph.depth[node]!) onPath[path.pop()!]!--;
    const id = graph.function[node]!;
    self[id]! += graph.self[node]!;
    if (onPath[id]!++ === 0) total[id]! += graph.total[node]!;
    path.push(id);
  }
  return { self, total };
}

/** Returns the ticks of each function before and after; undefined if the graph has no sides. */
function sideSums(graph: Graph, length: number): readonly [FunctionSums, FunctionSums] | undefined {
  const { sides } = graph;
  if (sides === undefined) return undefined;
  const of = (side: 0 | 1) =>
    functionSums({ ...graph, self: sides.self[side], total: sides.total[side] }, length);
  return [of(0), of(1)];
}

/** Builds a graph; stacks with equal keys are merged. */
class GraphBuilder {
  readonly #tree: CallTreeBuilder;
  #self: Float64Array;
  #total: Float64Array;
  #inlined: Float64Array;
  #inferred: Float64Array;
  #kinds: Float64Array;
  /** Ticks before and after; only if the page compares two sides. */
  readonly sides: SideSums | undefined;

  /** `capacity` is the number of nodes that fit before the columns grow. */
  constructor(capacity = 1024, hasSides = false) {
    this.sides = hasSides ? new SideSums(capacity) : undefined;
    this.#tree = new CallTreeBuilder(capacity);
    this.#self = new Float64Array(capacity);
    this.#total = new Float64Array(capacity);
    this.#inlined = new Float64Array(capacity);
    this.#inferred = new Float64Array(capacity);
    this.#kinds = new Float64Array(capacity * KIND_COUNT);
  }

  /** Returns the node of a callee by its key, and adds it if it is new. The root is 0. */
  child(parent: number, key: number): number {
    const node = this.#tree.child(parent, key);
    if (node >= this.#self.length) {
      this.#self = reaching(this.#self, node);
      this.#total = reaching(this.#total, node);
      this.#inlined = reaching(this.#inlined, node);
      this.#inferred = reaching(this.#inferred, node);
      this.#kinds = reaching(this.#kinds, this.#self.length * KIND_COUNT - 1);
      this.sides?.reach(node);
    }
    return node;
  }

  parentOf(node: number): number {
    return this.#tree.parent[node]!;
  }

  /** Returns a node, or its nearest caller, with a key; -1 if none has it. */
  callerWith(node: number, key: number): number {
    const { parent, frame } = this.#tree;
    for (let at = node; at > 0; at = parent[at]!) if (frame[at] === key) return at;
    return -1;
  }

  addSelf(node: number, ticks: number): void {
    this.#self[node]! += ticks;
  }

  /** Adds total ticks of one kind to a node. */
  addTotal(node: number, ticks: number, kind: number): void {
    this.#total[node]! += ticks;
    this.#kinds[node * KIND_COUNT + kind]! += ticks;
  }

  addInlined(node: number, ticks: number): void {
    this.#inlined[node]! += ticks;
  }

  addInferred(node: number, ticks: number): void {
    this.#inferred[node]! += ticks;
  }

  /**
   * Returns the graph, and the new index of each node that {@link child} returned. `functionOf` returns the
   * function of a key.
   */
  finish(functionOf: (key: number) => number, root: number, titles: readonly string[]): Sorted {
    const { length, parent, frame } = this.#tree.finish();
    const functions = frame.map((key, node) => (node === 0 ? root : functionOf(key)));
    return sortGraph(
      {
        length,
        parent,
        function: functions,
        self: this.#self,
        total: this.#total,
        kindTicks: this.#kinds,
        inlinedTicks: this.#inlined,
        inferredTicks: this.#inferred,
        sides: this.sides?.ticks,
      },
      titles,
    );
  }
}

/** Which part of a model to show. */
export interface Choice {
  /** By thread: whether its ticks count. */
  readonly threads: readonly boolean[];
  /** Whether to show inlined frames. Hidden frames credit their callers. */
  readonly inlined: boolean;
  readonly builtins: boolean;
  readonly cpp: boolean;
  /** Whether a function has one frame per tier. */
  readonly tiers: boolean;
  /** Whether a function has one frame in a stack: what it calls from another one is called from the first. */
  readonly folded: boolean;
  /** The part of the time whose ticks count; undefined for all. */
  readonly range: TimeRange | undefined;
}

/** Returns whether two choices show the same. */
export function isSameChoice(a: Choice, b: Choice): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The chosen part of a model. */
export interface Shown {
  readonly graph: Graph;
  /** The ticks of all functions of the graph. */
  readonly sums: FunctionSums;
  /** By node of the model: the node of the graph that has its ticks. */
  readonly graphNode: Int32Array;
  /** By node of the model: itself, or the nearest caller that is shown. */
  readonly owner: Int32Array;
  /** By node of the model: its self ticks in the threads that count. */
  readonly self: Float64Array;
  /** By node of the model: its total ticks in those threads. */
  readonly total: Float64Array;
  /** Ticks before and after by node of the model; only if the page compares two sides. */
  readonly sides: SideTicks | undefined;
  /** The same of all functions of the graph. */
  readonly sideSums: readonly [FunctionSums, FunctionSums] | undefined;
}

/** The number of keys per function: a key is a function, one of up to 16 kinds, and whether it is inlined and inferred. */
const KEYS_PER_FUNCTION = 64;

/** Returns the graph to show: one frame per function under a caller, or one per tier. */
export function showGraph(model: Model, choice: Choice): Shown {
  const { nodes, frames, functions } = model;
  const { self, total } = ticksByNode(model, choice);
  const hidden = hiddenFrames(model, choice);
  const sides = sideTicks(model);
  const builder = new GraphBuilder(nodes.length, sides !== undefined);
  // 1 for nodes that the chosen side does not have, and all that they call.
  const isAbsent = new Uint8Array(sides === undefined ? 0 : nodes.length);
  const builderNode = new Int32Array(nodes.length);
  /** By node of the builder: the last node of the model that was not folded into it. */
  const last = new Int32Array(choice.folded ? nodes.length : 0);
  const owner = new Int32Array(nodes.length);
  builder.addSelf(0, self[0]!);
  builder.addTotal(0, total[0]!, 0);
  if (sides !== undefined) {
    builder.sides?.addSelf(0, sides.self, 0);
    builder.sides?.addTotal(0, sides.total, 0);
  }
  for (let node = 1; node < nodes.length; node++) {
    const caller = builderNode[nodes.parent[node]!]!;
    const frame = nodes.frame[node]!;
    if (total[node] === 0 || hidden[frame] === 1) {
      builderNode[node] = caller;
      owner[node] = owner[nodes.parent[node]!]!;
      builder.addSelf(caller, self[node]!);
      if (sides === undefined) continue;
      isAbsent[node] = isAbsent[nodes.parent[node]!]! | (hidden[frame] === 1 ? 0 : 1);
      if (isAbsent[node] === 0) builder.sides?.addSelf(caller, sides.self, node);
      continue;
    }
    const kind = frames.kind[frame]!;
    const inlined = frames.inlined[frame]!;
    const inferred = frames.inferred[frame]!;
    const id = frames.function[frame]!;
    const key = choice.tiers ? id * KEYS_PER_FUNCTION + kind * 4 + inferred * 2 + inlined : id;
    owner[node] = node;
    const outer = choice.folded ? builder.callerWith(caller, key) : -1;
    if (outer >= 0) {
      builderNode[node] = outer;
      builder.addSelf(outer, self[node]!);
      for (let at = caller; at !== outer; at = builder.parentOf(at)) {
        const frame = nodes.frame[last[at]!]!;
        builder.addTotal(at, -total[node]!, frames.kind[frame]!);
        if (frames.inlined[frame] === 1) builder.addInlined(at, -total[node]!);
        if (frames.inferred[frame] === 1) builder.addInferred(at, -total[node]!);
      }
      continue;
    }
    const at = builder.child(caller, key);
    builderNode[node] = at;
    if (choice.folded) last[at] = node;
    builder.addSelf(at, self[node]!);
    builder.addTotal(at, total[node]!, kind);
    if (sides !== undefined) {
      builder.sides?.addSelf(at, sides.self, node);
      builder.sides?.addTotal(at, sides.total, node);
    }
    if (inlined === 1) builder.addInlined(at, total[node]!);
    if (inferred === 1) builder.addInferred(at, total[node]!);
  }
  const functionOf = choice.tiers
    ? (key: number) => Math.floor(key / KEYS_PER_FUNCTION)
    : (key: number) => key;
  const { graph, newIndex } = builder.finish(functionOf, -1, functions.titles);
  const graphNode = builderNode.map((node) => newIndex[node]!);
  const { length } = functions;
  const sums = functionSums(graph, length);
  return { graph, sums, graphNode, owner, self, total, sides, sideSums: sideSums(graph, length) };
}

/** Returns the ticks before and after by node; undefined if the page has one side. */
function sideTicks(model: Model): SideTicks | undefined {
  if (model.sides === undefined) return undefined;
  const of = (...threads: boolean[]) => ticksByNode(model, { threads, range: undefined });
  const [before, after] = [of(true, false), of(false, true)];
  return { self: [before.self, after.self], total: [before.total, after.total] };
}

function ticksByNode(
  { nodes, samples, times }: Model,
  { threads, range }: Pick<Choice, "threads" | "range">,
) {
  const self = new Float64Array(nodes.length);
  if (range !== undefined && times !== undefined) {
    for (const [thread, own] of times.threads.entries()) {
      if (!threads[thread]) continue;
      const [first, last] = rowsWithin(own, range);
      for (let row = first; row < last; row++) self[own.node[row]!]! += ticksWithin(own, row, range);
    }
  } else {
    for (let i = 0; i < samples.length; i++) {
      if (threads[samples.thread[i]!]) self[samples.node[i]!]! += samples.ticks[i]!;
    }
  }
  const total = self.slice();
  for (let node = nodes.length - 1; node > 0; node--) total[nodes.parent[node]!]! += total[node]!;
  return { self, total };
}

const NATIVE = [frameKind("cpp"), frameKind("library")];
const BUILTIN = [frameKind("builtin"), frameKind("regexp")];

/** Returns 1 for each hidden frame. C++ in garbage collection is C++ too. */
function hiddenFrames({ frames, functions }: Model, choice: Choice): Uint8Array {
  return Uint8Array.from(frames.function, (id, frame) => {
    const kind = functions.kind[id]!;
    if (!choice.inlined && frames.inlined[frame] === 1) return 1;
    if (!choice.builtins && BUILTIN.includes(kind)) return 1;
    return !choice.cpp && NATIVE.includes(kind) ? 1 : 0;
  });
}

/** The callers and callees of a function. Both graphs have the function at the root, with its total ticks. */
interface Sandwich {
  /**
   * Inverted: each level is one call further out. A node has the ticks of the function when called this way.
   */
  readonly callers: Graph;
  readonly callees: Graph;
}

/**
 * Returns the sandwich of a function. Of recursive calls only the outermost counts, so no tick counts twice.
 */
export function sandwichOf(graph: Graph, id: number, titles: readonly string[]): Sandwich {
  const callers = new GraphBuilder(undefined, graph.sides !== undefined);
  const callees = new GraphBuilder(undefined, graph.sides !== undefined);
  for (const node of outermost(graph, (at) => graph.function[at] === id)) {
    addCallers(callers, graph, node);
    addCallees(callees, graph, node);
  }
  const same = (key: number) => key;
  return {
    callers: callers.finish(same, id, titles).graph,
    callees: callees.finish(same, id, titles).graph,
  };
}

/** Yields the nodes that match and are not under another one that does, in the order of the graph. */
function* outermost(graph: Graph, matches: (node: number) => boolean): Iterable<number> {
  for (let node = 1; node < graph.length; ) {
    if (!matches(node)) node++;
    else {
      yield node;
      node = endOf(graph, node);
    }
  }
}

function addCallers(builder: GraphBuilder, graph: Graph, root: number): void {
  const ticks = graph.total[root]!;
  builder.addTotal(0, ticks, graph.kind[root]!);
  addSides(builder, 0, graph, root);
  if (graph.inlined[root] === 1) builder.addInlined(0, ticks);
  if (graph.inferred[root] === 1) builder.addInferred(0, ticks);
  let at = 0;
  for (let caller = graph.parent[root]!; caller > 0; caller = graph.parent[caller]!) {
    at = builder.child(at, graph.function[caller]!);
    builder.addTotal(at, ticks, graph.kind[caller]!);
    addSides(builder, at, graph, root);
    if (graph.inlined[caller] === 1) builder.addInlined(at, ticks);
    if (graph.inferred[caller] === 1) builder.addInferred(at, ticks);
  }
  builder.addSelf(at, ticks);
}

/** Adds the ticks of a function before and after to a caller, whose change is that of its calls. */
function addSides({ sides }: GraphBuilder, caller: number, graph: Graph, root: number): void {
  if (graph.sides === undefined) return;
  sides?.addSelf(caller, graph.sides.total, root);
  sides?.addTotal(caller, graph.sides.total, root);
}

function addCallees(builder: GraphBuilder, graph: Graph, root: number): void {
  const end = endOf(graph, root);
  const nodes = new Int32Array(end - root);
  for (let node = root; node < end; node++) {
    const at = node === root ? 0 : builder.child(nodes[graph.parent[node]! - root]!, graph.function[node]!);
    nodes[node - root] = at;
    builder.addSelf(at, graph.self[node]!);
    builder.addTotal(at, graph.total[node]!, graph.kind[node]!);
    builder.addInlined(at, graph.inlinedTicks[node]!);
    builder.addInferred(at, graph.inferredTicks[node]!);
    if (graph.sides === undefined) continue;
    builder.sides?.addSelf(at, graph.sides.self, node);
    builder.sides?.addTotal(at, graph.sides.total, node);
  }
}

/** The frames that a search matches: those of some functions, in any kind of code or in some. */
export interface MatchedFrames {
  /** By function: 1 if it matches. */
  readonly functions: Uint8Array;
  /** By kind of frame: 1 if it matches; undefined if all do. */
  readonly kinds: Uint8Array | undefined;
}

/** Returns whether a frame of a graph matches a search. */
export function isMatch(
  { functions, kinds }: MatchedFrames,
  graph: Pick<Graph, "function" | "kind">,
  node: number,
): boolean {
  return functions[graph.function[node]!] === 1 && (kinds === undefined || kinds[graph.kind[node]!] === 1);
}

/** The result of a search. */
export interface Matches {
  readonly frames: MatchedFrames;
  /** By function: 1 if a frame of it matches. */
  readonly functions: Uint8Array;
  /** The number of functions that match and have ticks. */
  readonly count: number;
  /** The ticks in stacks with a matching function. */
  readonly ticks: number;
  /** The same before and after; undefined if the page has one side. */
  readonly sides: readonly [number, number] | undefined;
}

/** What to search for: all patterns must match. */
export interface Query {
  /** In the title of a function, or in its position, `file:line`. */
  readonly text: RegExp | undefined;
  readonly file: RegExp | undefined;
  readonly package: RegExp | undefined;
  /** In the name of a kind of code. */
  readonly tier: RegExp | undefined;
}

/** Longer texts are cut: a pattern can take quadratic time. */
const MATCHED_LENGTH = 2048;
const FIELD = /(?:^|\s)(file|package|tier):(\S*)/g;

/**
 * Returns what a reader typed: a regular expression, and others behind `file:`, `package:` and `tier:`, all ignoring case;
 * undefined if empty. Throws a `SyntaxError`.
 */
export function readQuery(typed: string): Query | undefined {
  const pattern = (text: string) => (text === "" ? undefined : new RegExp(text, "i"));
  const fields = new Map<string, RegExp | undefined>();
  const text = typed.replace(FIELD, (_, name: string, value: string) => {
    fields.set(name, pattern(value));
    return "";
  });
  const query = {
    text: pattern(text.trim()),
    file: fields.get("file"),
    package: fields.get("package"),
    tier: fields.get("tier"),
  };
  return Object.values(query).some((one) => one !== undefined) ? query : undefined;
}

/** Longer patterns are not quick, nor are those of groups with more choices. */
const QUICK_LENGTH = 1000;
const QUICK_CHOICES = 4;

/**
 * Returns whether a search surely takes no longer than the square of a name's length: at most one repetition, of no group. Others may take
 * for ever: `(a?a?a?…)aaa…`.
 */
export function isQuick(typed: string): boolean {
  const plain = typed.replace(/\\./gs, "x").replaceAll("(?", "(");
  const numberOf = (mark: RegExp) => plain.match(mark)?.length ?? 0;
  return (
    typed.length <= QUICK_LENGTH &&
    numberOf(/[*+?{]/g) <= 1 &&
    numberOf(/\)[*+?{]/g) === 0 &&
    (!plain.includes("(") || numberOf(/\|/g) <= QUICK_CHOICES)
  );
}

/** Searches the frames of a graph. */
export function search({ functions, data }: Model, graph: Graph, query: Query): Matches {
  const isIn = (pattern: RegExp | undefined, text: string) =>
    pattern === undefined || pattern.test(text.slice(0, MATCHED_LENGTH));
  const isTextIn = (title: string, position: string) =>
    query.text === undefined || isIn(query.text, title) || isIn(query.text, position);
  const frames: MatchedFrames = {
    functions: Uint8Array.from(functions.titles, (title, id) => {
      const file = data.files[functions.file[id]!];
      const position = file === undefined ? "" : `${file}:${functions.line[id]}`;
      const isFound =
        isTextIn(title, position) &&
        isIn(query.file, file ?? "") &&
        isIn(query.package, data.origins[functions.origin[id]!]!);
      return isFound ? 1 : 0;
    }),
    kinds:
      query.tier &&
      Uint8Array.from(FRAME_KINDS, (name) =>
        isIn(query.tier, name) || isIn(query.tier, data.kindTitles[name] ?? KIND_TITLES[name]) ? 1 : 0,
      ),
  };
  let ticks = 0;
  const sides: [number, number] = [0, 0];
  for (const node of outermost(graph, (at) => isMatch(frames, graph, at))) {
    ticks += graph.total[node]!;
    for (const side of [0, 1] as const) sides[side] += graph.sides?.total[side][node] ?? 0;
  }
  const found = new Uint8Array(functions.length);
  for (let node = 1; node < graph.length; node++)
    if (isMatch(frames, graph, node)) found[graph.function[node]!] = 1;
  const count = found.reduce((sum, one) => sum + one, 0);
  return { frames, functions: found, count, ticks, sides: graph.sides && sides };
}

/** What charts show, and the frames of both sides: the same if the page has one side. */
interface ShownGraphs {
  readonly shown: Shown;
  readonly whole: Shown;
  /** The frames of all the time; the same if no part of it is chosen. */
  readonly allTime: Shown;
}

/** Makes the graphs that a reader chose, and keeps that of both sides, or of all the time, while only a part of it changes. */
export class GraphCache {
  readonly #model: Model;
  #whole: { readonly choice: Choice; readonly shown: Shown } | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Returns the graphs to show. */
  show({ choice, width }: { readonly choice: Choice; readonly width: string }): ShownGraphs {
    const { sides } = this.#model;
    const all = { ...choice, range: undefined, ...(sides !== undefined && { threads: [true, true] }) };
    if (this.#whole === undefined || !isSameChoice(this.#whole.choice, all))
      this.#whole = { choice: all, shown: showGraph(this.#model, all) };
    const allTime = this.#whole.shown;
    const isWhole = choice.range === undefined && (sides === undefined || width === "both");
    const shown = isWhole ? allTime : showGraph(this.#model, choice);
    return { shown, whole: sides === undefined ? shown : allTime, allTime };
  }
}
