import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { moveSamples } from "../profile/filter.js";
import type { Frame, JsFrame } from "../profile/frame.js";
import { FrameTable, frameKeys } from "../profile/frame-keys.js";
import type { Profile } from "../profile/profile.js";
import { regroup } from "../profile/stacks.js";
import type { Origin, OriginKind } from "./origin.js";
import { isLoaderFrame } from "./package-ticks.js";
import { treeOrigins } from "./tree-origins.js";

/** Stands for native code and V8's own that no JavaScript called. */
const NATIVE: Frame = { kind: "native", library: "native code", symbol: "(native code and V8)" };

/**
 * Returns the profile with one frame for all functions of a package that call each other. Native code, V8's builtins
 * and Node's module loader belong to the package that called them; Node's other JavaScript has frames of its own.
 */
export function packageStacks(profile: Profile): Profile {
  const { frames, tree, samples } = profile;
  const isLoader = frames.map(isLoaderFrame());
  const table = new FrameTable<Frame>(frameKeys());
  const native = table.intern(NATIVE);
  const origins = treeOrigins(profile);
  /** By frame: its package's frame; -1 for code that belongs to its caller. */
  const packages = frames.map((frame, i) =>
    frame.kind !== "js" || origins[i]!.kind === "v8" ? -1 : table.intern(packageFrame(origins[i]!)),
  );
  const grouped = new CallTreeBuilder();
  /** By node: 1 if Node's loader is the last that a package called. */
  const isLoading = new Uint8Array(tree.length);
  const nodes = regroup(tree, grouped, (into, caller, node) => {
    const frame = tree.frame[node]!;
    const wasLoading = isLoading[tree.parent[node]!]!;
    const own = packages[frame]!;
    const hasCaller = caller !== ROOT && into.frame[caller] !== native;
    const isNodes = own >= 0 && origins[frame]!.kind === "node";
    const isLoad = isNodes && hasCaller && (isLoader[frame]! || wasLoading === 1);
    isLoading[node] = own < 0 ? wasLoading : isLoad ? 1 : 0;
    if (own < 0 || isLoad) return caller === ROOT ? into.child(ROOT, native) : caller;
    return hasCaller && into.frame[caller] === own ? caller : into.child(caller, own);
  });
  const moved = moveSamples(profile, (sample) => {
    const node = samples.node[sample]!;
    return node === ROOT ? grouped.child(ROOT, native) : nodes[node]!;
  });
  return { ...moved, frames: table.frames, tree: grouped.finish(), sources: [] };
}

/** Returns a frame that stands for a package, with a position from which its origin is known again. */
function packageFrame({ kind, name }: Origin): JsFrame {
  const shown = PACKAGE_NAMES[kind] ?? `${name} /node_modules/${name}/`;
  return { kind: "js", type: "JS", tier: "", name: `${shown}:1:1`, line: 0, inlined: false };
}

const PACKAGE_NAMES: Partial<Record<OriginKind, string>> = {
  app: "(the program) app",
  node: "(Node) node:",
  recorder: "(ticks record) /dist/record/preload.cjs",
};
