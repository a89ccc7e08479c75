import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import { isIdle, VM_STATES } from "../profile/vm-state.js";
import { STATE_CATEGORIES } from "./state-categories.js";

/** The ticks of a profile by the frame that ran, in columns. */
export interface LeafTicks {
  readonly all: Float64Array;
  /** Without idle ticks. */
  readonly busy: Float64Array;
  /** Only those in a VM state that does not say what V8 did. */
  readonly plain: Float64Array;
}

/** The ticks of a profile by frame, and by VM state. */
interface CountedTicks {
  readonly frames: LeafTicks;
  readonly states: Float64Array;
}

/** By samples: their ticks, which many parts of a report ask for, and whose they are. */
const known = new WeakMap<SampleTable, CountedTicks & { readonly of: LeafColumns }>();

/** By samples: their ticks by VM state, if only these were asked for. */
const knownStates = new WeakMap<SampleTable, Float64Array>();

/** What ticks by frame are counted from. */
type LeafColumns = Pick<Profile, "frames" | "tree">;

/** What a VM state says: nothing, what V8 did, or that nothing ran. */
const KINDS = Uint8Array.from(VM_STATES, (state, i) =>
  isIdle(i) ? 2 : STATE_CATEGORIES[state] === undefined ? 0 : 1,
);

/** Returns the ticks of a profile by the frame that ran. Those of the root are left out. */
export function leafTicks(profile: Pick<Profile, "frames" | "tree" | "samples">): LeafTicks {
  return countedTicks(profile).frames;
}

/** Returns the ticks of samples by VM state. */
export function stateTicks(samples: SampleTable): Float64Array {
  const counted = known.get(samples)?.states ?? knownStates.get(samples);
  if (counted !== undefined) return counted;
  const states = countStates(samples);
  knownStates.set(samples, states);
  return states;
}

function countStates({ length, vmState, ticks }: SampleTable): Float64Array {
  const states = new Float64Array(VM_STATES.length);
  for (let i = 0; i < length; i++) states[vmState[i]!]! += ticks[i]!;
  return states;
}

/** Returns all ticks of samples. */
export function allTicks(samples: SampleTable): Ticks {
  return stateTicks(samples).reduce((sum, ticks) => sum + ticks, 0);
}

function countedTicks({ frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">): CountedTicks {
  let counted = known.get(samples);
  if (counted === undefined || counted.of.frames !== frames || counted.of.tree !== tree) {
    const of = { frames, tree };
    counted = { ...countLeaves(of, samples), of };
    known.set(samples, counted);
  }
  return counted;
}

function countLeaves({ frames, tree }: LeafColumns, samples: SampleTable): CountedTicks {
  const all = new Float64Array(frames.length);
  const busy = new Float64Array(frames.length);
  const plain = new Float64Array(frames.length);
  const states = new Float64Array(VM_STATES.length);
  for (let i = 0; i < samples.length; i++) {
    const state = samples.vmState[i]!;
    const ticks = samples.ticks[i]!;
    states[state]! += ticks;
    const node = samples.node[i]!;
    if (node === ROOT) continue;
    const frame = tree.frame[node]!;
    all[frame]! += ticks;
    if (KINDS[state] !== 2) busy[frame]! += ticks;
    if (KINDS[state] === 0) plain[frame]! += ticks;
  }
  return { frames: { all, busy, plain }, states };
}
