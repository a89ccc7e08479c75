import { tickInterval } from "../../profile/sampling.js";
import type { Ticks } from "../../profile/units.js";
import type { StartupReport } from "../../reports/startup.js";
import type { LoadedModule } from "../../views/module-loads.js";
import { percentOf } from "../../views/shares.js";
import type { StartupAdvice } from "../../views/startup-advice.js";
import type { LoadCost } from "../../views/startup-loads.js";
import type { StartupEnd } from "../../views/startup-mark.js";
import type { StartupWork } from "../../views/startup-work.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type Count,
  type Integer,
  type JsonHead,
  jsonHead,
  jsonWeights,
  type Microseconds,
  type OriginName,
  type Percent,
} from "../layout/json-parts.js";

/**
 * All weights are numbers of ticks, except those of v8Work, which V8 measured. A tick is not a time. Percentages are of
 * startupTicks.
 * @id startup.schema.json
 * @title ticks startup --format json, schema version 1
 */
export interface StartupData extends JsonHead<"startup"> {
  /** All ticks of the logs but the excluded ones. */
  readonly ticks: Ticks;
  /** Where the start-up of each thread ends. */
  readonly ends: readonly StartupEndData[];
  /** The ticks until then: the self ticks of all modules and all ticks of other. */
  readonly startupTicks: Ticks;
  /** The time that a tick stands for, in microseconds. */
  readonly tickUs: Integer;
  readonly phases: PhasesData;
  readonly other: OtherTicksData;
  /** How many scripts of the program V8 made code of until then. */
  readonly files: Count;
  /** The most self ticks first. Their self ticks sum to those of all modules. */
  readonly packages: readonly PackageLoadData[];
  /** The most self ticks first. */
  readonly modules: readonly ModuleLoadData[];
  /** The tree of loads: each load stands before those inside of it, the costliest first. */
  readonly loads: readonly LoadData[];
  /** V8's own account. null without --log-function-events. */
  readonly v8Work: V8WorkData | null;
  /** What saves most first. The savings overlap. */
  readonly advice: readonly StartupAdviceData[];
}

export interface StartupEndData {
  /** The name of the thread. */
  readonly thread: string;
  /**
   * What ends the start-up: the main module and all that it needs are loaded; the time of --until; the first wait; the first
   * tick of what --until names; or the log.
   */
  readonly by: StartupEnd["by"];
  /** The last moment that counts, in microseconds since the log began. null for the whole log. */
  readonly untilUs: Microseconds | null;
  /** The first module of the program. null if the log has none. */
  readonly main: string | null;
}

