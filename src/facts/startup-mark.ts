import type { Micros } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import { gapLimit } from "../profile/sampling.js";
import type { ModuleCode } from "../profile/startup-log.js";
import { GC, isIdle, vmState } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { findFiles } from "./file-search.js";
import { findFunctions } from "./function-search.js";
import { type ModuleLoads, WORK } from "./module-loads.js";
import { isLoaderPackage } from "./origin.js";

/** Where a start-up ends, as a user asks for it. */
export type Until =
  | { readonly kind: "loaded" }
  /** The end of the log: `--until` of `ticks record` stopped the program there. */
  | { readonly kind: "stop" }
  | { readonly kind: "first-idle" }
  | { readonly kind: "time"; readonly milliseconds: number }
  | { readonly kind: "mark"; readonly name: string };

/** Where the start-up of a thread ends. */
export interface StartupEnd {
  /** The thread's number in the profile. */
  readonly thread: number;
  /**
   * What ends it: all modules that the main module needs are loaded; the time; the first idle tick, or the first gap
   * between ticks; the first tick of what the user named; where the recording was stopped; or the log.
   */
  readonly by: "loaded" | "time" | "first-idle" | "mark" | "stop" | "log";
  /** Its last moment, in microseconds since the log of the thread began. */
  readonly time: Micros;
  /** The module that the program begins with; undefined if none has a tick. */
  readonly main: string | undefined;
  /** The load of the module that does the program's work after that as it loads, of a tool; undefined if none does. */
  readonly working?: number;
}

/** The ticks of one thread, in order, as rows of the timeline. */
export interface ThreadTicks {
  readonly thread: number;
  readonly ticks: readonly number[];
}

/**
 * A gap without ticks is idle if it is at least so long: a busy machine makes shorter ones. Where V8 ticks a thread that
 * waits, no gap is.
 */
const LEAST_GAP: Micros = 20_000;
/** So long a wait ends the loading of modules: shorter ones are for files that the loader reads. */
const LONG_GAP: Micros = 100_000;

/**
 * Returns the ticks of the threads that start the program: all main threads, or all there are if none is a main
 * thread. Returns none for a profile without samples, which has no times either.
 */
function startingThreads({ timeline, samples, info }: Profile): ThreadTicks[] {
  const isMain = ({ kind }: ThreadInfo) => kind !== "worker";
  if (timeline === undefined) return [];
  const all = info.threads.every((thread) => !isMain(thread));
  const found = info.threads.map((_, thread): { thread: number; ticks: number[] } => ({ thread, ticks: [] }));
  const { length, sample } = timeline;
  for (let i = 0; i < length; i++) found[samples.thread[sample[i]!]!]!.ticks.push(i);
  return found.filter(({ thread }) => all || isMain(info.threads[thread]!));
}

/** A thread that starts the program, and where its start-up ends. */
export interface StartingThread extends ThreadTicks {
  readonly end: StartupEnd;
}

/** Returns where the start-ups of a profile end; undefined if nothing in it has the name that the user gave. */
export function startupEnds(
  profile: Profile,
  loads: ModuleLoads,
  until: Until,
): StartingThread[] | undefined {
  const mark = until.kind === "mark" ? nodesOfMark(until.name, profile) : undefined;
  if (until.kind === "mark" && mark === undefined) return undefined;
  return startingThreads(profile).map((thread) => ({
    ...thread,
    end: startupEnd(thread, until, { profile, loads, mark }),
  }));
}

/** Returns the nodes of a profile with the function or file of a name on their stack; undefined if there are none. */
function nodesOfMark(name: string, profile: Profile): Uint8Array | undefined {
  const { frames, tree, table, functionTicks: ticks } = Analysis.of(profile);
  const isMark = new Uint8Array(table.functions.length);
  const files = new Set(
    findFiles(
      name,
      table.functions.flatMap(({ file, kind }) => (kind === "js" && file ? [file] : [])),
    ),
  );
  const found = files.size > 0 ? undefined : findFunctions(name, { table, ticks, frames });
  for (const id of found?.ids ?? []) isMark[id] = 1;
  for (const [id, { file, kind }] of table.functions.entries())
    if (kind === "js" && file !== undefined && files.has(file)) isMark[id] = 1;
  if (!isMark.includes(1)) return undefined;
  const isIn = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isIn[node] = isIn[tree.parent[node]!]! | isMark[table.ofFrame[tree.frame[node]!]!]!;
  return isIn;
}

