import { columnOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import { CallTreeBuilder, type DepthFirst, depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import { CATEGORY_OF_STATE } from "../profile/categories.js";
import { type Frame, isInferred } from "../profile/frame.js";
import { functionKeys } from "../profile/frame-keys.js";
import type { Profile } from "../profile/profile.js";
import { allTicks, stackTicks } from "../profile/sample-table.js";
import { type MovedSamples, moveRows, regroup } from "../profile/stacks.js";
import { isIdle, VM_STATES } from "../profile/vm-state.js";
import { Confidence } from "./confidence.js";
import { FunctionTable } from "./function-table.js";
import type { Origin } from "./origin.js";
import { treeOrigins } from "./tree-origins.js";

/** Ticks by the frame that ran, in columns. Those of the root are left out. */
interface LeafTicks {
  readonly all: Float64Array;
  /** Without idle ticks. */
  readonly busy: Float64Array;
  /** Only those in a VM state that does not say what V8 did. */
  readonly plain: Float64Array;
}

/** Ticks by group of frames, in columns indexed by group. */
export interface GroupTicks {
  /** Ticks in the frames of the group themselves. */
  readonly self: Float64Array;
  /** Ticks in the frames of the group and in what they called. A stack counts once per group. */
  readonly total: Float64Array;
}

/** Groups of the frames of a profile. */
export interface FrameGroups {
  readonly count: number;
  /** By frame: its group; -1 for none. */
  readonly ofFrame: Int32Array;
}

/** The stacks of a profile by function, and by sample of the whole profile the one that it was merged into. */
interface Regrouped {
  readonly analysis: Analysis;
  readonly rows: Int32Array;
}

/** What is known already of a profile that was made of another one. */
type Known = Partial<Pick<Analysis, "origins" | "table" | "order" | "confidence">>;

/** A profile of which no part is left out. */
type Parts = { readonly [Part in keyof Required<Profile>]: Profile[Part] };

/**
 * A profile with what reports, comparisons, budgets and exports ask of it. Each part is made once, when it is first asked
 * for; the profile does not change.
 */
export class Analysis implements Parts {
  readonly frames: Profile["frames"];
  readonly tree: Profile["tree"];
  readonly samples: Profile["samples"];
  readonly timeline: Profile["timeline"];
  readonly deopts: Profile["deopts"];
  readonly ics: Profile["ics"];
  readonly sources: Profile["sources"];
  readonly identities: Profile["identities"];
  readonly scripts: Profile["scripts"];
  readonly info: Profile["info"];
  #origins: readonly Origin[] | undefined;
  #table: FunctionTable | undefined;
  #order: DepthFirst | undefined;
  #under: Float64Array | undefined;
  #leaves: LeafTicks | undefined;
  #ticks: Ticks | undefined;
  #functionTicks: GroupTicks | undefined;
  #confidence: Confidence | undefined;
  #byFunction: Regrouped | undefined;

  private constructor(profile: Profile, known: Known) {
    this.frames = profile.frames;
    this.tree = profile.tree;
    this.samples = profile.samples;
    this.timeline = profile.timeline;
    this.deopts = profile.deopts;
    this.ics = profile.ics;
    this.sources = profile.sources;
    this.identities = profile.identities;
    this.scripts = profile.scripts;
    this.info = profile.info;
    this.#origins = known.origins;
    this.#table = known.table;
    this.#order = known.order;
    this.#confidence = known.confidence;
  }

  /** Returns the analysis of a profile: itself if it is one. */
  static of(profile: Profile): Analysis {
    return profile instanceof Analysis ? profile : new Analysis(profile, {});
  }

  /** By frame. */
  get origins(): readonly Origin[] {
    this.#origins ??= treeOrigins(this);
    return this.#origins;
  }

  get table(): FunctionTable {
    this.#table ??= new FunctionTable(this.frames, this.origins);
    return this.#table;
  }

  /** The nodes of its tree, depth first. */
  get order(): DepthFirst {
    this.#order ??= depthFirst(this.tree);
    return this.#order;
  }

  /** By node: the ticks of its stack and of all stacks that go on from there. */
  get under(): Float64Array {
    this.#under ??= stackTicks(this.tree, this.samples);
    return this.#under;
  }

  /** By frame: the ticks in which it ran. */
  get leaves(): LeafTicks {
    this.#leaves ??= countLeaves(this);
    return this.#leaves;
  }

  /** All ticks of its samples. */
  get ticks(): Ticks {
    this.#ticks ??= allTicks(this.samples);
    return this.#ticks;
  }

  /** The ticks of each function of the table. `self` sums to all ticks. */
  get functionTicks(): GroupTicks {
    this.#functionTicks ??= this.groupTicks({
      count: this.table.functions.length,
      ofFrame: this.table.ofFrame,
    });
    return this.#functionTicks;
  }

  /** How sure its shares are. */
  get confidence(): Confidence {
    this.#confidence ??= new Confidence(this);
    return this.#confidence;
  }

  /**
   * Its stacks with one frame for each function: what differed only in lines, tiers and inlining is merged, and so are threads. There
   * are far fewer of them, so all that asks for functions alone is best made from these. It has no timeline.
   */
  get byFunction(): Regrouped {
    this.#byFunction ??= this.#regroupByFunction();
    return this.#byFunction;
  }

  /**
   * Returns its stacks as {@link byFunction} does, but frames that are inlined stay apart from those that are not, and so do inferred
   * ones: all that a tree of functions tells.
   */
  byCall(): Analysis {
    const keyOf = functionKeys();
    const known = new Map<string, number>();
    const frames: Frame[] = [];
    const ofFrame = columnOf(Int32Array, this.frames, (frame) => {
      const marks = `${frame.kind === "js" && frame.inlined ? "i" : ""}${isInferred(frame) ? "?" : ""}`;
      const key = `${marks}\0${keyOf(frame)}`;
      return valueAt(known, key, () => frames.push(frame) - 1);
    });
    const { tree, samples } = merged(this, ofFrame);
    return new Analysis({ ...this, frames, tree, samples, ...WITHOUT_ROWS }, {});
  }

  groupTicks({ count, ofFrame }: FrameGroups): GroupTicks {
    const { tree, samples, under } = this;
    const self = new Float64Array(count);
    for (let i = 0; i < samples.length; i++) {
      const group = ofFrame[tree.frame[samples.node[i]!]!]!;
      if (group >= 0) self[group]! += samples.ticks[i]!;
    }
    const total = new Float64Array(count);
    const groups = { count, of: (node: number) => ofFrame[tree.frame[node]!]! };
    visitOutermost(this.order, groups, (node, group) => {
      total[group]! += under[node]!;
    });
    return { self, total };
  }

  #regroupByFunction(): Regrouped {
    const { functions, ofFrame } = this.table;
    const { tree, samples, rows } = merged(this, ofFrame);
    const frames = functions.map(({ frame }) => frame);
    const analysis = new Analysis(
      { ...this, frames, tree, samples, ...WITHOUT_ROWS },
      {
        origins: functions.map(({ origin }) => origin),
        table: { functions, ofFrame: columnOf(Int32Array, functions, (_, id) => id) },
        confidence: this.confidence.merged(samples, rows),
      },
    );
    return { analysis, rows };
  }
}

