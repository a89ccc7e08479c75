import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type Frame, frameKey } from "./frame.js";
import { FrameTable } from "./frame-table.js";
import { type SampleTable, SampleTableBuilder } from "./sample-table.js";

/** The stacks of a profile and their ticks, without what is known about the log. */
export interface Stacks {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
}

/** Collects stacks of several origins into one frame table, one tree and one sample table. */
export class StackMerger {
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #table = new FrameTable<Frame>(frameKey);

  /**
   * Adds every sample. `frames` are the frames by the numbers that `tree` has for them; those that are equal
   * become one, and so do the stacks that differed in nothing else.
   */
  add({ frames, tree, samples }: Stacks): void {
    const numbers = frames.map((frame) => this.#table.intern(frame));
    const nodes = new Int32Array(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      nodes[node] = this.#tree.child(nodes[tree.parent[node]!]!, numbers[tree.frame[node]!]!);
    }
    for (let i = 0; i < samples.length; i++) {
      this.#samples.add(nodes[samples.node[i]!]!, samples.vmState[i]!, samples.ticks[i]!);
    }
  }

  /** All that was added. */
  finish(): Stacks {
    return { frames: this.#table.frames, tree: this.#tree.finish(), samples: this.#samples };
  }
}

/** The same stacks with equal frames made one. */
export function mergeEqualFrames(stacks: Stacks): Stacks {
  const merger = new StackMerger();
  merger.add(stacks);
  return merger.finish();
}
