import { columnOf } from "../base/columns.js";
import type { Micros, Ticks } from "../base/units.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { ModuleCode } from "../profile/startup-log.js";
import { GC, isIdle, vmState } from "../profile/vm-state.js";
import { type ModuleLoads, WORK } from "./module-loads.js";
import type { Origin } from "./origin.js";
import type { StartingThread, StartupEnd } from "./startup-mark.js";

/** The phases of the load of a module. */
export const LOAD_PHASES = ["resolve", "read", "compile", "run"] as const;

/** Own ticks by phase; they sum to self. */
export interface PhaseTicks {
  /** Finding the file. */
  readonly resolve: Ticks;
  /** Reading the file. */
  readonly read: Ticks;
  /** Compiling the module, and its functions when they first run. */
  readonly compile: Ticks;
  /** Running its top-level code and what that called. */
  readonly run: Ticks;
}

type LoadPhase = keyof PhaseTicks;

/** The ticks of no module. */
export interface OtherTicks {
  /** Node's own start. */
  readonly start: Ticks;
  /** Node's module loader, in no phase of a module. */
  readonly loader: Ticks;
  /** Garbage collection. */
  readonly gc: Ticks;
  /** Code of the program that no load of a module called. */
  readonly program: Ticks;
  /** Nothing to do. */
  readonly idle: Ticks;
}

/** The cost of loading a module or the modules of a package. */
export interface LoadCost {
  /** Ticks of its own load: of its phases, without the modules that it loads in turn. */
  readonly self: Ticks;
  readonly phases: PhaseTicks;
  /** Ticks of its load and of all that it loads, with Node's loader. */
  readonly total: Ticks;
}

/** A package, the program (`app`), or Node's own modules, with the modules that were loaded. */
export interface StartupPackage extends LoadCost {
  readonly origin: Origin;
  /** How many of its modules have ticks. */
  readonly modules: number;
  /** Ticks in its code outside of its own loads, in the whole log: it was used. */
  readonly used: Ticks;
}

/** The loads of modules during a start-up, with their ticks. */
export interface StartupLoads {
  /** All loads; `frame` is an index into `ModuleLoads.modules`. */
  readonly tree: CallTree;
  /** By load: its own ticks, without those of loads inside of it. */
  readonly self: readonly PhaseTicks[];
  /** By load: its ticks, those of Node's loader in it, and all of the loads inside of it. */
  readonly total: Float64Array;
  readonly other: OtherTicks;
  /** The sum of all. */
  readonly ticks: Ticks;
}

const PARSER = vmState("parser");
const BYTECODE_COMPILER = vmState("bytecode-compiler");

/**
 * Sums up the ticks of start-ups by load. What the loader does before a module runs (finding, reading and compiling
 * its file) is on the stack of the module that requires it: such ticks belong to the next module that V8 makes the
 * code of, unless the requiring module goes on first.
 */
export function startupLoads(
  profile: Profile,
  loads: ModuleLoads,
  threads: readonly StartingThread[],
): StartupLoads {
  const sums = new LoadSums(loads);
  for (const { thread, ticks, end } of threads) {
    const { modules = [] } = profile.info.threads[thread]!.startup ?? {};
    sumThread({ profile, ticks, end, modules }, loads, sums);
  }
  return sums.finish();
}

interface ThreadInput {
  readonly profile: Profile;
  readonly ticks: readonly number[];
  readonly end: StartupEnd;
  readonly modules: readonly ModuleCode[];
}

function sumThread(
  { profile, ticks, end, modules }: ThreadInput,
  { load, work, isHidden }: ModuleLoads,
  sums: LoadSums,
): void {
  const { samples } = profile;
  const { sample, timestamp, ticks: weights } = profile.timeline!;
  const made = new MadeModules(modules, sums);
  for (const tick of ticks) {
    const time = timestamp[tick]!;
    if (time > end.time) break;
    made.upTo(time);
    const weight = weights?.[tick] ?? 1;
    sums.weight = weight;
    const row = sample[tick]!;
    const node = samples.node[row]!;
    const state = samples.vmState[row]!;
    const [at, doing] = [load[node]!, work[node]!];
    const isCompiling = state === PARSER || state === BYTECODE_COMPILER;
    if (state === GC) sums.addOther("gc");
    else if (isIdle(state)) sums.addOther("idle");
    else if (doing === WORK.run) {
      made.keepAll();
      sums.weight = weight;
      sums.add(at, isCompiling ? "compile" : "run");
    } else if (doing === WORK.program) {
      made.keepAll();
      sums.weight = weight;
      sums.addOther("program");
    } else {
      // Code that V8 compiles for other functions of the loader is the loader's.
      const phase = doing === WORK.compile ? "compile" : isCompiling ? undefined : PHASE_OF.get(doing);
      const isLoader = at !== ROOT || (doing >= WORK.resolve && doing !== WORK.internal);
      if (phase !== undefined || isHidden[node] === 1)
        made.wait({ load: at, phase, isSure: isHidden[node] === 0, weight });
      else if (isLoader) sums.addLoader(at);
      else sums.addOther("start");
    }
  }
  made.upTo(Number.POSITIVE_INFINITY);
  made.keepAll();
}

