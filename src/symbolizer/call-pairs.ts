import type { CallTree } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";

/** Distinct calls, each a pair of a caller and what it called, with their ticks. */
export interface CountedCalls {
  readonly length: number;
  readonly caller: Int32Array;
  readonly called: Int32Array;
  /** 1 if what was called called something itself in these ticks. */
  readonly isInterior: Uint8Array;
  readonly ticks: Float64Array;
  /** The most ticks of one node, and the first node that has so many. */
  readonly most: Float64Array;
  readonly node: Int32Array;
}

/** Frames to put between nodes of a tree and their callers. */
export interface Insertions {
  /** The nodes, ascending. */
  readonly nodes: Int32Array;
  /** By node: the frame. */
  readonly frames: Int32Array;
}

/** A tree into which nodes were put. */
export interface WidenedTree {
  readonly tree: CallTree;
  /** By row of the samples: its new node. */
  readonly rows: Int32Array;
}

/**
 * Loops over all nodes of a tree that tell what was called where. Marks are 1 for frames that have them; nodes that the
 * root calls have no caller.
 */
export interface StackLoops {
  /** Marks the frames at the top that a marked frame calls. */
  topFrames(isTop: Uint8Array, isAbove: Uint8Array): Uint8Array;
  /** Returns the nodes of marked frames that a marked frame calls. */
  topNodes(isTop: Uint8Array, isAbove: Uint8Array): Int32Array;
  /**
   * Returns a test of whether a name was seen to call another one: `names` has that of each frame, -1 for those to leave out.
   * It is valid until the next loop.
   */
  callsBetween(names: Int32Array): (caller: number, called: number) => boolean;
  /** Returns the distinct calls of marked frames that have ticks, also in stacks that go on from there. */
  counted(wanted: Uint8Array): CountedCalls;
  /** Returns the tree with a frame between some nodes and their callers; equal ones become one. `rows` are nodes of samples. */
  widened(insertions: Insertions, rows: Int32Array): WidenedTree;
}

/** Returns calls whose `called` is twice a frame, plus 1 if they are interior. */
export function callsOf(calls: Omit<CountedCalls, "isInterior">): CountedCalls {
  return {
    ...calls,
    called: calls.called.map((mark) => mark >> 1),
    isInterior: columnOf(Uint8Array, calls.called, (mark) => mark & 1),
  };
}
