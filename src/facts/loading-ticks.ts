import { columnOf } from "../base/columns.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { type ModuleLoads, moduleLoads, WORK } from "./module-loads.js";
import { startupEnds } from "./startup-mark.js";

/**
 * The ticks of loading packages and Node's modules: in the loader, or in the top-level code of modules that are not the program's
 * own, with all that this called. The program can do all of its work while its own modules load, so these do not count.
 */
export interface LoadingTicks {
  /** Until the start-up ends, as `ticks startup` has it; without times, all. */
  readonly startup: Ticks;
  /** After it, and in workers. Of a tool that works as its main module loads: without that work. */
  readonly later: Ticks;
  /** Both by sample. */
  readonly ofSample: { readonly startup: Float64Array; readonly later: Float64Array };
}

/** Returns the ticks of loading. */
export function loadingTicks(profile: Profile): LoadingTicks {
  const loads = moduleLoads(profile);
  const { samples } = profile;
  const { inStartup, isWork } = startupTicks(profile, loads);
  const { load, work } = loads;
  const isForeign = foreignLoads(loads);
  const ofSample = { startup: new Float64Array(samples.length), later: new Float64Array(samples.length) };
  let [startup, later] = [0, 0];
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const at = load[node]!;
    const isLoader = at !== ROOT && work[node]! >= WORK.resolve;
    if (isForeign[at] !== 1 && !isLoader) continue;
    startup += ofSample.startup[i] = inStartup[i]!;
    if (isLoader || isWork[at] !== 1) later += ofSample.later[i] = samples.ticks[i]! - inStartup[i]!;
  }
  return { startup, later, ofSample };
}

/** By sample: its ticks in the start-up; by load: whether a tool works in it after that. */
function startupTicks(profile: Profile, loads: ModuleLoads) {
  const { samples, timeline } = profile;
  const isWork = new Uint8Array(loads.tree.length);
  if (timeline === undefined)
    return { inStartup: columnOf(Float64Array, samples.node, (_, i) => samples.ticks[i]!), isWork };
  const inStartup = new Float64Array(samples.length);
  for (const { ticks, end } of startupEnds(profile, loads, { kind: "loaded" }) ?? []) {
    if (end.working !== undefined) isWork[end.working] = 1;
    for (const tick of ticks) {
      if (timeline.timestamp[tick]! > end.time) break;
      inStartup[timeline.sample[tick]!]! += timeline.ticks?.[tick] ?? 1;
    }
  }
  return { inStartup, isWork };
}

/** By load: whether it is of a package or of Node, or a part of such a load. */
function foreignLoads({ modules, tree }: ModuleLoads): Uint8Array {
  const isForeign = new Uint8Array(tree.length);
  for (let at = ROOT + 1; at < tree.length; at++) {
    const { kind } = modules[tree.frame[at]!]!.origin;
    isForeign[at] = kind === "app" ? isForeign[tree.parent[at]!]! : 1;
  }
  return isForeign;
}
