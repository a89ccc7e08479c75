import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type Deopts, joinDeopts, moveCharges } from "./deopt.js";
import type { Frame } from "./frame.js";
import { frameKeys } from "./frame-keys.js";
import { FrameTable } from "./frame-table.js";
import { type Ics, joinIcs, moveIcs } from "./inline-caches.js";
import { moveTicks, TimelineJoiner } from "./moved-ticks.js";
import { type SampleTable, SampleTableBuilder } from "./sample-table.js";
import type { Timeline } from "./timeline.js";

/** The stacks of a profile and their ticks, without what is known about the log. */
export interface Stacks {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  readonly timeline?: Timeline | undefined;
  /** Only if requested. */
  readonly deopts?: Deopts | undefined;
  /** Only if requested. */
  readonly ics?: Ics | undefined;
}

/** Merges stacks of several profiles into one frame table, one tree and one sample table. */
export class StackMerger {
  readonly #tree: CallTreeBuilder;
  readonly #samples = new SampleTableBuilder();
  readonly #table = new FrameTable<Frame>(frameKeys());
  readonly #times = new TimelineJoiner();
  readonly #deopts: Deopts[] = [];
  readonly #ics: Ics[] = [];

  /** `capacity` is the number of nodes that there is room for from the start. */
  constructor(capacity?: number) {
    this.#tree = new CallTreeBuilder(capacity);
  }

  /**
   * Adds all samples. `frames` are indexed by the frame numbers of `tree`. Equal frames are merged, and so
   * are stacks that differed only in them. Threads are numbered from `firstThread`.
   */
  add({ frames, timeline, ...stacks }: Stacks, firstThread = 0): void {
    const rows = this.#addSamples(stacks, firstThread, this.#table.internAll(frames));
    if (timeline !== undefined) this.#times.add(moveTicks(timeline, rows));
  }

  /** Returns the merged stacks. */
  finish(): Stacks {
    return {
      frames: this.#table.frames,
      tree: this.#tree.finish(),
      samples: this.#samples.finish(),
      timeline: this.#times.timeline,
      deopts: this.#deopts.length === 0 ? undefined : joinDeopts(this.#deopts),
      ics: this.#ics.length === 0 ? undefined : joinIcs(this.#ics),
    };
  }

  /** Adds samples, and returns the new row of each. `frames` has the new number of each frame. */
  #addSamples(
    { tree, samples, deopts, ics }: Omit<Stacks, "frames" | "timeline">,
    firstThread: number,
    frames: Int32Array,
  ): Int32Array {
    const { length, parent, frame: frameOf } = tree;
    const merged = this.#tree;
    const nodes = new Int32Array(length);
    for (let node = ROOT + 1; node < length; node++)
      nodes[node] = merged.child(nodes[parent[node]!]!, frames[frameOf[node]!]!);
    const rows = new Int32Array(samples.length);
    for (let i = 0; i < samples.length; i++) {
      const thread = firstThread + samples.thread[i]!;
      rows[i] = this.#samples.add(nodes[samples.node[i]!]!, samples.vmState[i]!, samples.ticks[i]!, thread);
    }
    if (deopts !== undefined) this.#deopts.push(moveCharges(deopts, rows, firstThread));
    if (ics !== undefined) this.#ics.push(moveIcs(ics, rows, firstThread));
    return rows;
  }
}
