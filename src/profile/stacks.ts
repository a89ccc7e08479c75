import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type Deopts, joinDeopts, moveDeopts } from "./deopt.js";
import type { Frame } from "./frame.js";
import { FrameTable, frameKeys } from "./frame-keys.js";
import { type Ics, joinIcs, moveIcs } from "./inline-caches.js";
import { type SampleTable, SampleTableBuilder } from "./sample-table.js";
import { moveTicks, type Timeline, TimelineJoiner } from "./timeline.js";

/** The stacks of a profile and their ticks, without what is known about the log. */
export interface Stacks extends SampleFacts {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
}

/** What refers to samples by their rows. */
interface SampleFacts {
  readonly timeline?: Timeline | undefined;
  /** Only if requested. */
  readonly deopts?: Deopts | undefined;
  /** Only if requested. */
  readonly ics?: Ics | undefined;
}

/** Returns the new node for a node, given that of its caller: often a child of it, with another frame. */
type Put = (merged: CallTreeBuilder, caller: number, node: number) => number;

/**
 * Puts other frames into a tree, callers first; nodes that are equal by then are one. Adds to `merged`, and returns the new node
 * of each node. `root` is that of the root.
 */
export function regroup(tree: CallTree, merged: CallTreeBuilder, put: Put, root = ROOT): Int32Array {
  const { length, parent } = tree;
  const nodes = new Int32Array(length);
  nodes[ROOT] = root;
  for (let node = ROOT + 1; node < length; node++) nodes[node] = put(merged, nodes[parent[node]!]!, node);
  return nodes;
}

/** Samples at other nodes. */
export interface MovedSamples {
  readonly samples: SampleTable;
  /** By old row: the new one; -1 for a sample that is left out. */
  readonly rows: Int32Array;
}

/** Moves each sample to the node that `nodeOf` returns, or leaves it out for -1; samples that are equal by then are one. */
export function moveRows(
  { length, vmState, thread, ticks, count }: SampleTable,
  nodeOf: (sample: number) => number,
  { moved = new SampleTableBuilder(Math.max(1, length)), firstThread = 0 } = {},
): MovedSamples {
  const rows = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const node = nodeOf(i);
    rows[i] = node < 0 ? -1 : moved.add(node, vmState[i]!, ticks[i]!, firstThread + thread[i]!);
    if (count !== undefined && node >= 0) moved.addCount(rows[i]!, count[i]!);
  }
  return { samples: moved.finish(), rows };
}

/** Returns the same facts of moved samples. Do not change `rows` afterwards. */
export function moveFacts(
  { timeline, deopts, ics }: SampleFacts,
  rows: Int32Array,
  firstThread = 0,
): SampleFacts {
  const moves = { rows, threadOf: (thread: number) => firstThread + thread };
  return {
    timeline: timeline && moveTicks(timeline, rows),
    deopts: deopts && moveDeopts(deopts, moves),
    ics: ics && moveIcs(ics, moves),
  };
}

/** Stacks in which a frame of the tree can stand for several frames. */
interface ExpandedStacks extends Omit<Stacks, "frames"> {
  /** By frame number of `tree`: the frames that it stands for, outermost first; at least one. */
  readonly frames: readonly (readonly Frame[])[];
}

/** Returns the stacks with all the frames. Equal frames are one, and so are stacks that differed only in them. */
export function expandStacks({ frames, tree, samples, ...facts }: ExpandedStacks): Stacks {
  const table = new FrameTable<Frame>(frameKeys());
  const numbers = table.internAll(frames.flat());
  /** By frame: where its numbers begin; those of the next one follow. */
  const starts = new Int32Array(frames.length + 1);
  for (let i = 0; i < frames.length; i++) starts[i + 1] = starts[i]! + frames[i]!.length;
  const merged = new CallTreeBuilder(tree.length);
  const nodes = regroup(tree, merged, (merged, caller, node) => {
    const frame = tree.frame[node]!;
    let to = caller;
    for (let i = starts[frame]!; i < starts[frame + 1]!; i++) to = merged.child(to, numbers[i]!);
    return to;
  });
  const moved = moveRows(samples, (i) => nodes[samples.node[i]!]!);
  return {
    frames: table.frames,
    tree: merged.finish(),
    samples: moved.samples,
    ...moveFacts(facts, moved.rows),
  };
}

/** Merges stacks of several profiles into one frame table, one tree and one sample table. */
export class StackMerger {
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #table = new FrameTable<Frame>(frameKeys());
  readonly #times = new TimelineJoiner();
  readonly #deopts: Deopts[] = [];
  readonly #ics: Ics[] = [];

  /** Adds all samples. Equal frames are merged, and so are stacks that differed only in them. Threads are numbered from `firstThread`. */
  add({ frames, tree, samples, ...facts }: Stacks, firstThread = 0): void {
    const numbers = this.#table.internAll(frames);
    const nodes = regroup(tree, this.#tree, (merged, caller, node) =>
      merged.child(caller, numbers[tree.frame[node]!]!),
    );
    const to = { moved: this.#samples, firstThread };
    const { rows } = moveRows(samples, (i) => nodes[samples.node[i]!]!, to);
    const { timeline, deopts, ics } = moveFacts(facts, rows, firstThread);
    if (timeline !== undefined) this.#times.add(timeline);
    if (deopts !== undefined) this.#deopts.push(deopts);
    if (ics !== undefined) this.#ics.push(ics);
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
}