/** What refers to rows of samples, which are others after a regroup. */
const WITHOUT_ROWS = { timeline: undefined, deopts: undefined, ics: undefined };

/**
 * Merges the stacks of a profile that are equal with other frames, and their samples, of all threads together. `ofFrame` has the
 * new number of each frame.
 */
function merged({ tree, samples }: Profile, ofFrame: Int32Array): MovedSamples & Pick<Profile, "tree"> {
  const builder = new CallTreeBuilder(tree.length);
  const nodes = regroup(tree, builder, (into, caller, node) =>
    into.child(caller, ofFrame[tree.frame[node]!]!),
  );
  const ofOneThread = { ...samples, thread: new Uint16Array(samples.length) };
  return { tree: builder.finish(), ...moveRows(ofOneThread, (i) => nodes[samples.node[i]!]!) };
}

/** What a VM state says: nothing, what V8 did, or that nothing ran. */
const KINDS = Uint8Array.from(VM_STATES, (state, i) =>
  isIdle(i) ? 2 : CATEGORY_OF_STATE[state] === undefined ? 0 : 1,
);

function countLeaves({ frames, tree, samples }: Profile): LeafTicks {
  const all = new Float64Array(frames.length);
  const busy = new Float64Array(frames.length);
  const plain = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const state = samples.vmState[i]!;
    const ticks = samples.ticks[i]!;
    const node = samples.node[i]!;
    if (node === ROOT) continue;
    const frame = tree.frame[node]!;
    all[frame]! += ticks;
    if (KINDS[state] !== 2) busy[frame]! += ticks;
    if (KINDS[state] === 0) plain[frame]! += ticks;
  }
  return { all, busy, plain };
}
