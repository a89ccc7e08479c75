import { frameKind } from "./frame-kind.js";
import { type FunctionSums, functionSums, sideSums } from "./function-sums.js";
import type { Graph } from "./graph.js";
import { GraphBuilder } from "./graph-builder.js";
import type { Model } from "./model.js";
import type { SideTicks } from "./side-ticks.js";

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
  const { self, total } = ticksByNode(model, choice.threads);
  const hidden = hiddenFrames(model, choice);
  const sides = sideTicks(model);
  const builder = new GraphBuilder(nodes.length, sides !== undefined);
  // 1 for nodes that the chosen side does not have, and all that they call.
  const isAbsent = new Uint8Array(sides === undefined ? 0 : nodes.length);
  const builderNode = new Int32Array(nodes.length);
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
    const at = builder.child(caller, key);
    builderNode[node] = at;
    owner[node] = node;
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
  const [before, after] = [ticksByNode(model, [true, false]), ticksByNode(model, [false, true])];
  return { self: [before.self, after.self], total: [before.total, after.total] };
}

function ticksByNode({ nodes, samples }: Model, threads: readonly boolean[]) {
  const self = new Float64Array(nodes.length);
  for (let i = 0; i < samples.length; i++) {
    if (threads[samples.thread[i]!]) self[samples.node[i]!]! += samples.ticks[i]!;
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