/** What {@link startupEnd} looks at. */
interface StartupTicks {
  readonly profile: Profile;
  readonly loads: ModuleLoads;
  /** The nodes of a mark, if the user named one. */
  readonly mark: Uint8Array | undefined;
}

/** Returns where the start-up of a thread ends. */
function startupEnd(of: ThreadTicks, until: Until, found: StartupTicks): StartupEnd {
  const { thread, ticks } = of;
  const main = mainModule(of, found);
  const { timestamp } = found.profile.timeline!;
  const timeOf = (index: number) => timestamp[ticks[index]!]!;
  const atEnd = { thread, by: "log", time: Number.POSITIVE_INFINITY, main } as const;
  switch (until.kind) {
    case "stop":
      return { ...atEnd, by: "stop" };
    case "time":
      return { thread, by: "time", time: until.milliseconds * 1000, main };
    case "mark": {
      const first = ticks.findIndex((tick) => found.mark?.[nodeOf(found, tick)] === 1);
      return first < 0 ? atEnd : { thread, by: "mark", time: before(timeOf(first)), main };
    }
    case "first-idle": {
      const first = firstIdle(of, main, found);
      return first < 0 ? atEnd : { thread, by: "first-idle", time: before(timeOf(first)), main };
    }
    case "loaded": {
      // A profile that began later has modules that were loaded on demand.
      if (main === undefined && found.profile.info.input !== undefined) return atEnd;
      const last = lastOfLoad(of, main, found);
      if (last < 0) return atEnd;
      const work = longWork(of, last, found);
      return { thread, by: "loaded", time: timeOf(work?.loaded ?? last), main, ...work?.in };
    }
  }
}

/** Returns the last moment before another, in whole microseconds. */
function before(time: Micros): Micros {
  return Math.ceil(time) - 1;
}

function nodeOf({ profile: { samples, timeline } }: Pick<StartupTicks, "profile">, tick: number): number {
  return samples.node[timeline!.sample[tick]!]!;
}

/** Matches the top-level code of Node's script that runs a program: preloads, then the main module. */
const NODE_MAIN = /^ (?:node:)?internal\/main\/[\w-]+(?:\.js)?:1:1$/;

/**
 * Returns the file of the module that the program begins with. Modules of `--require` come before, and what `ticks
 * record` loads. Where the log does not say when Node turned to the main module, its stacks do: as long as Node's own
 * script calls one module after the other, or works between two of them, each before the last was a preload.
 */
function mainModule({ ticks, thread }: ThreadTicks, { profile, loads }: StartupTicks): string | undefined {
  const { modules = [], entry } = profile.info.threads[thread]!.startup ?? {};
  const numberOf = ({ file }: ModuleCode) => loads.moduleOf(file);
  const isOfProgram = (module: number) => {
    const { origin } = loads.modules[module]!;
    return origin.kind !== "node" && origin.kind !== "recorder" && !isLoaderPackage(origin);
  };
  const made = modules.filter((one) => isOfProgram(numberOf(one)));
  // A program may be such a package itself.
  const isRuntimes = (one: ModuleCode) =>
    ["node", "recorder"].includes(loads.modules[numberOf(one)]!.origin.kind);
  const all = made.length > 0 ? made : modules.filter((one) => !isRuntimes(one));
  // Profiles do not say which modules were made.
  if (modules.length === 0) {
    const isOfRun = nodesOfRun(profile, loads);
    for (const tick of ticks) {
      const node = nodeOf({ profile }, tick);
      const module = isOfRun[node] === 1 ? undefined : outermost(loads, node);
      if (module !== undefined && isOfProgram(module)) return loads.modules[module]!.file;
    }
    return undefined;
  }
  if (entry !== undefined) return (all.find(({ time }) => time >= entry) ?? all[0])?.file;
  const { frames, tree, timeline } = profile;
  const isMain = frames.map((frame) => frame.kind === "js" && NODE_MAIN.test(frame.name));
  const isBelow = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isBelow[node] = isMain[tree.frame[node]!] ? 1 : isBelow[tree.parent[node]!]!;
  const isOwn = new Set(all.map(numberOf));
  let [main, next] = [all[0] && numberOf(all[0]), 1];
  /** Whether the module has run, and whether Node's script has worked since, for the next one. */
  let [hasRun, goesOn] = [false, false];
  for (const tick of ticks) {
    for (; next < all.length && all[next]!.time <= timeline!.timestamp[tick]!; next++) {
      if (goesOn) [main, hasRun, goesOn] = [numberOf(all[next]!), false, false];
    }
    const node = nodeOf({ profile }, tick);
    const module = outermost(loads, node);
    if (isBelow[node] === 0) {
      if (module !== undefined || loads.work[node] === WORK.program) goesOn = false;
    } else if (module === undefined) goesOn = hasRun;
    else if (isOwn.has(module)) [main, hasRun, goesOn] = [module, true, false];
  }
  return main === undefined ? undefined : loads.modules[main]!.file;
}

