import { columnOf, reaching } from "../base/columns.js";
import { compareTexts } from "../base/sorted.js";
import { CallTreeBuilder, depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
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
  /** By kind: the ticks of it by node. */
  readonly kindTicks: readonly Float64Array[];
  readonly inlinedTicks: Float64Array;
  readonly inferredTicks: Float64Array;
  /** Only if the page compares two sides. */
  readonly sides?: SideTicks | undefined;
}

/** A column before and after. */
type Pair = readonly [Float64Array, Float64Array];

/** Ticks before and after, in columns by node. */
interface SideTicks {
  readonly self: Pair;
  readonly total: Pair;
}

/** The ticks of nodes. */
interface NodeTicks {
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Only if the page compares two sides. */
  readonly sides?: SideTicks | undefined;
}

/** Ticks by function, in columns. */
export interface FunctionSums {
  readonly self: Float64Array;
  /** Including callees; a recursive function counts once per stack. */
  readonly total: Float64Array;
}

/** Returns the ticks of each function of a graph; `length` is the number of functions. */
export function functionSums(graph: Graph, length: number, ticks: NodeTicks = graph): FunctionSums {
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  for (let node = ROOT + 1; node < graph.length; node++) self[graph.function[node]!]! += ticks.self[node]!;
  const groups = { count: length, of: (node: number) => graph.function[node]! };
  visitOutermost(depthFirst(graph), groups, (node, id) => {
    total[id]! += ticks.total[node]!;
  });
  return { self, total };
}

/** Returns the ticks of each function before and after; undefined if the graph has no sides. */
function sideSums(graph: Graph, length: number): readonly [FunctionSums, FunctionSums] | undefined {
  const { sides } = graph;
  if (sides === undefined) return undefined;
  const of = (side: 0 | 1) =>
    functionSums(graph, length, { self: sides.self[side], total: sides.total[side] });
  return [of(0), of(1)];
}

/** What ticks of a node are of. {@link SELF_OF_SIDE} and {@link TOTAL_OF_SIDE} are before, and one more is after. */
const SELF = 0;
const TOTAL = 1;
const INLINED = 2;
const INFERRED = 3;
const SELF_OF_SIDE = 4;
const TOTAL_OF_SIDE = 6;
/** Of the first kind of frame. */
const KIND = 8;

/** Builds a graph; stacks with equal keys are merged. */
class GraphBuilder {
  readonly #tree: CallTreeBuilder;
  /** By what ticks are of, such as {@link SELF}: those of each node. */
  #columns: Float64Array[];

  /** `capacity` is the number of nodes that fit before the columns grow. */
  constructor(capacity = 1024) {
    this.#tree = new CallTreeBuilder(capacity);
    this.#columns = Array.from({ length: KIND + FRAME_KINDS.length }, () => new Float64Array(capacity));
  }

