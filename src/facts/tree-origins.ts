import { marksOf } from "../base/columns.js";
import { ROOT } from "../profile/call-tree.js";
import type { JsFrame } from "../profile/frame.js";
import { isEvaluated, parseLoggedName } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import {
  isNodesPart,
  isWebAssembly,
  MADE_AT_RUN_TIME,
  type Origin,
  originsOf,
  packageKey,
} from "./origin.js";

/**
 * Returns the origins of the frames of a profile, also where only their callers tell: of WebAssembly without names, and of code that was
 * made from text and has no file.
 */
export function treeOrigins({ frames, tree }: Pick<Profile, "frames" | "tree">): Origin[] {
  const origins = originsOf(frames);
  nameWebAssembly(origins, { frames, tree });
  nameMadeCode(origins, { frames, tree });
  return origins;
}

/** WebAssembly without names is Node's own if only a part of Node calls it. */
function nameWebAssembly(origins: Origin[], { frames, tree }: Pick<Profile, "frames" | "tree">): void {
  const isWasm = marksOf(frames, (frame) => frame.kind === "js" && isWebAssembly(frame.name));
  if (!isWasm.includes(1)) return;
  const isPart = marksOf(frames, (frame, i) => isNodesPart(frame, origins[i]!));
  /** By node: the JavaScript that runs or has called it; -1 for none. */
  const caller = new Int32Array(tree.length).fill(-1);
  const ofNode = new Map<number, boolean>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const above = caller[tree.parent[node]!]!;
    caller[node] = frames[frame]!.kind === "js" && isWasm[frame] === 0 ? frame : above;
    if (isWasm[frame] === 1) ofNode.set(frame, (ofNode.get(frame) ?? true) && isPart[above] === 1);
  }
  for (const [frame, isNodes] of ofNode) if (isNodes) origins[frame] = origins[isPart.indexOf(1)]!;
}

/**
 * Code without a file is of the package whose code alone calls it. Of several packages, nothing tells which one made it. It is the
 * program's where that calls it itself, and where nobody does.
 */
function nameMadeCode(origins: Origin[], { frames, tree }: Pick<Profile, "frames" | "tree">): void {
  const isMade = marksOf(
    frames,
    (frame) => frame.kind === "js" && !isWebAssembly(frame.name) && hasNoFile(frame.name),
  );
  if (!isMade.includes(1)) return;
  const isOwner = marksOf(frames, (_, i) => isMade[i] === 0 && ["app", "deps"].includes(origins[i]!.kind));
  /** By node: the frame of the program or of a package that called it; -1 for none. */
  const caller = new Int32Array(tree.length).fill(-1);
  /** By name: a function has frames at several lines, and one that may be on no stack. */
  const found = new Map<string, Origin>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const above = caller[tree.parent[node]!]!;
    caller[node] = isOwner[frame] === 1 ? frame : above;
    if (isMade[frame] === 0) continue;
    const own = above < 0 ? origins[frame]! : origins[above]!;
    const { name } = frames[frame] as JsFrame;
    const known = found.get(name);
    if (known === undefined || own.kind === "app") found.set(name, own);
    else if (known.kind === "deps" && packageKey(known) !== packageKey(own))
      found.set(name, MADE_AT_RUN_TIME);
  }
  for (let i = 0; i < frames.length; i++) {
    if (isMade[i] === 1) origins[i] = found.get((frames[i] as JsFrame).name) ?? origins[i]!;
  }
}

function hasNoFile(name: string): boolean {
  const { file } = parseLoggedName(name);
  return file === "" || (file !== undefined && isEvaluated(file));
}
