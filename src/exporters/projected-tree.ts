import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";

/** A call tree seen more coarsely: its frames are those of a format, such as functions whatever tier they ran in. */
export interface ProjectedTree {
  /** Its `frame` column has the numbers of the coarser frames. */
  readonly tree: CallTree;
  /** By node of the finer tree: its node here. */
  readonly nodeOf: Int32Array;
}

/**
 * Projects a call tree: `ofFrame` has the coarser frame of each frame. Stacks that differ in nothing else become one.
 * A parent is still before its children.
 */
export function projectTree(tree: CallTree, ofFrame: Int32Array): ProjectedTree {
  const builder = new CallTreeBuilder();
  const nodeOf = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    nodeOf[node] = builder.child(nodeOf[tree.parent[node]!]!, ofFrame[tree.frame[node]!]!);
  }
  return { tree: builder.finish(), nodeOf };
}
