import { valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { askedOrDefault, gapLimit, type Sampling } from "../profile/sampling.js";
import { EXTERNAL, GC, IDLE, isIdle } from "../profile/vm-state.js";
import type { Analysis } from "./analysis.js";
import { LOAD, MICROTASK, NO_ROOT, type Roots } from "./callback-roots.js";
import { Callback, type CalledTurn, holderOf, recurrencesOf } from "./turn-callbacks.js";
import { LIMITS, type ThreadTurns, type Turn, type TurnLine, type TurnOptions } from "./turns.js";

/**
 * What a gap in the ticks of a thread is that ends without an idle tick. A thread that has idle ticks has one as it wakes: it had no CPU.
 * Without them, as on Node 26, it slept, or on a busy machine either.
 */
type Pause = "no-cpu" | "either" | "sleep";
/** A gap in the ticks of one callback is a part of its turn up to so many times the longest step that is no gap. */
const MOST_GAPS: Record<Pause, number> = { "no-cpu": Number.POSITIVE_INFINITY, either: 5, sleep: 1 };

/** A tick this many intervals after the one before ends a sleep, if it is idle. */
const SLEEP_INTERVALS = 2;

/** Ticks within this part of an interval were written at once. */
export const BUNCHED = 0.3;
/** A tick that is in no turn has no place there. */
const NO_TICK = -1;

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
export interface FoundTurn extends CalledTurn {
  readonly first: number;
  readonly last: number;
  readonly gc: Ticks;
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

/** Returns the lines of a turn, those with most ticks first. */
export type LinesOf = (thread: number, turn: FoundTurn) => TurnLine[];

/** Finds the turns of one thread, in the order of its ticks. */
export class TurnFinder {
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
