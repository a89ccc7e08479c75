import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import { zeros } from "../profile/long-column.js";
import type { MissingCallers } from "../profile/profile.js";
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
  const depth = zeros(Int32Array, tree.length);
  const outside = zeros(Int32Array, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    depth[node] = depth[tree.parent[node]!]! + 1;
    const missing = outside[tree.parent[node]!]! + isOutside[tree.frame[node]!]!;
    if (missing > 0) outside[node] = missing; // Memory that is never written to takes no room.
  }
  const sums = { callers: 0, missing: 0, ticks: 0, interpreted: 0 };
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (node === ROOT) continue;
    const leaf = tree.frame[node]!;
    const caller = tree.parent[node]!;
    const isBelow = caller !== ROOT && isOutside[tree.frame[caller]!] === 1;
    const isDoubtful = isBelow && isNative(leaf) && (v8?.major ?? 0) < FIRST_SOUND_WALK;
    const missing = outside[caller]! - (isDoubtful ? 1 : 0);
    const ticks = samples.ticks[i]!;
    sums.callers += depth[caller]! * ticks;
    sums.missing += missing * ticks;
    if (missing > 0) sums.ticks += ticks;
    const [frame] = frames[leaf]!;
    if (isBelow && frame?.kind === "code" && frame.type === "BytecodeHandler") sums.interpreted += ticks;
  }
  return sums;
}