const PHASE_OF: ReadonlyMap<number, LoadPhase> = new Map([
  [WORK.resolve, "resolve"],
  [WORK.read, "read"],
]);

/** A tick of the loader. */
interface WaitingTick {
  /** The load on whose stack it is. */
  readonly load: number;
  /** Undefined for other work of the loader. */
  readonly phase: LoadPhase | undefined;
  /** Whether it is one of the loader. If not, it is if a module comes next, else of the load's own code. */
  readonly isSure: boolean;
  readonly weight: Ticks;
}

/** Gives the ticks of the loader to the modules that it loads. */
class MadeModules {
  readonly #modules: readonly ModuleCode[];
  readonly #sums: LoadSums;
  #waiting: WaitingTick[] = [];
  #next = 0;

  constructor(modules: readonly ModuleCode[], sums: LoadSums) {
    this.#modules = modules;
    this.#sums = sums;
  }

  /** Adds a tick of the loader. */
  wait(tick: WaitingTick): void {
    this.#waiting.push(tick);
  }

  /** Takes notice of the modules that V8 has made until now: the first one gets the ticks that wait. */
  upTo(time: Micros): void {
    for (; this.#next < this.#modules.length; this.#next++) {
      const { time: made, file } = this.#modules[this.#next]!;
      if (made > time) return;
      const module = this.#waiting.length === 0 ? -1 : this.#sums.moduleOf(file);
      if (module < 0) continue;
      for (const { load, phase, weight } of this.#waiting) {
        this.#sums.weight = weight;
        if (phase === undefined) this.#sums.addLoader(load);
        else this.#sums.add(this.#sums.inside(load, module), phase);
      }
      this.#waiting = [];
    }
  }

  /** Gives the ticks that wait to the loads on whose stacks they are: they loaded something other than a script. */
  keepAll(): void {
    for (const { load, phase, isSure, weight } of this.#waiting) {
      this.#sums.weight = weight;
      if (load === ROOT) this.#sums.addLoader(load);
      else this.#sums.add(load, isSure && phase !== undefined ? phase : "run");
    }
    this.#waiting = [];
  }
}

/** The ticks of loads. */
class LoadSums {
  readonly #loads: ModuleLoads;
  readonly #self: Record<LoadPhase, Ticks>[] = [];
  readonly #loader: Ticks[] = [];
  readonly #other = { start: 0, loader: 0, gc: 0, program: 0, idle: 0 };
  /** What the tick weighs that is added. */
  weight: Ticks = 1;

  constructor(loads: ModuleLoads) {
    this.#loads = loads;
  }

  /** Returns the number of a module of the program; -1 for one of Node. */
  moduleOf(file: string): number {
    const module = this.#loads.moduleOf(file);
    return this.#loads.modules[module]!.origin.kind === "node" ? -1 : module;
  }

  /** Returns the load of a module inside of another load. */
  inside(load: number, module: number): number {
    const { tree } = this.#loads;
    return load !== ROOT && tree.frame[load] === module ? load : tree.child(load, module);
  }

  add(load: number, phase: LoadPhase): void {
    this.#self[load] ??= { resolve: 0, read: 0, compile: 0, run: 0 };
    this.#self[load][phase] += this.weight;
  }

  addLoader(load: number): void {
    this.#other.loader += this.weight;
    this.#loader[load] = (this.#loader[load] ?? 0) + this.weight;
  }

  addOther(kind: keyof OtherTicks): void {
    this.#other[kind] += this.weight;
  }

  finish(): StartupLoads {
    const tree = this.#loads.tree.finish();
    const none: PhaseTicks = { resolve: 0, read: 0, compile: 0, run: 0 };
    const self = Array.from({ length: tree.length }, (_, load) => this.#self[load] ?? none);
    const total = columnOf(Float64Array, self, (phases, load) => sumOf(phases) + (this.#loader[load] ?? 0));
    const { start, gc, program, idle } = this.#other;
    for (let load = tree.length - 1; load > ROOT; load--) total[tree.parent[load]!]! += total[load]!;
    return { tree, self, total, other: this.#other, ticks: total[ROOT]! + start + gc + program + idle };
  }
}

export function sumOf({ resolve, read, compile, run }: PhaseTicks): Ticks {
  return resolve + read + compile + run;
}
