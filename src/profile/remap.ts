import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type Deopts, joinDeopts, moveCharges } from "./deopt.js";
import { type Frame, frameKeys } from "./frame.js";
import { FrameTable } from "./frame-table.js";
import { type Ics, joinIcs, moveIcs } from "./inline-caches.js";
import { zeros } from "./long-column.js";
import { moveTicks, renumberTicks, TimelineJoiner } from "./moved-ticks.js";
import { type SampleTable, SampleTableBuilder } from "./sample-table.js";
import { SharedLists } from "./shared-lists.js";
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

/** Stacks in which a frame of the tree can stand for several frames. */
export interface ExpandedStacks extends Omit<Stacks, "frames"> {
  /** By frame number of `tree`: the frames that it stands for, outermost first; at least one. */
  readonly frames: readonly (readonly Frame[])[];
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
    const chains = chainsOf(frames.map((frame) => [this.#table.intern(frame)]));
    const rows = this.#addSamples(stacks, firstThread, chains);
    if (timeline !== undefined) this.#times.add(moveTicks(timeline, rows));
  }

  /**
   * Like {@link add}, but a frame of the tree can stand for several frames. Overwrites the timeline: a long one
   * is a large part of all memory.
   */
  addExpanded({ frames, timeline, ...stacks }: ExpandedStacks): void {
    const lists = new SharedLists((frame: Frame) => this.#table.intern(frame));
    const chains = chainsOf(frames.map((chain) => lists.of(chain)));
    const rows = this.#addSamples(stacks, 0, chains);
    if (timeline !== undefined) this.#times.add(renumberTicks(timeline, rows));
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

  /** Adds samples, and returns the new row of each. `chains` are the frames that each frame of the tree stands for. */
  #addSamples(
    { tree, samples, deopts, ics }: Omit<Stacks, "frames" | "timeline">,
    firstThread: number,
    { starts, ends, numbers }: Chains,
  ): Int32Array {
    const { length, parent, frame: frameOf } = tree;
    const merged = this.#tree;
    const nodes = zeros(Int32Array, length);
    for (let node = ROOT + 1; node < length; node++) {
      const frame = frameOf[node]!;
      const end = ends[frame]!;
      let to = nodes[parent[node]!]!;
      for (let i = starts[frame]!; i < end; i++) to = merged.child(to, numbers[i]!);
      nodes[node] = to;
    }
    const rows = zeros(Int32Array, samples.length);
    for (let i = 0; i < samples.length; i++) {
      const thread = firstThread + samples.thread[i]!;
      rows[i] = this.#samples.add(nodes[samples.node[i]!]!, samples.vmState[i]!, samples.ticks[i]!, thread);
    }
    if (deopts !== undefined) this.#deopts.push(moveCharges(deopts, rows, firstThread));
    if (ics !== undefined) this.#ics.push(moveIcs(ics, rows, firstThread));
    return rows;
  }
}

/** Lists of numbers in one column. */
interface Chains {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly numbers: Int32Array;
}

/** Puts lists in one column, each one once: many are the same. */
function chainsOf(lists: readonly (readonly number[])[]): Chains {
  const starts = new Int32Array(lists.length);
  const ends = new Int32Array(lists.length);
  const known = new Map<readonly number[], number>();
  const numbers: number[] = [];
  for (const [i, list] of lists.entries()) {
    let start = known.get(list);
    if (start === undefined) {
      start = numbers.length;
      known.set(list, start);
      for (const number of list) numbers.push(number);
    }
    starts[i] = start;
    ends[i] = start + list.length;
  }
  return { starts, ends, numbers: Int32Array.from(numbers) };
}
