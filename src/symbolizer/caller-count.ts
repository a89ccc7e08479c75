import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { MissingCallers } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { Recording } from "../recorder/recording.js";

/** The first V8 that logs native callbacks as the program counter: before, the walk of a stack can begin in it. */
const FIRST_SOUND_WALK = 12;
/** Ends the name of a function of the runtime: Node's own since Node 16, the first with a snapshot of them, and Deno's. */
const RUNTIME = / (?:node|ext):[^ ]*$/;

/** What is known about the callers on the stacks of a log. */
export interface CallerCounts {
  readonly missing: MissingCallers;
  /** The ticks with a frame whose position is lost. */
  readonly lost: Ticks;
}

type CountedStacks = Pick<Recording, "tree" | "samples">;

/**
 * Counts the callers that are outside all code of the log, such as the functions of Node's startup snapshot.
 * `frames` are the final frames of each recorded frame, and `isLost` tells of which one the position is lost. Inferred
 * callers are not in the log, so the recording is that without them.
 *
 * Before V8 12, a tick in native code that JavaScript called can have a word of the stack for its innermost
 * caller: that one does not count.
 */
export function callerCounts(
  recording: CountedStacks & Pick<Recording, "v8">,
  frames: readonly (readonly Frame[])[],
  isLost: (number: number) => boolean,
): CallerCounts {
  const isSound = (recording.v8?.major ?? 0) >= FIRST_SOUND_WALK;
  const { length } = frames;
  const marks: FrameMarks = {
    isOutside: new Uint8Array(length),
    isNative: new Uint8Array(length),
    isHandler: new Uint8Array(length),
    isLost: new Uint8Array(length),
    isProgram: new Uint8Array(length),
  };
  // Plain loops, since this is cold code.
  for (let number = 0; number < length; number++) {
    const frame = frames[number]![0]!;
    const { kind } = frame;
    if (kind === "unknown" && frame.reason === "unmapped") marks.isOutside[number] = 1;
    if (!isSound && (kind === "native" || kind === "unknown")) marks.isNative[number] = 1;
    if (kind === "code" && frame.type === "BytecodeHandler") marks.isHandler[number] = 1;
    if (isLost(number)) marks.isLost[number] = 1;
    if (kind === "js" && !RUNTIME.test(frame.name)) marks.isProgram[number] = 1;
  }
  return sumsOnPaths(recording, marks);
}

/** By frame: what is to be known of it, 1 if it is so. */
interface FrameMarks {
  /** It is outside all code of the log. */
  readonly isOutside: Uint8Array;
  /** It may have a word of the stack for its caller. */
  readonly isNative: Uint8Array;
  /** It is a handler of the interpreter. */
  readonly isHandler: Uint8Array;
  /** Its position is lost. */
  readonly isLost: Uint8Array;
  /** It is JavaScript, but none of the runtime. */
  readonly isProgram: Uint8Array;
}

/** Adds up what the ticks of stacks say. */
function sumsOnPaths(
  { tree, samples }: CountedStacks,
  { isOutside, isNative, isHandler, isLost, isProgram }: FrameMarks,
): CallerCounts {
  const { length, parent, frame } = tree;
  const depth = new Int32Array(length);
  /** By node: the callers outside. */
  const found = new Int32Array(length);
  const hasLost = new Uint8Array(length);
  /** By node: the callers outside that are below a function of the program; -1 if there is no such function. */
  const below = new Int32Array(length);
  below[ROOT] = -1;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const number = frame[node]!;
    depth[node] = depth[caller]! + 1;
    const count = found[caller]! + isOutside[number]!;
    if (count > 0) found[node] = count; // Memory that is never written to takes no room.
    if (hasLost[caller] === 1 || isLost[number] === 1) hasLost[node] = 1;
    const inProgram = below[caller]!;
    below[node] = inProgram < 0 ? isProgram[number]! - 1 : inProgram + isOutside[number]!;
  }
  const { length: rows, node: nodes, ticks: counts } = samples;
  let [callers, missing, incomplete, belowProgram, interpreted, lost] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < rows; i++) {
    const node = nodes[i]!;
    if (node === ROOT) continue;
    const caller = parent[node]!;
    const ticks = counts[i]!;
    callers += depth[caller]! * ticks;
    if (hasLost[node] === 1) lost += ticks;
    let lacking = found[caller]!;
    let inProgram = below[caller]!;
    if (lacking === 0) continue;
    if (isOutside[frame[caller]!] === 1) {
      const leaf = frame[node]!;
      lacking -= isNative[leaf]!;
      inProgram -= isNative[leaf]!;
      if (isHandler[leaf] === 1) interpreted += ticks;
    }
    missing += lacking * ticks;
    if (lacking > 0) incomplete += ticks;
    if (inProgram > 0) belowProgram += ticks;
  }
  return { missing: { callers, missing, ticks: incomplete, belowProgram, interpreted }, lost };
}
