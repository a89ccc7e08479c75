import { endOf, type Graph } from "./graph.js";
import { GraphBuilder } from "./graph-builder.js";

/** The callers and callees of a function. Both graphs have the function at the root, with its total ticks. */
export interface Sandwich {
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
  for (const node of outermost(graph, (fn) => fn === id)) {
    addCallers(callers, graph, node);
    addCallees(callees, graph, node);
  }
  const same = (key: number) => key;
  return {
    callers: callers.finish(same, id, titles).graph,
    callees: callees.finish(same, id, titles).graph,
  };
}

/** Yields the nodes of matching functions that are not under another such node, in the order of the graph. */
export function* outermost(graph: Graph, matches: (fn: number) => boolean): Iterable<number> {
  for (let node = 1; node < graph.length; ) {
    if (!matches(graph.function[node]!)) node++;
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
