import { type CallTree, ROOT } from "../profile/call-tree.js";
import { zeros } from "../profile/long-column.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { shareTreeKernel } from "../profile/shared-kernel.js";

/** Ticks by the innermost of some frames in their stacks. */
export interface InnermostTicks {
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
  return (
    countInKernel(tree, samples, { count: frames.length, isMine }) ??
    countTicks(tree, samples, { count: frames.length, isMine })
  );
}

/** Which frames are counted, of so many. */
interface Wanted {
  readonly count: number;
  readonly isMine: Uint8Array;
}

/** Does what {@link countTicks} does. Returns undefined if there is no kernel for it. */
function countInKernel(tree: CallTree, samples: SampleTable, wanted: Wanted): InnermostTicks | undefined {
  const kernel = shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { exports, parent, frame } = kernel;
  const { length } = samples;
  const { count } = wanted;
  const [nodes, counts] = [samples.node, samples.ticks].map((column) =>
    kernel.place(column.subarray(0, length)),
  ) as [number, number];
  const isDouble = samples.ticks instanceof Float64Array;
  const innermost = kernel.spare(tree.length * Int32Array.BYTES_PER_ELEMENT);
  const isMine = kernel.place(wanted.isMine);
  const [ticks, self] = [kernel.room(count * 8), kernel.room(count * 8)];
  const [isSeen, order] = [kernel.room(count), kernel.room(count * Int32Array.BYTES_PER_ELEMENT)];
  exports.innermostNodes(tree.length, parent, frame, isMine, innermost);
  const { countFrames } = exports;
  const found = countFrames(length, nodes, counts, isDouble, frame, innermost, ticks, self, isSeen, order);
  return {
    ticks: kernel.doubles(ticks, count).slice(),
    self: kernel.doubles(self, count).slice(),
    order: kernel.copied(order, found),
    ofSample: kernel.copied(nodes, length),
  };
}

function countTicks(tree: CallTree, samples: SampleTable, { count, isMine }: Wanted): InnermostTicks {
  const { length, parent, frame } = tree;
  const innermost = zeros(Int32Array, length);
  for (let node = ROOT + 1; node < length; node++)
    innermost[node] = isMine[frame[node]!] === 1 ? node : innermost[parent[node]!]!;
  const ticks = new Float64Array(count);
  const self = new Float64Array(count);
  const isSeen = new Uint8Array(count);
  const order: number[] = [];
  const ofSample = zeros(Int32Array, samples.length);
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
