import { endOf, type Graph } from "./graph.js";
import { GraphBuilder } from "./graph-builder.js";

/** Who called a function, and what it called. Both graphs have the function at the root, with its total ticks. */
export interface Sandwich {
  /** Callees are callers here: each level is one call further out. Ticks of a node are those of the function so called. */
  readonly callers: Graph;
  readonly callees: Graph;
}

/** The sandwich of a function. Of calls of the function within itself the outermost counts, so no tick counts twice. */
export function sandwichOf(graph: Graph, id: number, titles: readonly string[]): Sandwich {
  const callers = new GraphBuilder();
  const callees = new GraphBuilder();
  for (const place of outermost(graph, (fn) => fn === id)) {
    addCallers(callers, graph, place);
    addCallees(callees, graph, place);
  }
  const same = (key: number) => key;
  return {
    callers: callers.finish(same, id, titles).graph,
    callees: callees.finish(same, id, titles).graph,
  };
}

/** The nodes of matching functions that are not under another such node, in the order of the graph. */
export function* outermost(graph: Graph, matches: (fn: number) => boolean): Iterable<number> {
  for (let node = 1; node < graph.length; ) {
    if (!matches(graph.function[node]!)) node++;
    else {
      yield node;
      node = endOf(graph, node);
    }
  }
}

function addCallers(builder: GraphBuilder, graph: Graph, place: number): void {
  const ticks = graph.total[place]!;
  builder.addTotal(0, ticks, graph.kind[place]!);
  if (graph.inlined[place] === 1) builder.addInlined(0, ticks);
  let at = 0;
  for (let caller = graph.parent[place]!; caller > 0; caller = graph.parent[caller]!) {
    at = builder.child(at, graph.function[caller]!);
    builder.addTotal(at, ticks, graph.kind[caller]!);
    if (graph.inlined[caller] === 1) builder.addInlined(at, ticks);
  }
  builder.addSelf(at, ticks);
}

function addCallees(builder: GraphBuilder, graph: Graph, place: number): void {
  const end = endOf(graph, place);
  const nodes = new Int32Array(end - place);
  for (let node = place; node < end; node++) {
    const at = node === place ? 0 : builder.child(nodes[graph.parent[node]! - place]!, graph.function[node]!);
    nodes[node - place] = at;
    builder.addSelf(at, graph.self[node]!);
    builder.addTotal(at, graph.total[node]!, graph.kind[node]!);
    builder.addInlined(at, graph.inlinedTicks[node]!);
  }
}
