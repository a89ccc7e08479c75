import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { moveSamples } from "./filter.js";
import type { Profile } from "./profile.js";

/**
 * Returns the profile without unknown addresses among callers, where they carry no information: Node's
 * startup snapshot has functions that V8 never logs. An unknown address that has ticks itself stays.
 */
export function dropUnknownCallers(profile: Profile): Profile {
  const { frames, tree, samples } = profile;
  const isUnknown = Uint8Array.from(frames, ({ kind }) => (kind === "unknown" ? 1 : 0));
  if (!hasUnknownCaller(tree, isUnknown)) return profile;
  const known = new CallTreeBuilder();
  const nodes = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const caller = nodes[tree.parent[node]!]!;
    nodes[node] = isUnknown[tree.frame[node]!] === 1 ? caller : known.child(caller, tree.frame[node]!);
  }
  const moved = moveSamples(profile, (sample) => {
    const node = samples.node[sample]!;
    const frame = tree.frame[node]!;
    return isUnknown[frame] === 1 ? known.child(nodes[node]!, frame) : nodes[node]!;
  });
  return { ...moved, tree: known.finish() };
}

function hasUnknownCaller({ length, parent, frame }: CallTree, isUnknown: Uint8Array): boolean {
  for (let node = ROOT + 1; node < length; node++) if (isUnknown[frame[parent[node]!]!] === 1) return true;
  return false;
}
