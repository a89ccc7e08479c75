import { ROOT } from "../profile/call-tree.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import { gapLimit } from "../profile/sampling.js";
import type { Micros } from "../profile/units.js";
import { isIdle } from "../profile/vm-state.js";
import { findFiles } from "./file-search.js";
import { findFunctions } from "./function-search.js";
import { FunctionTable } from "./function-table.js";
import { groupTicks } from "./function-ticks.js";
import { type ModuleLoads, WORK } from "./module-loads.js";

/** Where a start-up ends, as a user asks for it. */
export type Until =
  | { readonly kind: "loaded" }
  | { readonly kind: "first-idle" }
  | { readonly kind: "time"; readonly milliseconds: number }
  | { readonly kind: "mark"; readonly name: string };

/** Where the start-up of a thread ends. */
export interface StartupEnd {
  /** The thread's number in the profile. */
  readonly thread: number;
  /**
   * What ends it: all modules that the main module needs are loaded; the time; the first idle tick, or the first gap
   * between ticks; the first tick of what the user named; or the log.
   */
  readonly by: "loaded" | "time" | "first-idle" | "mark" | "log";
  /** Its last moment, in microseconds since the log of the thread began. */
  readonly time: Micros;
  /** The module that the program begins with; undefined if none has a tick. */
  readonly main: string | undefined;
}

/** The ticks of one thread, in order, as rows of the timeline. */
export interface ThreadTicks {
  readonly thread: number;
  readonly ticks: readonly number[];
}

/** A gap without ticks is idle if it is at least so long: a busy machine makes shorter ones. */
const LEAST_GAP: Micros = 20_000;

/**
 * Returns the ticks of the threads that start the program: all main threads, or all there are if none is a main
 * thread.
 */
export function startingThreads({ timeline, samples, info }: Profile): ThreadTicks[] {
  const isMain = ({ kind }: ThreadInfo) => kind !== "worker";
  const all = info.threads.every((thread) => !isMain(thread));
  const found = info.threads.map((_, thread): { thread: number; ticks: number[] } => ({ thread, ticks: [] }));
  const { length = 0, sample = new Int32Array() } = timeline ?? {};
  for (let i = 0; i < length; i++) found[samples.thread[sample[i]!]!]!.ticks.push(i);
  return found.filter(({ thread }) => all || isMain(info.threads[thread]!));
}

/** Returns the nodes of a profile with the function or file of a name on their stack; undefined if there are none. */
export function nodesOfMark(name: string, profile: Profile): Uint8Array | undefined {
  const { frames, tree } = profile;
  const table = new FunctionTable(frames);
  const ticks = groupTicks(profile, { count: table.functions.length, ofFrame: table.ofFrame });
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
export interface StartupTicks {
  readonly profile: Profile;
  readonly loads: ModuleLoads;
  /** The nodes of a mark, if the user named one. */
  readonly mark: Uint8Array | undefined;
}

/** Returns where the start-up of a thread ends. */
export function startupEnd({ thread, ticks }: ThreadTicks, until: Until, found: StartupTicks): StartupEnd {
  const main = mainModule(found, thread);
  const { timestamp } = found.profile.timeline!;
  const timeOf = (index: number) => timestamp[ticks[index]!]!;
  const atEnd = { thread, by: "log", time: Number.POSITIVE_INFINITY, main } as const;
  switch (until.kind) {
    case "time":
      return { thread, by: "time", time: until.milliseconds * 1000, main };
    case "mark": {
      const first = ticks.findIndex((tick) => found.mark?.[nodeOf(found, tick)] === 1);
      return first < 0 ? atEnd : { thread, by: "mark", time: before(timeOf(first)), main };
    }
    case "first-idle": {
      const first = firstIdle(ticks, thread, found);
      return first < 0 ? atEnd : { thread, by: "first-idle", time: before(timeOf(first)), main };
    }
    case "loaded": {
      const last = lastOfLoad(ticks, main, found);
      return last < 0 ? atEnd : { thread, by: "loaded", time: timeOf(last), main };
    }
  }
}

/** Returns the last moment before another, in whole microseconds. */
function before(time: Micros): Micros {
  return Math.ceil(time) - 1;
}

function nodeOf({ profile: { samples, timeline } }: StartupTicks, tick: number): number {
  return samples.node[timeline!.sample[tick]!]!;
}

/** Returns the file of the first module of the program that V8 made. */
function mainModule({ profile, loads }: StartupTicks, thread: number): string | undefined {
  const { modules = [] } = profile.info.threads[thread]!.startup ?? {};
  return modules.find(({ file }) => loads.modules[loads.moduleOf(file)]!.origin.kind !== "node")?.file;
}

/**
 * Returns the index of the last tick of the main module and of the modules that it needs; -1 if no module has a
 * tick. After them the program runs from callbacks: a tick of its code in no load of a module ends the start-up,
 * unless the main module itself comes later, as it does with `import`.
 */
function lastOfLoad(ticks: readonly number[], main: string | undefined, found: StartupTicks): number {
  const { load, tree, work } = found.loads;
  const mainId = main === undefined ? -1 : found.loads.moduleOf(main);
  const isMain = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isMain[node] = tree.frame[node] === mainId ? 1 : isMain[tree.parent[node]!]!;
  let [last, isOver] = [-1, false];
  for (const [i, tick] of ticks.entries()) {
    const node = nodeOf(found, tick);
    const at = load[node]!;
    if (work[node] === WORK.program && last >= 0) isOver = true;
    if (at !== ROOT && (!isOver || isMain[at] === 1)) last = i;
  }
  return last;
}

/** Returns the index of the first tick after the program first waited, once a module is loaded; -1 if it never did. */
function firstIdle(ticks: readonly number[], thread: number, found: StartupTicks): number {
  const { profile, loads } = found;
  const { timestamp, sample } = profile.timeline!;
  const gap = Math.max(LEAST_GAP, gapLimit(profile.info.threads[thread]!.sampling ?? profile.info.sampling));
  let isLoading = false;
  for (const [i, tick] of ticks.entries()) {
    const waited = i > 0 && timestamp[tick]! - timestamp[ticks[i - 1]!]! >= gap;
    const isIdleTick = isIdle(profile.samples.vmState[sample[tick]!]!);
    if (isLoading && (waited || isIdleTick)) return i;
    if (loads.load[nodeOf(found, tick)] !== ROOT) isLoading = true;
  }
  return -1;
}
