import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { shareColumnKernel } from "../profile/shared-kernel.js";
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

/** What a VM state says: nothing, what V8 did, or that nothing ran. Their order counts in the kernel. */
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
  const states = statesInKernel(samples) ?? countStates(samples);
  knownStates.set(samples, states);
  return states;
}

/** Does what {@link countStates} does. Returns undefined if there is no kernel for it. */
function statesInKernel({ length, vmState, ticks }: SampleTable): Float64Array | undefined {
  const kernel = shareColumnKernel(length);
  if (kernel === undefined) return undefined;
  const [states, counts] = [vmState, ticks].map((column) => kernel.place(column.subarray(0, length)));
  const sums = kernel.room(VM_STATES.length * Float64Array.BYTES_PER_ELEMENT);
  kernel.exports.countStates(length, states!, counts!, ticks instanceof Float64Array, sums);
  return kernel.doubles(sums, VM_STATES.length).slice();
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
    counted = { ...(countInKernel(of, samples) ?? countLeaves(of, samples)), of };
    known.set(samples, counted);
  }
  return counted;
}

/** Does what {@link countLeaves} does. Returns undefined if there is no kernel for it. */
function countInKernel({ frames, tree }: LeafColumns, samples: SampleTable): CountedTicks | undefined {
  const { length, node, vmState, ticks } = samples;
  const kernel = shareColumnKernel(length);
  if (kernel === undefined) return undefined;
  const frame = kernel.place(tree.frame.subarray(0, tree.length));
  const [nodes, states] = [kernel.place(node.subarray(0, length)), kernel.place(vmState.subarray(0, length))];
  const counts = kernel.place(ticks.subarray(0, length));
  const isDouble = ticks instanceof Float64Array;
  const room = (count: number) => kernel.room(count * Float64Array.BYTES_PER_ELEMENT);
  const [all, busy, plain] = [room(frames.length), room(frames.length), room(frames.length)];
  const [kinds, byState] = [kernel.place(KINDS), room(VM_STATES.length)];
  kernel.exports.countLeaves(
    length,
    nodes,
    states,
    counts,
    isDouble,
    frame,
    kinds,
    all,
    busy,
    plain,
    byState,
  );
  const column = (offset: number, count = frames.length) => kernel.doubles(offset, count).slice();
  return {
    frames: { all: column(all), busy: column(busy), plain: column(plain) },
    states: column(byState, VM_STATES.length),
  };
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
