import { frameKind } from "./frame-kind.js";
import type { Graph } from "./graph.js";
import { GraphBuilder } from "./graph-builder.js";
import type { Model } from "./model.js";

/** What of a model is shown. */
export interface Choice {
  /** By thread: whether its ticks count. */
  readonly threads: readonly boolean[];
  /** Whether frames that their caller's code holds are shown; those that are not give their ticks to the caller. */
  readonly inlined: boolean;
  readonly builtins: boolean;
  readonly cpp: boolean;
  /** Whether a function has a frame for each tier. */
  readonly tiers: boolean;
}

/** A model as it was chosen to be shown. */
export interface Shown {
  readonly graph: Graph;
  /** By node of the model: the node of the graph that has its ticks. */
  readonly place: Int32Array;
  /** By node of the model: itself, or the next caller that is shown. */
  readonly owner: Int32Array;
  /** By node of the model: its own ticks in the threads that count. */
  readonly self: Float64Array;
  /** … and with those of what it called. */
  readonly total: Float64Array;
}

/** Two bits more than the sixteen kinds: a key is a function, a kind and whether it is inlined. */
const KEY_BITS = 32;

/** Makes the graph that is shown: one frame a function at each place of the tree, or one a tier. */
export function showGraph(model: Model, choice: Choice): Shown {
  const { nodes, frames, functions } = model;
  const { self, total } = ticksByNode(model, choice.threads);
  const hidden = hiddenFrames(model, choice);
  const builder = new GraphBuilder(nodes.length);
  const builderNode = new Int32Array(nodes.length);
  const owner = new Int32Array(nodes.length);
  builder.addSelf(0, self[0]!);
  builder.addTotal(0, total[0]!, 0);
  for (let node = 1; node < nodes.length; node++) {
    const caller = builderNode[nodes.parent[node]!]!;
    const frame = nodes.frame[node]!;
    if (total[node] === 0 || hidden[frame] === 1) {
      builderNode[node] = caller;
      owner[node] = owner[nodes.parent[node]!]!;
      builder.addSelf(caller, self[node]!);
      continue;
    }
    const kind = frames.kind[frame]!;
    const inlined = frames.inlined[frame]!;
    const id = frames.function[frame]!;
    const at = builder.child(caller, choice.tiers ? id * KEY_BITS + kind * 2 + inlined : id);
    builderNode[node] = at;
    owner[node] = node;
    builder.addSelf(at, self[node]!);
    builder.addTotal(at, total[node]!, kind);
    if (inlined === 1) builder.addInlined(at, total[node]!);
  }
  const functionOf = choice.tiers ? (key: number) => Math.floor(key / KEY_BITS) : (key: number) => key;
  const { graph, newIndex } = builder.finish(functionOf, -1, functions.titles);
  return { graph, place: builderNode.map((node) => newIndex[node]!), owner, self, total };
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

/** By frame: 1 where it is not shown. C++ that collects garbage is C++ too. */
function hiddenFrames({ frames, functions }: Model, choice: Choice): Uint8Array {
  return Uint8Array.from(frames.function, (id, frame) => {
    const kind = functions.kind[id]!;
    if (!choice.inlined && frames.inlined[frame] === 1) return 1;
    if (!choice.builtins && BUILTIN.includes(kind)) return 1;
    return !choice.cpp && NATIVE.includes(kind) ? 1 : 0;
  });
}
