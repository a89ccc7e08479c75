import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { moduleLoads, WORK } from "./module-loads.js";

/**
 * Returns the ticks of loading packages and Node's modules: in the loader, and in the top-level code of modules that
 * are not the program's own, with all that this called. The program can do all of its work while its own modules
 * load, so these do not count.
 */
export function loadingTicks(profile: Pick<Profile, "frames" | "tree" | "samples">): Ticks {
  const { modules, tree, load, work } = moduleLoads(profile);
  const isForeign = new Uint8Array(tree.length);
  for (let at = ROOT + 1; at < tree.length; at++) {
    const { kind } = modules[tree.frame[at]!]!.origin;
    isForeign[at] = kind === "app" ? isForeign[tree.parent[at]!]! : 1;
  }
  let ticks = 0;
  const { samples } = profile;
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const at = load[node]!;
    const isLoader = at !== ROOT && work[node]! >= WORK.resolve;
    if (isForeign[at] === 1 || isLoader) ticks += samples.ticks[i]!;
  }
  return ticks;
}