/** Matches scripts of Node that run the main module: hooks of the program may be between them and that. */
const NODE_RUN =
  / (?:node:)?internal\/(?:main\/|modules\/run_main|bootstrap\/node)|^\S* (?:bootstrap_node|node)\.js:/;

/**
 * Returns the nodes of a profile below a function of the program that no load of a module called: it ran already, and what it loads is
 * no main module.
 */
function nodesOfRun({ frames, tree }: Profile, { load, originOfFrame }: ModuleLoads): Uint8Array {
  const [START, RUN] = [2, 1];
  const kinds = frames.map((frame, i) => {
    if (frame.kind !== "js") return 0;
    const origin = originOfFrame[i]!;
    if (origin.kind === "node") return NODE_RUN.test(frame.name) ? START : 0;
    return (origin.kind === "app" || origin.kind === "deps") && !isLoaderPackage(origin) ? RUN : 0;
  });
  const found = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const kind = load[node] === ROOT ? kinds[tree.frame[node]!]! : 0;
    found[node] = found[tree.parent[node]!]! || kind;
  }
  return found;
}

/** Returns the number of the module whose load is outermost at a node; undefined for none. */
function outermost({ load, tree }: ModuleLoads, node: number): number | undefined {
  let at = load[node]!;
  if (at === ROOT) return undefined;
  while (tree.parent[at] !== ROOT) at = tree.parent[at]!;
  return tree.frame[at];
}

/** The program works if it has so many ticks outside of loads, one after the other, and this part of all so far. */
const LEAST_WORK = 20;
const WORK_PART = 0.25;

/**
 * Returns the index of the last tick of the main module and of the modules that it needs; -1 if no module has a
 * tick. Programs also load modules from callbacks, so these count until the program waits or works for a while. If
 * the main module itself comes later, as it does with `import`, the start-up ends with that.
 */
function lastOfLoad({ thread, ticks }: ThreadTicks, main: string | undefined, found: StartupTicks): number {
  const { load, tree, work } = found.loads;
  const mainId = main === undefined ? -1 : found.loads.moduleOf(main);
  const isMain = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isMain[node] = tree.frame[node] === mainId ? 1 : isMain[tree.parent[node]!]!;
  const hasWaited = waits(ticks, thread, { ...found, gap: LONG_GAP });
  // Profiles name no module that was made: what the main one does after it first waited is the program.
  const isProfile = found.profile.info.input !== undefined;
  let [last, outside, isOver, hasRun] = [-1, 0, false, false];
  for (const [i, tick] of ticks.entries()) {
    const node = nodeOf(found, tick);
    const at = load[node]!;
    if (last >= 0 && hasWaited(i)) isOver = true;
    if (at !== ROOT) {
      outside = 0;
      const isOfMain = isMain[at] === 1;
      if (isOfMain && !hasRun && isProfile) isOver = false;
      if (isOfMain) hasRun = true;
      if (!isOver || (isOfMain && !isProfile)) last = i;
    } else if (work[node] === WORK.program && ++outside >= Math.max(LEAST_WORK, WORK_PART * i) && last >= 0)
      isOver = true;
  }
  return last;
}

