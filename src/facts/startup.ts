import { addTo, pushTo, valueAt } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { depthFirst, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/sample-table.js";
import { isRecorderFile } from "../profile/stable-files.js";
import { type LoadedModule, type ModuleLoads, moduleLoads } from "./module-loads.js";
import { isLoaderPackage, packageKey } from "./origin.js";
import { type PackageFacts, type StartupAdvice, startupAdvice } from "./startup-advice.js";
import {
  LOAD_PHASES,
  type LoadCost,
  type OtherTicks,
  type PhaseTicks,
  type StartupLoads,
  type StartupPackage,
  startupLoads,
  sumOf,
} from "./startup-loads.js";
import { type StartupEnd, startupEnds, type Until } from "./startup-mark.js";
import { type MovesInput, packageMoves } from "./startup-moves.js";
import { type StartupWork, startupWork } from "./startup-work.js";

export interface StartupModule extends LoadCost, LoadedModule {
  /** The module that loaded it; undefined for none: the main module, and modules in a cycle of imports. */
  readonly parent: string | undefined;
}

export interface LoadRow extends LoadCost {
  readonly module: LoadedModule;
  /** From 0. */
  readonly depth: number;
}

/** What `ticks startup` shows. */
export interface Startup {
  /** Where the start-up of each thread ends. */
  readonly ends: readonly StartupEnd[];
  /** The ticks of the start-up. The modules' own ticks and the other ticks sum to these. */
  readonly ticks: Ticks;
  /** The ticks of the loads of all modules, by phase. */
  readonly phases: PhaseTicks;
  readonly other: OtherTicks;
  /** The program's scripts that V8 made code of until then: files and bundles. */
  readonly files: number;
  /** The modules with ticks, the most own ticks first. */
  readonly modules: readonly StartupModule[];
  /** The most own ticks first. */
  readonly packages: readonly StartupPackage[];
  /** The tree of loads, in the order of reading: each load before those inside of it, the costliest first. */
  readonly loads: readonly LoadRow[];
  /** V8's own account; undefined without `--log-function-events`. */
  readonly work: StartupWork | undefined;
  readonly advice: readonly StartupAdvice[];
}

/**
 * Returns what a start-up cost by module. The profile must have been read with `startup` and a timeline, and must
 * not have shown stacks. Returns undefined if nothing in it has the name that the user gave.
 */
export function startupOf(profile: Profile, until: Until): Startup | undefined {
  const loads = moduleLoads(profile);
  const threads = startupEnds(profile, loads, until);
  if (threads === undefined) return undefined;
  const found = startupLoads(profile, loads, threads);
  const parts = threads.flatMap(({ thread, end }) => {
    const { startup } = profile.info.threads[thread]!;
    return startup === undefined ? [] : [{ startup, until: end.time }];
  });
  const files = new Set(
    parts.flatMap(({ startup, until }) =>
      startup.modules.flatMap(({ file, time }) => (time <= until ? [file] : [])),
    ),
  );
  const startup = {
    ends: threads.map(({ end }) => end),
    ticks: found.ticks,
    phases: sumPhases(found.self),
    other: found.other,
    files: Array.from(files).filter((file) => !file.startsWith("node:") && !isRecorderFile(file)).length,
    modules: modulesOf(found, loads.modules),
    packages: packagesOf(found, loads.modules, usedTicks(profile, loads)),
    loads: Array.from(loadRows(found, loads.modules)),
    work: startupWork(parts, profile.info),
  };
  const main = threads.map(({ end }) => end.main).find((file) => file !== undefined);
  // What a program loaded as it ran, it loads late already.
  if (main === undefined && profile.info.input !== undefined) return { ...startup, advice: [] };
  const facts = packageFacts({ profile, loads, found, threads }, main);
  return { ...startup, advice: startupAdvice(startup, facts) };
}

function packageFacts(input: MovesInput, main: string | undefined): PackageFacts {
  const { modules } = input.loads;
  const { tree } = input.found;
  // A tool that was installed, as npx runs it, is a package and the program.
  const program = new Set(["app app"]);
  if (main !== undefined) program.add(packageKey(modules[input.loads.moduleOf(main)]!.origin));
  const isProgram = ({ origin }: LoadedModule) => program.has(packageKey(origin));
  const ofProgram = new Set<string>();
  for (let load = ROOT + 1; load < tree.length; load++) {
    const parent = tree.parent[load]!;
    const module = modules[tree.frame[load]!]!;
    if (
      !isProgram(module) &&
      !isLoaderPackage(module.origin) &&
      (parent === ROOT || isProgram(modules[tree.frame[parent]!]!))
    )
      ofProgram.add(packageKey(module.origin));
  }
  // What Node loads ahead of the main module is not the program's to move.
  for (const { thread, end } of input.threads) {
    const made = input.profile.info.threads[thread]!.startup?.modules ?? [];
    const before = made.slice(
      0,
      Math.max(
        0,
        made.findIndex(({ file }) => file === end.main),
      ),
    );
    for (const { file } of before) ofProgram.delete(packageKey(modules[input.loads.moduleOf(file)]!.origin));
  }
  return { isProgram, ofProgram, movesOf: packageMoves(input) };
}

function sumPhases(all: readonly PhaseTicks[]): PhaseTicks {
  const sum = { resolve: 0, read: 0, compile: 0, run: 0 };
  for (const phases of all) for (const phase of LOAD_PHASES) sum[phase] += phases[phase];
  return sum;
}

/** Loads of one module or package. */
interface Group {
  readonly self: PhaseTicks[];
  total: Ticks;
  readonly members: Set<number>;
  parent: number;
}

/**
 * Groups loads by a key. The total of a group counts a load once, however many loads of the group are around it.
 */
function groupLoads({ tree, self, total }: StartupLoads, keyOf: (module: number) => string) {
  const groups = new Map<string, Group>();
  const keys = Array.from({ length: tree.length }, (_, load) =>
    load === ROOT ? "" : keyOf(tree.frame[load]!),
  );
  const { nodes, ends } = depthFirst(tree);
  /** By key: where the loads below its last outermost one end. */
  const open = new Map<string, number>();
  for (const [at, load] of nodes.entries()) {
    const key = keys[load]!;
    if (load === ROOT || total[load] === 0) continue;
    const group = valueAt(groups, key, () => ({
      self: [],
      total: 0,
      members: new Set<number>(),
      parent: tree.parent[load]!,
    }));
    group.self.push(self[load]!);
    group.members.add(tree.frame[load]!);
    if (at < (open.get(key) ?? 0)) continue;
    open.set(key, ends[at]!);
    group.total += total[load]!;
  }
  return groups;
}

function costOf({ self, total }: Pick<Group, "self" | "total">): LoadCost {
  const phases = sumPhases(self);
  return { self: sumOf(phases), phases, total };
}

function modulesOf(found: StartupLoads, modules: readonly LoadedModule[]): StartupModule[] {
  const { tree } = found;
  const groups = Array.from(groupLoads(found, String).values(), (group): StartupModule => {
    const parent = group.parent === ROOT ? undefined : modules[tree.frame[group.parent]!]!.file;
    const [module] = group.members;
    return { ...modules[module!]!, ...costOf(group), parent };
  });
  return groups.sort((a, b) => b.self - a.self || b.total - a.total || compareTexts(a.file, b.file));
}

function packagesOf(
  found: StartupLoads,
  modules: readonly LoadedModule[],
  used: ReadonlyMap<string, Ticks>,
): StartupPackage[] {
  const keys = modules.map(({ origin }) => packageKey(origin));
  const groups = Array.from(
    groupLoads(found, (module) => keys[module]!),
    ([key, group]): StartupPackage => {
      const [first] = group.members;
      const { origin } = modules[first!]!;
      return { origin, modules: group.members.size, used: used.get(key) ?? 0, ...costOf(group) };
    },
  );
  return groups.sort(
    (a, b) =>
      b.self - a.self || b.total - a.total || compareTexts(packageKey(a.origin), packageKey(b.origin)),
  );
}

/**
 * Returns the ticks in the code of each package, and in what it called, outside of its own loads. A stack counts
 * once.
 */
function usedTicks(
  { frames, tree, samples }: Profile,
  { modules, load, tree: loads, originOfFrame }: ModuleLoads,
): Map<string, Ticks> {
  const ticks = stackTicks(tree, samples);
  const keys = frames.map((frame, i) => (frame.kind === "js" ? packageKey(originOfFrame[i]!) : ""));
  const used = new Map<string, Ticks>();
  const { nodes, ends } = depthFirst(tree);
  /** By package: where what is below its last outermost frame or load ends. */
  const open = new Map<string, number>();
  for (const [at, node] of nodes.entries()) {
    if (node === ROOT) continue;
    const key = keys[tree.frame[node]!]!;
    const own = load[node]!;
    const loaded = own === load[tree.parent[node]!] ? "" : packageKey(modules[loads.frame[own]!]!.origin);
    for (const name of new Set([key, loaded])) {
      if (name === "" || at < (open.get(name) ?? 0)) continue;
      open.set(name, ends[at]!);
      if (name !== loaded) addTo(used, name, ticks[node]!);
    }
  }
  return used;
}

function* loadRows(found: StartupLoads, modules: readonly LoadedModule[]): Iterable<LoadRow> {
  const { tree, self, total } = found;
  const children = new Map<number, number[]>();
  for (let load = ROOT + 1; load < tree.length; load++) pushTo(children, tree.parent[load]!, load);
  const left: { readonly load: number; readonly depth: number }[] = [];
  const push = (load: number, depth: number) => {
    const sorted = (children.get(load) ?? []).filter((child) => total[child]! > 0);
    const fileOf = (child: number) => modules[tree.frame[child]!]!.file;
    sorted.sort((a, b) => total[a]! - total[b]! || compareTexts(fileOf(b), fileOf(a)));
    for (const child of sorted) left.push({ load: child, depth });
  };
  push(ROOT, 0);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { load, depth } = next;
    const phases = self[load]!;
    yield { module: modules[tree.frame[load]!]!, depth, self: sumOf(phases), phases, total: total[load]! };
    push(load, depth + 1);
  }
}