/** The ticks of no module. */
export interface OtherTicksData {
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

/** Own ticks by phase; they sum to self. */
export interface PhasesData {
  /** Finding the file. */
  readonly resolve: Ticks;
  /** Reading the file. */
  readonly read: Ticks;
  /** Compiling the module, and its functions when they first run. */
  readonly compile: Ticks;
  /** Running its top-level code and what that called. */
  readonly run: Ticks;
}

export interface LoadWeights {
  /** Ticks of its own load. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  /** Ticks of its load and of all that it loads, with Node's loader. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
  readonly phases: PhasesData;
}

export interface PackageLoadData extends LoadWeights {
  readonly origin: OriginName;
  /** The npm package, app for the program, or node. */
  readonly package: string;
  /** How many of its modules have ticks. */
  readonly modules: Count;
  /** Ticks in its code, and in what it called, outside of its own loads, in the whole log. */
  readonly used: Ticks;
}

export interface ModuleData {
  /** As logged, or as its source map or bundler names it. */
  readonly file: string;
  readonly origin: OriginName;
  /** The npm package, app for the program, or node. */
  readonly package: string;
}

export interface ModuleLoadData extends ModuleData, LoadWeights {
  /** The module that loaded it; null for none. */
  readonly parent: string | null;
}

export interface LoadData extends ModuleData, LoadWeights {
  /** How many loads are around it. */
  readonly depth: Count;
}

/** How often V8 did something, and how long that took. */
export interface WorkSumData {
  readonly count: Count;
  readonly ms: Milliseconds;
}

/**
 * In milliseconds.
 * @minimum 0
 */
export type Milliseconds = number;

export interface V8WorkData {
  /** Parsing of scripts and functions, with what is preparsed inside of them. */
  readonly parse: WorkSumData;
  /** Functions that were only checked; a part of parse. */
  readonly preparse: WorkSumData;
  /** Compiling to bytecode. */
  readonly compile: WorkSumData;
  /** Compiling to faster code. */
  readonly optimize: WorkSumData;
  /** Functions that ran for the first time. */
  readonly firstRuns: Count;
  /** Functions compiled when they were first called. */
  readonly lazyFunctions: Count;
  /** Functions compiled with the code around them. */
  readonly eagerFunctions: Count;
  /** Those of them that never ran, and the time to compile them. null if the log does not say. */
  readonly neverRun: WorkSumData | null;
  /** Functions compiled again, and the time for that. */
  readonly compiledTwice: WorkSumData;
  readonly scripts: ScriptCounts;
  readonly lookups: LookupCounts;
  /** The sums of V8's rows by step. Steps are parts of others: the times do not add up. */
  readonly events: readonly EventSumData[];
  /** The program's scripts, the most time first. */
  readonly byScript: readonly ScriptWorkData[];
}

/** Scripts of the program, and of Node, that were compiled from source and taken from a code cache. */
export interface ScriptCounts {
  readonly fromSource: Count;
  readonly fromCache: Count;
  readonly nodeFromSource: Count;
  readonly nodeFromCache: Count;
}

/** Look-ups in the cache that the isolate keeps of its own code. */
export interface LookupCounts {
  readonly hits: Count;
  readonly puts: Count;
}

export interface EventSumData extends WorkSumData {
  /** V8's name of a step. */
  readonly event: string;
}

export interface ScriptWorkData {
  /** As logged. */
  readonly file: string;
  readonly parseMs: Milliseconds;
  readonly compileMs: Milliseconds;
  /** How many functions were compiled. */
  readonly functions: Count;
  /** Those compiled with the code around them that never ran. null if the log does not say. */
  readonly neverRun: Count | null;
}

export interface StartupAdviceData {
  /**
   * What may help: a bundle; a code cache; loading a package where it is first used; replacing a package; doing the work of a
   * module of the program later.
   */
  readonly kind: StartupAdvice["kind"];
  /** What it saves at most. */
  readonly ticks: Ticks;
  /** The package to load later or to replace. */
  readonly package: string | null;
  /** The module of the program. */
  readonly file: string | null;
  readonly percent: Percent;
}

/** Yields a start-up for programs. */
export function startupJson(report: StartupReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(startupData(report), layout);
}

export function startupData({ profile, startup, limit }: StartupReport): StartupData {
  const { ends, ticks: whole, phases, other, files, modules, packages, loads, work, advice } = startup;
  const cost = (one: LoadCost): LoadWeights => ({ ...jsonWeights(one, whole), phases: one.phases });
  return {
    ...jsonHead("startup", profile),
    ends: ends.map(({ thread, by, time, main }) => ({
      thread: profile.info.threads[thread]!.name,
      by,
      untilUs: Number.isFinite(time) ? time : null,
      main: main ?? null,
    })),
    startupTicks: whole,
    tickUs: Math.round(tickInterval(profile.info.sampling)),
    phases,
    other,
    files,
    packages: packages.slice(0, limit).map((one) => ({
      origin: one.origin.kind,
      package: one.origin.name,
      modules: one.modules,
      used: one.used,
      ...cost(one),
    })),
    modules: modules.slice(0, limit).map((one) => ({
      ...moduleOf(one),
      parent: one.parent ?? null,
      ...cost(one),
    })),
    loads: loads.slice(0, limit).map((one) => ({
      ...moduleOf(one.module),
      depth: one.depth,
      ...cost(one),
    })),
    v8Work: work === undefined ? null : workOf(work, limit),
    advice: advice.map((one) => ({ ...adviceOf(one), percent: percentOf(one.ticks, whole) })),
  };
}

function moduleOf({ file, origin }: LoadedModule): ModuleData {
  return { file, origin: origin.kind, package: origin.name };
}

/** V8's times are whole microseconds; sums of doubles are not. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

function sumOf({
  count,
  milliseconds,
}: {
  readonly count: number;
  readonly milliseconds: number;
}): WorkSumData {
  return { count, ms: rounded(milliseconds) };
}

function workOf(work: StartupWork, limit: number): V8WorkData {
  const { events, parse, preparse, compile, optimize, neverRun, compiledTwice, scripts, lookups } = work;
  return {
    parse: sumOf(parse),
    preparse: sumOf(preparse),
    compile: sumOf(compile),
    optimize: sumOf(optimize),
    firstRuns: work.firstRuns,
    lazyFunctions: work.lazy,
    eagerFunctions: work.eager,
    neverRun: neverRun === undefined ? null : sumOf(neverRun),
    compiledTwice: sumOf(compiledTwice),
    scripts,
    lookups,
    events: events.map(({ event, ...sum }) => ({ event, ...sumOf(sum) })),
    byScript: work.byScript.slice(0, limit).map((one) => ({
      file: one.file,
      parseMs: rounded(one.parse),
      compileMs: rounded(one.compile),
      functions: one.compiled,
      neverRun: neverRun === undefined ? null : one.neverRun,
    })),
  };
}

function adviceOf(advice: StartupAdvice): Omit<StartupAdviceData, "percent"> {
  const { kind, ticks } = advice;
  const isOfPackage = kind === "lazy" || kind === "replace";
  return {
    kind,
    ticks,
    package: isOfPackage ? advice.package.origin.name : null,
    file: kind === "module" ? advice.file : null,
  };
}
