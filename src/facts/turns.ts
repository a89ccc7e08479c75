import { pushTo, valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { clampedTimeline } from "../profile/clamped-numbers.js";
import type { Profile } from "../profile/profile.js";
import { askedOrDefault, gapLimit, type Sampling } from "../profile/sampling.js";
import type { Timeline } from "../profile/timeline.js";
import { EXTERNAL, GC, IDLE, isIdle } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import {
  BY_NODE,
  IMMEDIATE,
  LOAD,
  MICROTASK,
  NO_ROOT,
  type Roots,
  rootsOf,
  TIMER,
} from "./callback-roots.js";
import type { ProfiledFunction } from "./function-table.js";
import { possibleWaitSamples } from "./possible-waits.js";
import { appFunctions, programFunctions } from "./program-frames.js";

/**
 * What called a callback: `setTimeout` or `setInterval`; `setImmediate`; a promise or `process.nextTick`; Node, to load a script,
 * which runs once, or the recorder, for itself; I/O or what else there is.
 */
export type TurnKind = "timer" | "immediate" | "microtask" | "load" | "other";

/**
 * A turn of the event loop: ticks of a thread that follow each other in one callback, which Node called with no other
 * JavaScript on the stack.
 */
export interface Turn {
  readonly start: Micros;
  readonly length: Micros;
  /** What is sure to be one turn: 0 if these can be several short turns of the callback, with nothing between that a tick met. */
  readonly least: Micros;
  readonly most: Micros;
  readonly kind: TurnKind;
  /** The outermost function of the program or a package, else of Node; undefined if no JavaScript ran. */
  readonly callback: ProfiledFunction | undefined;
  readonly ticks: Ticks;
  /** Those of them in garbage collection. */
  readonly gc: Ticks;
  /** Where its ticks were: at the innermost function of the program, else of a package. Most ticks first. */
  readonly lines: readonly TurnLine[];
  /** How often turns of the callback start, those at least half as long as its longest; undefined if that is not even. */
  readonly recurrence: Recurrence | undefined;
}

/** A line of a function that took ticks of a turn. */
interface TurnLine {
  readonly function: ProfiledFunction;
  /** The line that had most of them; 0 if it is unknown. */
  readonly line: number;
  readonly ticks: Ticks;
}

/** Turns of one callback that start evenly. */
export interface Recurrence {
  readonly period: Micros;
  readonly times: number;
}

/** How many turns are longer than a limit. */
export interface TurnCount {
  readonly over: Micros;
  /** Those that are sure to be. */
  readonly sure: number;
  /** With those that may be several turns. */
  readonly most: number;
  /** The time of all of them. */
  readonly time: Micros;
}

/** What one callback held the loop for, in its turns over {@link LONG_TURN}. */
interface Holder {
  readonly turns: number;
  /** Those that are sure to be so long. */
  readonly sure: number;
  readonly time: Micros;
  readonly longest: Turn;
}

interface TurnBounds {
  readonly least: Micros;
  readonly length: Micros;
  readonly most: Micros;
  /** That of the turn with this length; undefined if no turn is as long as the shortest that is counted. */
  readonly callback: ProfiledFunction | undefined;
}

export interface ThreadTurns {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** From its first tick to its last. */
  readonly span: Micros;
  readonly counts: readonly TurnCount[];
  /** The longest first. */
  readonly longest: readonly Turn[];
  /** The longest turn once scripts were loaded: what it surely is, what was found, and what it is at most, as what may be a wait is. */
  readonly bounds: TurnBounds;
  /** The callback that held the loop for most time once it ran, in turns over {@link LONG_TURN}; undefined if there are none. */
  readonly holder: Holder | undefined;
}

export interface TurnOptions {
  /** The length of the shortest turn to list. */
  readonly least: Micros;
  /** How many turns to list of each thread. */
  readonly most: number;
  /** How many lines to list of each turn. */
  readonly lines: number;
}

/** What `ticks timeline` and `ticks top` list. */
export const TURNS: TurnOptions = { least: 10_000, most: 5, lines: 3 };
/** The limits that turns are counted by. */
const LIMITS: readonly Micros[] = [10_000, 50_000, 100_000, 500_000];
/** A turn this long can be felt. */
export const LONG_TURN: Micros = 50_000;

/**
 * What a gap in the ticks of a thread is that ends without an idle tick. A thread that has idle ticks has one as it wakes: it had no CPU.
 * Without them, as on Node 26, it slept, or on a busy machine either.
 */
type Pause = "no-cpu" | "either" | "sleep";
/** A gap in the ticks of one callback is a part of its turn up to so many times the longest step that is no gap. */
const MOST_GAPS: Record<Pause, number> = { "no-cpu": Number.POSITIVE_INFINITY, either: 5, sleep: 1 };
/** Ticks came late, as on a busy machine, if the mean step without gaps is so many times the usual one. */
const BUSY = 1.15;
/** A tick this many intervals after the one before ends a sleep, if it is idle. */
const SLEEP_INTERVALS = 2;
/** How unlikely it is, for all turns of a callback together, that chance hid where short ones met. */
const CHANCE = 0.01;
/** With fewer turns nothing recurs; so many of the steps between them are the period, or a multiple of it. */
const LEAST_RECURRENT = 4;
const EVEN_STEPS = 2 / 3;
/** How far a step may be off, as a part of the period. */
const UNEVENNESS = 0.15;
/** The largest multiple: so many turns in a row may be too short to count. */
const MOST_MULTIPLE = 4;

/**
 * Returns the turns of each thread with ticks. Undefined without the times of all ticks: also if ticks were filtered out, as
 * idle ones end turns.
 *
 * A turn begins and ends between two ticks, so its length is as exact as those are near. Where the thread had no CPU, or ticks
 * came late, its parts are sure and the gap is not. A callback can be called again within less than an interval, even by a timer
 * whose interval is shorter than it takes: no tick tells, and ticks that follow each other are a turn "at most", except where that
 * is as good as excluded, see {@link Callback.isOneTurn}.
 */
export function turnsOf(of: Profile, options: TurnOptions = TURNS): ThreadTurns[] | undefined {
  const profile = Analysis.of(of);
  const { samples, info } = profile;
  if (profile.timeline === undefined || info.excluded > 0) return undefined;
  const timeline = clampedTimeline(profile.timeline);
  const roots = rootsOf(profile);
  const mayWait = possibleWaitSamples(profile);
  // The samples of a profile have the times at which they were taken.
  const isWritten = info.input === undefined;
  const hasIdle = new Uint8Array(info.threads.length);
  for (let row = 0; row < samples.length; row++)
    if (isIdle(samples.vmState[row]!) || mayWait?.[row] === 1) hasIdle[samples.thread[row]!] = 1;
  const isBusy = info.threads.some(({ sampling = info.sampling }) => cameLate(sampling));
  const threads = info.threads.map(({ sampling = info.sampling, isSampledAwake = false }, thread) => {
    const pause = hasIdle[thread] === 1 ? (isSampledAwake ? "sleep" : "no-cpu") : isBusy ? "either" : "sleep";
    const ends = isWritten ? undefined : info.threads[thread]!.recorded?.end;
    const found = { thread, isWritten, least: options.least, pause, isSampledAwake, ends } as const;
    return sampling.hasTimes ? new TurnFinder(sampling, { roots, ...found }) : undefined;
  });
  const times = sampledAt(
    timeline,
    samples.thread,
    threads.map((one) => (isWritten ? (one?.spacing ?? 0) : 0)),
  );
  for (let i = 0; i < timeline.length; i++) {
    const sample = timeline.sample[i]!;
    const finder = threads[samples.thread[sample]!];
    if (finder === undefined) continue;
    finder.weight = timeline.ticks === undefined ? 1 : timeline.ticks[i]!;
    const written = timeline.timestamp[i]!;
    if (mayWait?.[sample] === 1) finder.addPossibleWait(times[i]!, written);
    else finder.add(i, times[i]!, written, samples.node[sample]!, samples.vmState[sample]!);
  }
  const known = threads.flatMap((finder) => (finder?.finish() ? [finder] : []));
  const linesOf = tickLines(profile, timeline, options.lines);
  return known.map((finder) => finder.report(profile, options, linesOf));
}

/** A tick that is in no turn has no place there. */
const NO_TICK = -1;

/**
 * Returns when each tick was taken. Its time in a log is when V8 wrote its row, and after a pause it writes several at once: the
 * sampler sleeps for an interval after each, so each was taken at least that long before the next one of those.
 */
function sampledAt(
  timeline: { readonly length: number; readonly sample: Int32Array; readonly timestamp: Float64Array },
  threadOf: Uint16Array,
  intervals: readonly Micros[],
): Float64Array {
  const times = timeline.timestamp.slice(0, timeline.length);
  for (let i = timeline.length - 2; i >= 0; i--) {
    const thread = threadOf[timeline.sample[i]!]!;
    if (threadOf[timeline.sample[i + 1]!] !== thread) continue;
    const step = timeline.timestamp[i + 1]! - timeline.timestamp[i]!;
    const latest = times[i + 1]! - intervals[thread]!;
    if (step >= 0 && step < intervals[thread]! * BUNCHED && latest < times[i]!) times[i] = latest;
  }
  // Of a sampler that was late itself, more ticks can have waited than there were intervals.
  for (let i = 1; i < timeline.length; i++) {
    const isInOrder = timeline.timestamp[i]! >= timeline.timestamp[i - 1]!;
    if (isInOrder && times[i]! < times[i - 1]!) times[i] = times[i - 1]!;
  }
  return times;
}

/** Ticks within this part of an interval were written at once. */
const BUNCHED = 0.3;

/** A turn that goes on. */
interface OpenTurn {
  root: number;
  /** The node of its last tick in the callback. */
  node: number;
  /** Whether code of Node ran, with no JavaScript on the stack. */
  isOutside: boolean;
  readonly first: number;
  readonly startLow: Micros;
  readonly start: Micros;
  readonly startKnown: Micros;
  /** The turns that it is one with if it slept in no gap between them; undefined if they are known not to be. */
  row: TurnRow | undefined;
  /** The time of its first tick. */
  readonly from: Micros;
  kinds: number;
  above: number;
  last: number;
  to: Micros;
  /** When its last tick was taken at the earliest. */
  sureTo: Micros;
  ticks: Ticks;
  gc: Ticks;
  /** Where the part without gaps began that goes on, and the longest part before it. */
  partFrom: Micros;
  longestPart: Micros;
  /** Ticks of V8's own work since the last one in the callback, which have no stack. */
  work: Work | undefined;
}

/** Ticks of V8's own work, and up to one whose stack may lack the callback. */
interface Work {
  isLacking: boolean;
  readonly first: number;
  readonly from: Micros;
  last: number;
  to: Micros;
  ticks: Ticks;
  gc: Ticks;
}

const NEW_TURN = { longestPart: 0, work: undefined, row: undefined } as const;

/** Returns V8's own work as a turn. `after`: when the last tick before it was. */
function workTurn(after: Micros, { first, from, last, to, ticks, gc }: Work): OpenTurn {
  const part = { ...NEW_TURN, root: NO_ROOT, node: ROOT, kinds: 0, above: -1, isOutside: false };
  return {
    ...part,
    first,
    last,
    from,
    to,
    sureTo: to,
    ticks,
    gc,
    partFrom: from,
    start: (after + from) / 2,
    startLow: after,
    startKnown: after,
  };
}

/** Returns when a turn can have begun behind garbage collection that may be in it; undefined if there was none. */
function lowBefore(open: OpenTurn | undefined): Pick<Edges, "startLow" | "startKnown"> | undefined {
  if (open?.root === NO_ROOT) return { startLow: open.startLow, startKnown: open.startKnown };
  return open?.work === undefined ? undefined : { startLow: open.sureTo, startKnown: open.sureTo };
}

/** Returns whether ticks came late, as on a busy machine. */
function cameLate({ asked, usual, got }: Sampling): boolean {
  return got !== undefined && got > BUSY * Math.max(askedOrDefault(asked), usual ?? 0);
}

/** What ends a turn: the time of the next tick, if one follows, and whether it is idle. */
interface NextTick {
  readonly at: Micros | undefined;
  readonly isIdle: boolean;
}

/** Turns of one callback, with gaps between them that are sleeps or time without a CPU. */
interface TurnRow {
  readonly root: number;
  readonly start: Micros;
  end: Micros;
}

/** A turn that has ended. */
interface FoundTurn {
  readonly callback: Callback;
  readonly kinds: number;
  readonly first: number;
  readonly last: number;
  readonly ticks: Ticks;
  readonly gc: Ticks;
  readonly start: Micros;
  readonly length: Micros;
  readonly part: Micros;
  readonly edges: Edges;
  readonly row: TurnRow | undefined;
}

/** When a turn began and ended, and when it can have. */
interface Edges {
  readonly start: Micros;
  /** A tick that is not in it, or its first one if there is none. */
  readonly startLow: Micros;
  /** It can have begun earlier than that only if the thread had no CPU. */
  readonly startKnown: Micros;
  readonly end: Micros;
  readonly endKnown: Micros;
  readonly endHigh: Micros;
}

type KeptTurn = Omit<FoundTurn, "length" | "edges"> & Edges;

/** The code of a script that was met last. */
interface Load
  extends Pick<FoundTurn, "callback" | "start" | "first" | "ticks" | "gc">,
    Pick<OpenTurn, "startLow" | "startKnown" | "from"> {
  /** How many turns there were before, ticks that did not wait, and ticks in garbage collection. */
  readonly turns: number;
  readonly worked: Ticks;
  readonly collected: Ticks;
}

interface TurnFinderOptions {
  readonly roots: Roots;
  readonly thread: number;
  /** Whether the times of ticks are when they were written. */
  readonly isWritten: boolean;
  readonly least: Micros;
  readonly pause: Pause;
  /** See {@link ThreadInfo}: its gaps are waits. */
  readonly isSampledAwake: boolean;
  /** When the recording ended, from its start; undefined if that is not known. */
  readonly ends: Micros | undefined;
}

/** Finds the turns of one thread, in the order of its ticks. */
class TurnFinder {
  /** The least time between two ticks: the interval asked for, or a shorter one that they show. */
  readonly spacing: Micros;
  /** The usual time between two ticks. */
  readonly #interval: Micros;
  readonly #thread: number;
  readonly #gap: Micros;
  /** A longer gap ends a turn. */
  readonly #farGap: Micros;
  readonly #isSampledAwake: boolean;
  readonly #ends: Micros;
  readonly #kept: Micros;
  readonly #pause: Pause;
  readonly #isWritten: boolean;
  /** The longest time without a tick in which the thread surely did not sleep: so long it may have had no CPU before or behind any turn. */
  #starved: Micros;
  /** The longest turn too short to be kept, by how many of its ends may be further off, in time without a CPU. */
  readonly #short: [Micros, Micros, Micros] = [0, 0, 0];
  #longestRow: Micros = 0;
  readonly #callbacks = new Map<number, Callback>();
  readonly #turns: FoundTurn[] = [];
  #open: OpenTurn | undefined;
  /** Undefined if the thread was idle since. */
  #load: Load | undefined;
  #begin = Number.POSITIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;
  #last = Number.NaN;
  #written = Number.NaN;
  /** When the next tick that was written late can have been taken; infinite if they are in time. */
  #early: Micros = Number.POSITIVE_INFINITY;
  /** By how much the last tick may have been written late. */
  #late: Micros = 0;
  /** Whether the last tick was idle. */
  #wasIdle = false;
  /** The ticks so far that did not wait, and those in garbage collection. */
  #worked = 0;
  #collected = 0;
  /** Since when ticks may be waits; undefined if the last one is work or surely a wait. The longest such time. */
  #mayWaitFrom: Micros | undefined;
  #mayWait: Micros = 0;
  /** Counts the sleeps: callbacks between two of them followed each other. */
  #stretch = 0;
  readonly #roots: Roots;
  /** What the next tick weighs. */
  weight: Ticks = 1;

  constructor(
    sampling: Sampling,
    { roots, thread, isWritten, least, pause, isSampledAwake, ends }: TurnFinderOptions,
  ) {
    this.#roots = roots;
    this.#thread = thread;
    this.#isWritten = isWritten;
    const asked = askedOrDefault(sampling.asked);
    const usual = sampling.usual ?? asked;
    this.spacing = Math.min(asked, usual);
    this.#interval = Math.max(asked, usual);
    this.#gap = sampling.longestStep;
    this.#isSampledAwake = isSampledAwake;
    this.#ends = ends ?? Number.POSITIVE_INFINITY;
    this.#pause = pause;
    this.#farGap = Math.max(MOST_GAPS[pause] * this.#gap, gapLimit(sampling));
    this.#starved = SLEEP_INTERVALS * this.#interval;
    this.#kept = Math.min(least, LIMITS[0]!);
  }

  /** Adds a tick. `index` is its place in the timeline. */
  add(index: number, time: Micros, written: Micros, node: number, state: number): void {
    const step = time - this.#last;
    this.#begin = Math.min(this.#begin, time);
    this.#end = Math.max(this.#end, time);
    // In a log of several threads, time can go back.
    if (step < 0) this.#sleep(undefined);
    const late = this.#isWritten ? this.#latenessOf(time, written) : 0;
    if (isIdle(state)) this.#idle(time, step);
    else {
      this.#work(index, time, late, node, state);
      this.#worked += this.weight;
      if (state === GC) this.#collected += this.weight;
      this.#wasIdle = false;
      this.#mayWaitFrom = undefined;
    }
    this.#last = time;
    this.#late = late;
  }

  /**
   * Returns by how much a tick may have been written late: a thread of V8 writes it, which a busy machine lets wait too, but that wrote the
   * tick before. What it then writes at once was waiting for it.
   */
  #latenessOf(time: Micros, written: Micros): Micros {
    const step = written - this.#written;
    if (step > SLEEP_INTERVALS * this.#interval) this.#early = this.#written + this.spacing;
    else if (step < BUNCHED * this.spacing) this.#early += this.spacing;
    else this.#early = Number.POSITIVE_INFINITY;
    this.#written = written;
    return Math.max(0, time - this.#early);
  }

  /** Adds a tick that may be a wait or native work. It ends turns as a wait does, and is the longest turn that there may be. */
  addPossibleWait(time: Micros, written: Micros): void {
    this.#mayWaitFrom ??= Number.isNaN(this.#last) ? time : this.#last;
    this.#mayWait = Math.max(this.#mayWait, time - this.#mayWaitFrom + this.#interval);
    this.add(NO_TICK, time, written, ROOT, IDLE);
  }

  #idle(time: Micros, step: Micros): void {
    this.#close({ at: time, isIdle: true });
    this.#load = undefined;
    if (this.#wasIdle || step > SLEEP_INTERVALS * this.#interval) this.#stretch++;
    this.#wasIdle = true;
  }

  /** Ends the last turn. Returns whether the thread has ticks. */
  finish(): boolean {
    this.#sleep(undefined);
    for (const callback of this.#callbacks.values()) callback.finish();
    return this.#end >= this.#begin;
  }

  /**
   * Returns whether the stack of a node is that of a turn without its callback. V8 skips the caller of code that has not made its
   * frame yet, as builtins never do. Source: V8, src/profiler/tick-sample.cc.
   */
  #lacksCallback(node: number, open: OpenTurn): boolean {
    const root = this.#roots.root[node]!;
    return root !== open.root && root !== NO_ROOT && this.#roots.caller[node] === open.above;
  }

  /** Returns whether a tick is in what Node does between two microtasks, which all run in one turn of the event loop. */
  #isBetween(root: number, open: OpenTurn): boolean {
    return root >= 0 && (open.kinds & MICROTASK) !== 0 && this.#roots.runsMicrotasks[root] === 1;
  }

  /** Returns whether a tick is in a microtask of a function that the turn was in: a chain starts in the callback that calls it. */
  #goesOn(open: OpenTurn, root: number, kinds: number): boolean {
    if ((kinds & MICROTASK) === 0 || open.root < 0 || root < 0 || open.kinds === LOAD) return false;
    return this.#roots.runsMicrotasks[root] === 0 && this.#roots.isIn(root, open.node);
  }

  #work(index: number, time: Micros, late: Micros, node: number, state: number): void {
    const root = this.#roots.root[node]!;
    const kinds = this.#roots.kinds[node]!;
    const above = this.#roots.above[node]!;
    const { weight } = this;
    const step = time - this.#last;
    const gc = state === GC ? weight : 0;
    const isGap = step > this.#gap;
    const isFar = step > this.#farGap;
    const open = this.#open;
    /** The last tick in the callback. What V8 did since is no sure part of its turn. */
    const before = open?.sureTo ?? Number.NaN;
    if (this.#pause !== "sleep" && step > this.#starved) this.#starved = step;
    // V8 logs no stack for its own work: that belongs to the callback in which it is met.
    const isWork =
      (root === NO_ROOT && state !== EXTERNAL) || (open !== undefined && this.#isBetween(root, open));
    const isLacking = open !== undefined && !open.work?.isLacking && this.#lacksCallback(node, open);
    if (open !== undefined && !isFar && (isLacking || (isWork && open.root !== NO_ROOT))) {
      open.work ??= { first: index, from: time, last: index, to: time, ticks: 0, gc: 0, isLacking };
      open.work.last = index;
      open.work.to = time;
      open.work.ticks += weight;
      open.work.gc += gc;
      if (isLacking) open.work.isLacking = true;
    } else if (open !== undefined && !isFar && (open.root === root || this.#goesOn(open, root, kinds))) {
      if (open.root !== root) open.kinds = kinds;
      open.root = root;
      open.node = node;
      open.ticks += (open.work?.ticks ?? 0) + weight;
      open.gc += (open.work?.gc ?? 0) + gc;
      open.work = undefined;
      open.to = time;
      open.sureTo = time - late;
      open.last = index;
      open.kinds |= kinds;
      open.above = above;
      if (!isWork) open.isOutside = true;
    } else {
      const low = isFar && this.#pause === "sleep" ? undefined : lowBefore(open);
      const row = open === undefined ? undefined : this.#rowOf(open, root);
      const work = isGap ? undefined : this.#closeBefore(time);
      if (isGap) this.#sleep(time);
      // A script that awaits goes on in another turn.
      if (isGap && this.#isSampledAwake) this.#load = undefined;
      // What runs before any JavaScript is the start of Node.
      if (root === NO_ROOT && this.#callbacks.size === 0) return;
      const { start, startLow, startKnown } = work ?? { ...this.#startAt(time), ...low };
      // A turn may be one tick, and there may be millions: this is no place for many copies.
      this.#open = {
        root,
        node,
        kinds,
        above,
        isOutside: !isWork,
        first: work?.first ?? index,
        startLow,
        start,
        startKnown,
        from: work?.from ?? time,
        last: index,
        to: time,
        sureTo: time - late,
        ticks: weight + (work?.ticks ?? 0),
        gc: gc + (work?.gc ?? 0),
        partFrom: time,
        longestPart: work?.longestPart ?? 0,
        work: work?.work,
        row,
      };
      return;
    }
    if (step > this.#starved) this.#starved = step;
    if (isGap) {
      open.longestPart = Math.max(open.longestPart, before - open.partFrom);
      open.partFrom = time;
    }
  }

  /** Returns when a turn began whose first tick is at `time`, and when it can have. */
  #startAt(time: Micros): Pick<Edges, "start" | "startLow" | "startKnown"> {
    const last = this.#last;
    const interval = this.#interval;
    if (!(time >= last)) {
      // Before the first tick there is only the start of the log, at 0.
      const from = (earlier: Micros) => Math.max(Math.min(0, time), time - earlier);
      return { start: from(interval / 2), startLow: from(interval), startKnown: from(interval) };
    }
    const startLow = last - this.#late;
    // A thread that wakes runs what it woke for, at once if its waits are sampled.
    const isGap = time - last > this.#gap;
    if (this.#wasIdle && !(isGap && this.#isSampledAwake)) return { start: last, startLow, startKnown: last };
    if (!isGap) return { start: (last + time) / 2, startLow, startKnown: last };
    return { start: time - interval / 2, startLow, startKnown: time };
  }

  /** Returns the row that a turn is in with a turn of a function behind it; V8's own work may be between two turns of one callback. */
  #rowOf(open: OpenTurn, root: number): TurnRow | undefined {
    if (this.#pause !== "either") return undefined;
    if (open.root !== NO_ROOT) open.row ??= { root: open.root, start: open.startLow, end: open.to };
    return root === NO_ROOT || open.row?.root === root ? open.row : undefined;
  }

  /** Ends the turn, and what callbacks may have followed each other. `time` is that of the next tick, if one follows. */
  #sleep(time: Micros | undefined): void {
    this.#close({ at: time, isIdle: true });
    this.#stretch++;
    if (time !== undefined) return;
    this.#load = undefined;
    this.#last = Number.NaN;
  }

  /**
   * Ends the turn before a tick of another one. Returns the work before that tick that belongs to it: V8 compiles what it calls.
   * Garbage collection belongs to what ran before it.
   */
  #closeBefore(time: Micros): OpenTurn | undefined {
    const open = this.#open;
    if (open?.root === NO_ROOT && open.gc === 0 && !open.isOutside) return open;
    const work = open?.work?.gc === 0 ? open.work : undefined;
    if (open !== undefined && work !== undefined) {
      open.work = undefined;
      this.#close({ at: work.from, isIdle: false }, work.to);
      return workTurn(open.to, work);
    }
    this.#close({ at: time, isIdle: false });
    return undefined;
  }

  /**
   * Ends the turn, with the work after it. Garbage collection is a turn of its own if the callback had none before. `high`: when the turn
   * can have ended. Default: by the next tick.
   */
  #close(next: NextTick, high?: Micros): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { work } = open;
    const none = { to: open.to, ticks: 0, gc: 0 };
    if (work !== undefined && work.gc > 0 && open.gc === 0) {
      const endHigh = next.at ?? Number.POSITIVE_INFINITY;
      const isSoon = !next.isIdle && endHigh - work.to <= this.#gap;
      const reach = { endHigh, endKnown: isSoon ? endHigh : work.to };
      this.#found(open, none, { at: work.from, isIdle: false }, reach);
      this.#found(workTurn(open.to, work), { ...none, to: work.to }, next);
    } else {
      const reach = high === undefined ? undefined : { endHigh: high, endKnown: high };
      this.#found(open, work ?? none, next, reach);
    }
  }

  /** Keeps a turn, with the work after it. `reach`: work that is not counted to it, but may be a part of it. */
  #found(
    open: OpenTurn,
    work: Pick<Work, "to" | "ticks" | "gc">,
    next: NextTick,
    reach?: Pick<Edges, "endKnown" | "endHigh">,
  ): void {
    const callback = this.#callbackOf(open.root);
    callback.add(open.ticks, open.kinds, this.#stretch);
    const interval = this.#interval;
    const left = (next.at ?? Number.POSITIVE_INFINITY) - work.to;
    const isSoon = !next.isIdle && left <= this.#gap;
    const endHigh = reach?.endHigh ?? work.to + left;
    const endKnown = reach?.endKnown ?? (isSoon ? endHigh : work.to);
    const { row } = open;
    if (row !== undefined) {
      row.end = Math.max(row.end, Number.isFinite(endHigh) ? endHigh : endKnown);
      this.#longestRow = Math.max(this.#longestRow, row.end - row.start);
    }
    // Garbage collection at the end can be in the callback or behind it.
    const doubt = work.gc > 0 ? work.to - open.to : 0;
    const end = work.to + (isSoon ? left : Math.min(left, interval)) / 2 - doubt / 2;
    if (open.kinds !== LOAD && end - open.start < this.#kept) {
      const unknown = Number(open.startKnown > open.startLow) + Number(endKnown !== endHigh);
      this.#short[unknown] = Math.max(this.#short[unknown]!, endKnown - open.startKnown);
      return;
    }
    const ended = { callback, kinds: open.kinds, last: open.last, end, endKnown, endHigh, row };
    const ticks = open.ticks + work.ticks;
    const gc = open.gc + work.gc;
    if (open.kinds !== LOAD) {
      const part = Math.max(open.longestPart, open.sureTo - open.partFrom);
      this.#keep({
        ...ended,
        start: open.start,
        startLow: open.startLow,
        startKnown: open.startKnown,
        first: open.first,
        ticks,
        gc,
        part,
      });
      return;
    }
    // A script runs once: what is between two of its ticks is in it, if the thread was not idle.
    const before = this.#load?.callback === callback ? this.#load : undefined;
    if (before !== undefined) this.#turns.length = before.turns;
    const { start, startLow, startKnown, first, from } = before ?? open;
    const { turns, worked, collected } = before ?? {
      turns: this.#turns.length,
      worked: this.#worked - ticks,
      collected: this.#collected - gc,
    };
    const all = { ticks: this.#worked - worked, gc: this.#collected - collected };
    this.#load = { callback, start, startLow, startKnown, first, from, turns, worked, collected, ...all };
    this.#keep({ ...this.#load, ...ended, part: open.sureTo - from });
  }

  #keep({ start, startLow, startKnown, end, endKnown, endHigh, ...turn }: KeptTurn): void {
    if (end - start < this.#kept) return;
    const edges = { start, startLow, startKnown, end, endKnown, endHigh };
    this.#turns.push({ ...turn, start, length: end - start, edges });
  }

  /** Returns how long a turn can have been: up to the ticks before and behind it, if the thread had no CPU for so long. */
  #most({ edges: { startLow, startKnown, endKnown, endHigh }, row }: FoundTurn): Micros {
    const low = Math.max(startLow, startKnown - this.#starved);
    const most = Math.min(endHigh, endKnown + this.#starved, this.#ends) - low;
    return row === undefined ? most : Math.max(most, row.end - row.start);
  }

  #callbackOf(root: number): Callback {
    return valueAt(this.#callbacks, root, () => new Callback(root));
  }

  /** Returns what was found. */
  report({ table }: Analysis, { least, most }: TurnOptions, linesOf: LinesOf): ThreadTurns {
    const recurrences = recurrencesOf(this.#turns);
    const found = this.#turns.map((turn) => ({
      ...turn,
      least: turn.callback.isOneTurn(turn, recurrences.get(turn.callback)) ? turn.part : 0,
      most: this.#most(turn),
    }));
    const turnOf = (turn: (typeof found)[number]): Turn => ({
      start: turn.start,
      length: turn.length,
      least: turn.least,
      most: turn.most,
      kind: turn.callback.kindOf(turn),
      callback: turn.callback.functionOf(table),
      ticks: turn.ticks,
      gc: turn.gc,
      lines: linesOf(this.#thread, turn),
      recurrence: recurrences.get(turn.callback),
    });
    const running = found.filter((turn) => turn.callback.kindOf(turn) !== "load");
    const longest = (lengthOf: (turn: (typeof found)[number]) => Micros, from: Micros) =>
      running.reduce((most, turn) => Math.max(most, lengthOf(turn)), from);
    const byLength = found.toSorted((a, b) => b.length - a.length || a.start - b.start);
    const span = Math.max(0, this.#end - this.#begin);
    return {
      thread: this.#thread,
      span,
      counts: LIMITS.map((over) => {
        const longer = found.filter(({ length }) => length > over);
        return {
          over,
          sure: longer.filter((turn) => turn.least > over).length,
          most: longer.length,
          // An upper limit of the only turn may be longer than all there is.
          time: Math.min(
            span,
            longer.reduce((sum, { length }) => sum + length, 0),
          ),
        };
      }),
      longest: byLength
        .filter(({ length }) => length >= least)
        .slice(0, most)
        .map(turnOf),
      bounds: {
        least: longest((turn) => turn.least, 0),
        length: longest(({ length }) => length, 0),
        most: Math.min(
          this.#ends,
          Math.max(
            longest((turn) => turn.most, this.#kept),
            ...this.#short.map((known, unknown) => known + unknown * this.#starved),
            this.#longestRow,
            this.#mayWait,
          ),
        ),
        callback: byLength.find((turn) => turn.callback.kindOf(turn) !== "load")?.callback.functionOf(table),
      },
      holder: holderOf(byLength, turnOf),
    };
  }
}

/** The turns of one callback in one thread. */
class Callback {
  /** Its function; {@link NO_ROOT} for none. */
  readonly root: number;
  #kinds = 0;
  /** Turns that only Node's JavaScript tells of. */
  #turns = 0;
  /** How often two of them followed each other without a sleep, but with something else between; and the ticks of all those. */
  #meetings = 0;
  #meetingTicks = 0;
  #stretch = -1;
  #stretchTurns = 0;
  #stretchTicks = 0;

  constructor(root: number) {
    this.root = root;
  }

  functionOf({ functions }: Analysis["table"]): ProfiledFunction | undefined {
    return functions[this.root];
  }

  add(ticks: Ticks, kinds: number, stretch: number): void {
    this.#kinds |= kinds === BY_NODE ? BY_NODE : kinds & ~BY_NODE;
    if (kinds !== BY_NODE) return;
    if (stretch !== this.#stretch) this.finish();
    this.#stretch = stretch;
    this.#turns++;
    this.#stretchTurns++;
    this.#stretchTicks += ticks;
  }

  /** Counts the last stretch. */
  finish(): void {
    if (this.#stretchTurns > 1) {
      this.#meetings += this.#stretchTurns - 1;
      this.#meetingTicks += this.#stretchTicks;
    }
    this.#stretchTurns = 0;
    this.#stretchTicks = 0;
  }

  kindOf({ kinds }: FoundTurn): TurnKind {
    // Node's own functions are not in the log before they are hot: other turns of the callback tell who calls it.
    switch (kinds === 0 ? this.#kinds : kinds & ~BY_NODE) {
      case TIMER:
        return "timer";
      case IMMEDIATE:
        return "immediate";
      case MICROTASK:
        return "microtask";
      case LOAD:
        return "load";
      default:
        return "other";
    }
  }

  /**
   * Returns whether ticks are surely one turn: of a script; of a timer whose turns recur evenly and are short beside its period; or
   * of a callback that Node's JavaScript calls each time, if ticks often met that JavaScript between two turns that followed each
   * other, so often that chance did not hide it here.
   */
  isOneTurn(turn: FoundTurn, recurrence: Recurrence | undefined): boolean {
    const kind = this.kindOf(turn);
    if (this.root === NO_ROOT || kind === "load") return kind === "load";
    if (kind === "timer") return recurrence !== undefined && turn.length <= recurrence.period / 2;
    if (turn.kinds !== BY_NODE || this.#meetings === 0) return false;
    return (turn.ticks * this.#meetings) / this.#meetingTicks >= Math.log(this.#turns / CHANCE);
  }
}

/** Returns the callbacks whose turns start evenly: those at least half as long as the longest. */
function recurrencesOf(turns: readonly FoundTurn[]): Map<Callback, Recurrence> {
  const longest = new Map<Callback, Micros>();
  for (const { callback, length } of turns)
    longest.set(callback, Math.max(length, longest.get(callback) ?? 0));
  const starts = new Map<Callback, Micros[]>();
  for (const { callback, start, length } of turns) {
    if (length < longest.get(callback)! / 2) continue;
    pushTo(starts, callback, start);
  }
  const found = new Map<Callback, Recurrence>();
  for (const [callback, times] of starts) {
    const period = times.length < LEAST_RECURRENT ? undefined : periodOf(times);
    if (period !== undefined) found.set(callback, { period, times: times.length });
  }
  return found;
}

/** Returns the time between moments that follow each other evenly, some left out; undefined if they do not. */
function periodOf(times: readonly Micros[]): Micros | undefined {
  const steps = times.slice(1).map((time, i) => time - times[i]!);
  const usual = steps.toSorted((a, b) => a - b)[Math.floor((steps.length - 1) / 2)]!;
  if (!(usual > 0)) return undefined;
  let [count, periods, time] = [0, 0, 0];
  for (const step of steps) {
    const multiple = Math.round(step / usual);
    if (multiple < 1 || multiple > MOST_MULTIPLE || Math.abs(step - multiple * usual) > UNEVENNESS * usual)
      continue;
    count++;
    periods += multiple;
    time += step;
  }
  return count >= EVEN_STEPS * steps.length ? time / periods : undefined;
}

/** Returns the callback with most time in long turns, without the loading of scripts. `turns` has the longest first. */
function holderOf<T extends FoundTurn & { readonly least: Micros }>(
  turns: readonly T[],
  turnOf: (turn: T) => Turn,
): Holder | undefined {
  const byCallback = new Map<Callback, { turns: number; sure: number; time: Micros; longest: T }>();
  for (const turn of turns) {
    const { callback, length, least } = turn;
    if (length <= LONG_TURN || callback.root === NO_ROOT || callback.kindOf(turn) === "load") continue;
    const held = valueAt(byCallback, callback, () => ({ turns: 0, sure: 0, time: 0, longest: turn }));
    held.turns++;
    if (least > LONG_TURN) held.sure++;
    held.time += length;
  }
  const [most] = Array.from(byCallback.values()).sort((a, b) => b.time - a.time);
  return most && { ...most, longest: turnOf(most.longest) };
}

/** Returns the lines of a turn, those with most ticks first. */
type LinesOf = (thread: number, turn: FoundTurn) => TurnLine[];

function tickLines(
  { table, tree, samples, frames }: Analysis,
  { sample, ticks: weights }: Pick<Timeline, "sample" | "ticks">,
  most: number,
): LinesOf {
  let innermost: Int32Array | undefined;
  return (thread, { first, last }) => {
    innermost ??= innermostFrames(tree, table);
    const functions = new Map<number, { ticks: Ticks; readonly lines: Map<number, Ticks> }>();
    for (let i = first; i <= last; i++) {
      const row = sample[i]!;
      const frame = frames[innermost[samples.node[row]!]!];
      if (frame?.kind !== "js" || samples.thread[row] !== thread) continue;
      const id = table.ofFrame[innermost[samples.node[row]!]!]!;
      const known = functions.get(id) ?? { ticks: 0, lines: new Map<number, Ticks>() };
      const weight = weights?.[i] ?? 1;
      known.ticks += weight;
      known.lines.set(frame.line, (known.lines.get(frame.line) ?? 0) + weight);
      functions.set(id, known);
    }
    return Array.from(functions)
      .sort(([a, x], [b, y]) => y.ticks - x.ticks || a - b)
      .slice(0, most)
      .map(([id, { ticks, lines }]) => ({
        function: table.functions[id]!,
        line: Array.from(lines).sort(([a, x], [b, y]) => y - x || a - b)[0]![0],
        ticks,
      }));
  };
}

/** Returns, by node, the frame of the innermost function of the program itself in its stack, else of a package; -1 for none. */
function innermostFrames(tree: Analysis["tree"], table: Analysis["table"]): Int32Array {
  const [isApp, isProgram] = [appFunctions(table), programFunctions(table)];
  const found = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const before = found[tree.parent[node]!]!;
    const isInner =
      isApp[table.ofFrame[frame]!] === 1 ||
      (isProgram[table.ofFrame[frame]!] === 1 && (before < 0 || isApp[table.ofFrame[before]!] !== 1));
    found[node] = isInner ? frame : before;
  }
  return found;
}