  /** Returns the node of a callee by its key, and adds it if it is new. The root is 0. */
  child(parent: number, key: number): number {
    const node = this.#tree.child(parent, key);
    if (node >= this.#columns[SELF]!.length)
      this.#columns = this.#columns.map((column) => reaching(column, node));
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

  /** Adds ticks to a node. `what` is {@link INLINED} or the like. */
  add(what: number, node: number, ticks: number): void {
    this.#columns[what]![node]! += ticks;
  }

  /** Adds the self ticks of another node. */
  addSelf(node: number, { self, sides }: Omit<NodeTicks, "total">, from: number): void {
    this.add(SELF, node, self[from]!);
    for (const [side, column] of sides?.self.entries() ?? [])
      this.add(SELF_OF_SIDE + side, node, column[from]!);
  }

  /** Adds the total ticks of another node, which has a kind. */
  addTotal(node: number, { total, sides }: NodeTicks, from: number, kind: number): void {
    this.add(TOTAL, node, total[from]!);
    this.add(KIND + kind, node, total[from]!);
    for (const [side, column] of sides?.total.entries() ?? [])
      this.add(TOTAL_OF_SIDE + side, node, column[from]!);
  }

  /**
   * Returns the graph, with callees sorted by ticks, of both sides if there are two, then by title; and the new index of each node
   * that {@link child} returned. `functionOf` returns the function of a key.
   */
  finish(
    titles: readonly string[],
    root: number,
    { functionOf = (key: number) => key, hasSides = false } = {},
  ): { readonly graph: Graph; readonly newIndex: Int32Array } {
    const tree = this.#tree.finish();
    const { length } = tree;
    const ids = columnOf(Int32Array, tree.frame, (key, node) => (node === ROOT ? root : functionOf(key)));
    const column = (what: number) => this.#columns[what]!;
    // Frames keep their places when the page shows one side and then the other.
    const weights = hasSides ? [column(TOTAL_OF_SIDE), column(TOTAL_OF_SIDE + 1)] : [column(TOTAL)];
    const weight = columnOf(Float64Array, ids, (_, n) => weights.reduce((sum, ticks) => sum + ticks[n]!, 0));
    const order = sortedDepthFirst(tree, (a, b) => {
      const byTicks = weight[b]! - weight[a]!;
      if (byTicks !== 0) return byTicks;
      const [f, g] = [ids[a]!, ids[b]!];
      return compareTexts(titles[f] ?? "", titles[g] ?? "") || f - g || a - b;
    });
    const newIndex = new Int32Array(length);
    for (let i = 0; i < length; i++) newIndex[order[i]!] = i;
    const sorted = (what: number) => columnOf(Float64Array, order, (from) => column(what)[from]!);
    const total = sorted(TOTAL);
    const isMost = (ticks: Float64Array) =>
      columnOf(Uint8Array, ticks, (own, node) => (own * 2 > total[node]! ? 1 : 0));
    const [inlinedTicks, inferredTicks] = [sorted(INLINED), sorted(INFERRED)];
    const kindTicks = FRAME_KINDS.map((_, kind) => sorted(KIND + kind));
    const parent = columnOf(Int32Array, order, (from) =>
      from === ROOT ? -1 : newIndex[tree.parent[from]!]!,
    );
    const depth = new Int32Array(length);
    const start = new Float64Array(length);
    /** By node: where its next callee begins. */
    const free = new Float64Array(length);
    for (let node = ROOT + 1; node < length; node++) {
      const caller = parent[node]!;
      depth[node] = depth[caller]! + 1;
      start[node] = free[caller]!;
      free[node] = start[node]!;
      free[caller]! += total[node]!;
    }
    const graph: Graph = {
      length,
      parent,
      depth,
      function: columnOf(Int32Array, order, (from) => ids[from]!),
      kind: columnOf(Uint8Array, order, (_, node) => mainKind(kindTicks, node)),
      inlined: isMost(inlinedTicks),
      inferred: isMost(inferredTicks),
      self: sorted(SELF),
      total,
      start,
      kindTicks,
      inlinedTicks,
      inferredTicks,
      sides: hasSides
        ? {
            self: [sorted(SELF_OF_SIDE), sorted(SELF_OF_SIDE + 1)],
            total: [sorted(TOTAL_OF_SIDE), sorted(TOTAL_OF_SIDE + 1)],
          }
        : undefined,
    };
    return { graph, newIndex };
  }
}

function mainKind(kindTicks: readonly Float64Array[], node: number): number {
  let best = 0;
  for (const [kind, ticks] of kindTicks.entries()) if (ticks[node]! > kindTicks[best]![node]!) best = kind;
  return best;
}

/** Returns the nodes, each before its callees, with callees in the order of `compare`. */
function sortedDepthFirst(
  { length, parent }: Pick<Graph, "length" | "parent">,
  compare: (a: number, b: number) => number,
): Int32Array {
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
  const ticks: NodeTicks = { self, total, sides };
  const builder = new GraphBuilder(nodes.length);
  // 1 for nodes that the chosen side does not have, and all that they call.
  const isAbsent = new Uint8Array(nodes.length);
  const builderNode = new Int32Array(nodes.length);
  /** By node of the builder: the last node of the model that was not folded into it. */
  const last = new Int32Array(choice.folded ? nodes.length : 0);
  const owner = new Int32Array(nodes.length);
  builder.addSelf(ROOT, ticks, ROOT);
  builder.addTotal(ROOT, ticks, ROOT, 0);
  for (let node = 1; node < nodes.length; node++) {
    const caller = builderNode[nodes.parent[node]!]!;
    const frame = nodes.frame[node]!;
    if (total[node] === 0 || hidden[frame] === 1) {
      builderNode[node] = caller;
      owner[node] = owner[nodes.parent[node]!]!;
      isAbsent[node] = isAbsent[nodes.parent[node]!]! | (hidden[frame] === 1 ? 0 : 1);
      builder.addSelf(caller, isAbsent[node] === 0 ? ticks : { self }, node);
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
      builder.addSelf(outer, ticks, node);
      for (let at = caller; at !== outer; at = builder.parentOf(at)) {
        const frame = nodes.frame[last[at]!]!;
        builder.add(TOTAL, at, -total[node]!);
        builder.add(KIND + frames.kind[frame]!, at, -total[node]!);
        if (frames.inlined[frame] === 1) builder.add(INLINED, at, -total[node]!);
        if (frames.inferred[frame] === 1) builder.add(INFERRED, at, -total[node]!);
      }
      continue;
    }
    const at = builder.child(caller, key);
    builderNode[node] = at;
    if (choice.folded) last[at] = node;
    builder.addSelf(at, ticks, node);
    builder.addTotal(at, ticks, node, kind);
    if (inlined === 1) builder.add(INLINED, at, total[node]!);
    if (inferred === 1) builder.add(INFERRED, at, total[node]!);
  }
  const { graph, newIndex } = builder.finish(functions.titles, -1, {
    ...(choice.tiers && { functionOf: (key: number) => Math.floor(key / KEYS_PER_FUNCTION) }),
    hasSides: sides !== undefined,
  });
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
  const [callers, callees] = [new GraphBuilder(), new GraphBuilder()];
  const { sides } = graph;
  for (const node of outermost(graph, (at) => graph.function[at] === id)) {
    addCallers(callers, graph, node);
    addCallees(callees, graph, node);
  }
  const options = { hasSides: sides !== undefined };
  const ofCallers = callers.finish(titles, id, options).graph;
  return {
    // The change of a caller is that of its calls.
    callers: { ...ofCallers, sides: ofCallers.sides && { ...ofCallers.sides, self: ofCallers.sides.total } },
    callees: callees.finish(titles, id, options).graph,
  };
}

/** Returns the nodes that match and are not under another one that does, in the order of the graph. */
function outermost(graph: Graph, matches: (node: number) => boolean): number[] {
  const found: number[] = [];
  const groups = { count: 1, of: (node: number) => (matches(node) ? 0 : -1) };
  visitOutermost(depthFirst(graph), groups, (node) => found.push(node));
  return found;
}

function addCallers(builder: GraphBuilder, graph: Graph, root: number): void {
  const ticks = graph.total[root]!;
  let at = 0;
  for (let caller = root; caller > 0; caller = graph.parent[caller]!) {
    if (caller !== root) at = builder.child(at, graph.function[caller]!);
    builder.addTotal(at, graph, root, graph.kind[caller]!);
    if (graph.inlined[caller] === 1) builder.add(INLINED, at, ticks);
    if (graph.inferred[caller] === 1) builder.add(INFERRED, at, ticks);
  }
  builder.add(SELF, at, ticks);
}

function addCallees(builder: GraphBuilder, graph: Graph, root: number): void {
  const nodes = new Map<number, number>();
  for (let node = root; node < graph.length; node++) {
    if (node > root && graph.depth[node]! <= graph.depth[root]!) break;
    const at = node === root ? ROOT : builder.child(nodes.get(graph.parent[node]!)!, graph.function[node]!);
    nodes.set(node, at);
    builder.addSelf(at, graph, node);
    builder.addTotal(at, graph, node, graph.kind[node]!);
    builder.add(INLINED, at, graph.inlinedTicks[node]!);
    builder.add(INFERRED, at, graph.inferredTicks[node]!);
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
