import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import { zeros } from "../profile/long-column.js";
import type { MissingCallers } from "../profile/profile.js";
import { openTreeKernel } from "../profile/tree-kernel.js";
import type { Recording } from "../recorder/recording.js";

/** The first V8 that logs native callbacks as the program counter: before, the walk of a stack can begin in it. */
const FIRST_SOUND_WALK = 12;

/**
 * Counts the callers that are outside all code of the log, such as the functions of Node's startup snapshot.
 * `frames` are the final frames of each recorded frame. Inferred callers are not in the log, so the recording is
 * that without them.
 *
 * Before V8 12, a tick in native code that JavaScript called can have a word of the stack for its innermost
 * caller: that one does not count.
 */
export function missingCallers(
  { tree, samples, v8 }: Pick<Recording, "tree" | "samples" | "v8">,
  frames: readonly (readonly Frame[])[],
): MissingCallers {
  const isOutside = Uint8Array.from(frames, ([frame]) =>
    frame?.kind === "unknown" && frame.reason === "unmapped" ? 1 : 0,
  );
  const isNative = (number: number) => {
    const kind = frames[number]![0]?.kind;
    return kind === "native" || kind === "unknown";
  };
  // Plain loops over columns, since this is cold code that runs once over all nodes and samples.
  const { parent, frame: frameOf } = tree;
  const { depth, found: outside } = countInKernel(tree, isOutside) ?? countOnPaths(tree, isOutside);
  const { length: rows, node: nodes, ticks: counts } = samples;
  let [callers, missing, incomplete, interpreted] = [0, 0, 0, 0];
  for (let i = 0; i < rows; i++) {
    const node = nodes[i]!;
    if (node === ROOT) continue;
    const caller = parent[node]!;
    const ticks = counts[i]!;
    callers += depth[caller]! * ticks;
    let lacking = outside[caller]!;
    if (lacking === 0) continue;
    if (isOutside[frameOf[caller]!] === 1) {
      const leaf = frameOf[node]!;
      if (isNative(leaf) && (v8?.major ?? 0) < FIRST_SOUND_WALK) lacking--;
      const [frame] = frames[leaf]!;
      if (frame?.kind === "code" && frame.type === "BytecodeHandler") interpreted += ticks;
    }
    missing += lacking * ticks;
    if (lacking > 0) incomplete += ticks;
  }
  return { callers, missing, ticks: incomplete, interpreted };
}

/** By node: the frames of its stack, and how many of them are wanted. */
interface PathCounts {
  readonly depth: Int32Array;
  readonly found: Int32Array;
}

/** Does what {@link countOnPaths} does. Returns undefined if there is no kernel for it. */
function countInKernel(tree: CallTree, wanted: Uint8Array): PathCounts | undefined {
  const kernel = openTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { length } = tree;
  const marks = kernel.place(wanted);
  const depth = kernel.room(length * Int32Array.BYTES_PER_ELEMENT);
  const found = kernel.room(length * Int32Array.BYTES_PER_ELEMENT);
  kernel.exports.countOnPath(length, kernel.parent, kernel.frame, marks, depth, found);
  return { depth: kernel.integers(depth, length), found: kernel.integers(found, length) };
}

/** Counts the frames on the way to each node. `wanted` has 1 for the frames to find. */
function countOnPaths({ length, parent, frame }: CallTree, wanted: Uint8Array): PathCounts {
  const depth = zeros(Int32Array, length);
  const found = zeros(Int32Array, length);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    depth[node] = depth[caller]! + 1;
    const count = found[caller]! + wanted[frame[node]!]!;
    if (count > 0) found[node] = count; // Memory that is never written to takes no room.
  }
  return { depth, found };
}
