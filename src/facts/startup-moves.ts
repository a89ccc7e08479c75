import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { gapLimit } from "../profile/sampling.js";
import type { ModuleLoads } from "./module-loads.js";
import { originOfFile, packageKey } from "./origin.js";
import type { StartupLoads } from "./startup-loads.js";
import type { StartingThread } from "./startup-mark.js";

const NODE = packageKey(originOfFile("node:", true));

/** What would leave a start-up if a package were loaded where it is first used. */
export interface PackageMove {
  /** Whether the start-up uses it outside of its load, so that nothing would leave. */
  readonly isNeeded: boolean;
  /** The ticks of its loads and what they load, without packages that something else uses in the start-up. */
  readonly ticks: Ticks;
}

/** A sign that the code of a package ran in a start-up: the package, and the load that it ran in. */
interface Use {
  readonly key: string;
  readonly load: number;
}

/** What {@link packageMoves} looks at. */
export interface MovesInput {
  readonly profile: Profile;
  readonly loads: ModuleLoads;
  readonly found: StartupLoads;
  readonly threads: readonly StartingThread[];
}

/** Returns a function that returns what would move with a package, by its key. */
export function packageMoves(input: MovesInput): (key: string) => PackageMove {
  const { loads, found } = input;
  const { tree, total } = found;
  const keys = Array.from({ length: tree.length }, (_, load) =>
    load === ROOT ? "" : packageKey(loads.modules[tree.frame[load]!]!.origin),
  );
  const isIn = isInLoadOf(keys, tree.parent);
  const uses = [...usesOnStacks(input, isIn), ...usesOfCode(input, isIn)];
  return (key) => {
    const inside = new Uint8Array(tree.length);
    for (let load = ROOT + 1; load < tree.length; load++)
      inside[load] = keys[load] === key ? 1 : inside[tree.parent[load]!]!;
    const kept = new Set<string>();
    for (const use of uses) if (inside[use.load] === 0) kept.add(use.key);
    for (let load = ROOT + 1; load < tree.length; load++)
      if (inside[load] === 0 && total[load]! > 0) kept.add(keys[load]!);
    kept.delete(NODE); // It is used everywhere, but not each module of it.
    let ticks = 0;
    /** Whether a load would stay: it is outside, or it or one around it is of a package that is used otherwise. */
    const stays = new Uint8Array(tree.length);
    stays[ROOT] = 1;
    for (let load = ROOT + 1; load < tree.length; load++) {
      const parent = tree.parent[load]!;
      const isKept = inside[load] === 0 || (keys[load] !== key && kept.has(keys[load]!));
      stays[load] = isKept || (inside[parent] === 1 && stays[parent] === 1) ? 1 : 0;
      if (stays[load] === 0 && stays[parent] === 1) ticks += total[load]!;
      else if (stays[load] === 1 && stays[parent] === 0) ticks -= total[load]!;
    }
    return { isNeeded: kept.has(key), ticks };
  };
}

/** Returns a function that returns whether a load is one of a package, or inside of one. */
function isInLoadOf(keys: readonly string[], parent: Int32Array): (load: number, key: string) => boolean {
  return (load, key) => {
    for (let at = load; at !== ROOT; at = parent[at]!) if (keys[at] === key) return true;
    return false;
  };
}

type IsIn = (load: number, key: string) => boolean;

/** Returns the packages whose code is on a stack outside of their loads. */
function usesOnStacks({ profile, loads, threads }: MovesInput, isIn: IsIn): Use[] {
  const { frames, tree, samples, timeline } = profile;
  const keys = frames.map((frame, i) => (frame.kind === "js" ? packageKey(loads.originOfFrame[i]!) : ""));
  const isSeen = new Uint8Array(tree.length);
  const uses: Use[] = [];
  for (const { ticks, end } of threads) {
    for (const tick of ticks) {
      if (timeline!.timestamp[tick]! > end.time) break;
      let node = samples.node[timeline!.sample[tick]!]!;
      for (; node !== ROOT && isSeen[node] === 0; node = tree.parent[node]!) {
        isSeen[node] = 1;
        const key = keys[tree.frame[node]!]!;
        const load = loads.load[node]!;
        if (key !== "" && !isIn(load, key)) uses.push({ key, load });
      }
    }
  }
  return uses;
}

/**
 * Returns the packages whose functions V8 compiled, or saw run, outside of their loads: most run for a shorter time
 * than it is between two ticks. The load is that of the next tick.
 */
function usesOfCode({ profile, loads, threads }: MovesInput, isIn: IsIn): Use[] {
  const { samples, timeline, info } = profile;
  const uses: Use[] = [];
  for (const { thread, ticks, end } of threads) {
    const { startup, sampling } = info.threads[thread]!;
    if (startup === undefined) continue;
    const runs = startup.functions.concat(firstRuns(startup)).sort((a, b) => a.time - b.time);
    const loadOf = (index: number) => loads.load[samples.node[timeline!.sample[ticks[index]!]!]!]!;
    // The last tick of a load is not yet its end: what is before the next tick is still of the start-up.
    const after = ticks.find((tick) => timeline!.timestamp[tick]! > end.time);
    const following = after === undefined ? Number.POSITIVE_INFINITY : timeline!.timestamp[after]!;
    const last =
      end.by === "loaded" ? Math.min(following, end.time + gapLimit(sampling ?? info.sampling)) : end.time;
    let [next, made, hasRun] = [0, 0, false];
    for (const { time, file } of runs) {
      if (time > last) break;
      const key = packageKey(originOfFile(file, true));
      for (; startup.modules[made] !== undefined && startup.modules[made]!.time <= time; made++)
        hasRun = false;
      for (; next < ticks.length && timeline!.timestamp[ticks[next]!]! < time; next++)
        hasRun ||= isIn(loadOf(next), key);
      // What is compiled with a script, before that runs, was not called by anyone.
      if (startup.modules[made - 1]?.file === file && !hasRun) continue;
      if (next < ticks.length && !isIn(loadOf(next), key)) uses.push({ key, load: loadOf(next) });
    }
  }
  return uses;
}

const FIRST_RUN = /^first-execution/;

/** Returns the first runs of functions of packages, by `--log-function-events`. */
function firstRuns({
  events,
  scripts,
}: NonNullable<Profile["info"]["threads"][number]["startup"]>): { time: Micros; file: string }[] {
  const isRun = events.names.map((name) => FIRST_RUN.test(name));
  const runs: { time: Micros; file: string }[] = [];
  for (let i = 0; i < events.length; i++) {
    if (!isRun[events.name[i]!] || events.start[i]! <= 0) continue;
    const file = scripts.get(events.script[i]!)?.url ?? "";
    if (file.includes("node_modules")) runs.push({ time: events.timestamp[i]!, file });
  }
  return runs;
}
