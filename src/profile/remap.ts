import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type Deopts, joinDeopts, moveCharges } from "./deopt.js";
import { type Frame, frameKeys } from "./frame.js";
import { FrameTable } from "./frame-table.js";
import { type SampleTable, SampleTableBuilder } from "./sample-table.js";
import { type Timeline, TimelineBuilder } from "./timeline.js";

/** The stacks of a profile and their ticks, without what is known about the log. */
export interface Stacks {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  readonly timeline?: Timeline | undefined;
  /** Only where it was asked for. */
  readonly deopts?: Deopts | undefined;
}

/** Stacks whose tree has places that stand for one or several frames. */
export interface ExpandedStacks extends Omit<Stacks, "frames"> {
  /** By the numbers that `tree` has for them: the frames of each place, the outermost first; at least one. */
  readonly frames: readonly (readonly Frame[])[];
}

/** Collects stacks of several origins into one frame table, one tree and one sample table. */
export class StackMerger {
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #table = new FrameTable<Frame>(frameKeys());
  #timeline: TimelineBuilder | undefined;
  #deopts: Deopts | undefined;

  /**
   * Adds every sample. `frames` are the frames by the numbers that `tree` has for them; those that are equal
   * become one, and so do the stacks that differed in nothing else. The threads get numbers from `firstThread` on.
   */
  add({ frames, ...stacks }: Stacks, firstThread = 0): void {
    const numbers = frames.map((frame) => this.#table.intern(frame));
    const tree = this.#tree;
    this.#addSamples(stacks, firstThread, (parent, frame) => tree.child(parent, numbers[frame]!));
  }

  /** As {@link add}, where a place can stand for several frames. */
  addExpanded({ frames, ...stacks }: ExpandedStacks): void {
    const numbers = frames.map((chain) => chain.map((frame) => this.#table.intern(frame)));
    const tree = this.#tree;
    this.#addSamples(stacks, 0, (parent, place) => {
      let node = parent;
      for (const number of numbers[place]!) node = tree.child(node, number);
      return node;
    });
  }

  /** All that was added. */
  finish(): Stacks {
    return {
      frames: this.#table.frames,
      tree: this.#tree.finish(),
      samples: this.#samples,
      timeline: this.#timeline,
      deopts: this.#deopts,
    };
  }

  /** `child` gives the node of a place that is called from a node. */
  #addSamples(
    { tree, samples, timeline, deopts }: Omit<Stacks, "frames">,
    firstThread: number,
    child: (parent: number, place: number) => number,
  ): void {
    const nodes = new Int32Array(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      nodes[node] = child(nodes[tree.parent[node]!]!, tree.frame[node]!);
    }
    const rows = new Int32Array(samples.length);
    for (let i = 0; i < samples.length; i++) {
      const thread = firstThread + samples.thread[i]!;
      rows[i] = this.#samples.add(nodes[samples.node[i]!]!, samples.vmState[i]!, samples.ticks[i]!, thread);
    }
    if (deopts !== undefined) {
      const moved = moveCharges(deopts, rows);
      this.#deopts = this.#deopts === undefined ? moved : joinDeopts(this.#deopts, moved, firstThread);
    }
    if (timeline === undefined) return;
    this.#timeline ??= new TimelineBuilder();
    for (let i = 0; i < timeline.length; i++) {
      this.#timeline.add(rows[timeline.sample[i]!]!, timeline.timestamp[i]!);
    }
  }
}