/** The states of V8 in which stacks do not tell whether a module works or the loader. */
const UNTOLD: ReadonlySet<number> = new Set([GC, vmState("parser"), vmState("bytecode-compiler")]);

/** So long a work in the code of modules may be all that the program is for. */
const LONG_WORK: Micros = 250_000;

/**
 * Returns the load that never ends in which a module works for long, with the index of the last tick of loading before that, if the
 * program ends with it: a compiler or another tool does all of its work as its main module loads. Otherwise undefined: what a
 * program calculates before it serves is a part of its start-up.
 */
function longWork({ thread, ticks }: ThreadTicks, last: number, found: StartupTicks) {
  const { load, tree, work, isHidden } = found.loads;
  const { samples, timeline } = found.profile;
  const hasWaited = waits(ticks, thread, { ...found, gap: LONG_GAP });
  let after = 0;
  for (let i = last + 1; i < ticks.length; i++) {
    if (work[nodeOf(found, ticks[i]!)] === WORK.program) after++;
    if (hasWaited(i) || after > WORK_PART * last) return undefined;
  }
  const own = new Float64Array(tree.length);
  for (let i = 0; i <= last; i++) own[load[nodeOf(found, ticks[i]!)]!]! += 1;
  /** Of the loads that never end, the one with most ticks. */
  let longest = load[nodeOf(found, ticks[last]!)]!;
  for (let at = longest; at !== ROOT; at = tree.parent[at]!) if (own[at]! > own[longest]!) longest = at;
  const { timestamp, sample } = timeline!;
  let [loaded, worked] = [0, 0];
  for (let i = 0; i <= last; i++) {
    const node = nodeOf(found, ticks[i]!);
    // The collector has no stack; and what the module calls may be the loader, which compiles the next one.
    if (isHidden[node] === 1 || UNTOLD.has(samples.vmState[sample[ticks[i]!]!]!)) continue;
    if (work[node] === WORK.run && load[node] === longest) worked++;
    else if (load[node] !== ROOT || worked === 0) [loaded, worked] = [i, 0];
    const time = timestamp[ticks[i]!]! - timestamp[ticks[loaded]!]!;
    if (worked >= LEAST_WORK && i - loaded >= WORK_PART * i && time >= LONG_WORK)
      return { loaded, in: { working: longest } };
  }
  return undefined;
}

/**
 * Returns a function that returns whether the thread waited before a tick: whether it is idle, or comes after a gap.
 * There is no waiting inside of a load: a gap there is a busy machine.
 */
function waits(
  ticks: readonly number[],
  thread: number,
  { profile, loads, gap: least }: StartupTicks & { readonly gap: Micros },
): (index: number) => boolean {
  const { timestamp, sample } = profile.timeline!;
  const gap = Math.max(least, gapLimit(profile.info.threads[thread]!.sampling ?? profile.info.sampling));
  const ticksIdle = ticks.some((tick) => isIdle(profile.samples.vmState[sample[tick]!]!));
  const isLoading = (tick: number) => loads.load[profile.samples.node[sample[tick]!]!] !== ROOT;
  return (index) => {
    const tick = ticks[index]!;
    if (isIdle(profile.samples.vmState[sample[tick]!]!)) return true;
    const before = ticks[index - 1];
    if (ticksIdle || before === undefined || timestamp[tick]! - timestamp[before]! < gap) return false;
    return !isLoading(tick) || !isLoading(before);
  };
}

/**
 * Returns the index of the first tick after the program first waited, once the main module and what it needs is loaded; -1 if it
 * never did. The loader waits for files itself, longer on a busy machine.
 */
function firstIdle(of: ThreadTicks, main: string | undefined, found: StartupTicks): number {
  const hasWaited = waits(of.ticks, of.thread, { ...found, gap: LEAST_GAP });
  const last = lastOfLoad(of, main, found);
  return last < 0 ? -1 : of.ticks.findIndex((_, i) => i > last && hasWaited(i));
}
