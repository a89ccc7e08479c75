import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";

/** Ticks by the innermost of some frames in their stacks. */
interface InnermostTicks {
  readonly ticks: Float64Array;
  /** The part of them in the frame itself. */
  readonly self: Float64Array;
  /** The frames with ticks, in the order of the samples. */
  readonly order: Int32Array;
  /** By sample: 1 + the frame; 0 if its stack has none of them. */
  readonly ofSample: Int32Array;
}

/** Counts the ticks of each stack at the innermost of its frames that `isMine`, by frame. */
export function innermostTicks(
  { frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">,
  isMine: Uint8Array,
): InnermostTicks {
  const count = frames.length;
  const { length, parent, frame } = tree;
  const innermost = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++)
    innermost[node] = isMine[frame[node]!] === 1 ? node : innermost[parent[node]!]!;
  const ticks = new Float64Array(count);
  const self = new Float64Array(count);
  const isSeen = new Uint8Array(count);
  const order: number[] = [];
  const ofSample = new Int32Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const own = samples.ticks[i]!;
    const leaf = samples.node[i]!;
    const node = innermost[leaf]!;
    if (node === ROOT) continue;
    const number = frame[node]!;
    if (isSeen[number] === 0) {
      isSeen[number] = 1;
      order.push(number);
    }
    ticks[number]! += own;
    if (node === leaf) self[number]! += own;
    ofSample[i] = number + 1;
  }
  return { ticks, self, order: Int32Array.from(order), ofSample };
}
