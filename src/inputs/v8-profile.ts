import { columnOf, widened } from "../base/columns.js";
import { LAST_TIME } from "../base/limits.js";
import type { Micros, Ticks } from "../base/units.js";
import { roundedWeight, validPosition } from "../profile/clamped-numbers.js";
import { Diagnostics } from "../profile/diagnostics.js";
import { logStart } from "../profile/log-start.js";
import type { InputKind, Profile, ThreadInfo } from "../profile/profile.js";
import { allTicks, SampleTableBuilder, stateTicks } from "../profile/sample-table.js";
import { gapLimit } from "../profile/sampling.js";
import { nameThreads } from "../profile/threads.js";
import { TimelineBuilder } from "../profile/timeline.js";
import { isIdle } from "../profile/vm-state.js";
import { type CallFrame, FunctionFrames, firstPosition, TELLS_IDLE, V8_ONLY } from "./call-frames.js";
import { NONE, NodeStacks } from "./node-stacks.js";
import { NumberList } from "./number-list.js";
import {
  type GivenThread,
  type MicrosRange,
  type ReadInputOptions,
  rangeOf,
  threadOfFile,
  untimed,
} from "./read-options.js";
import { GivenPositions, LineTurns, type SamplePosition, shareByHits } from "./sample-positions.js";
import { Pauses, StepCounts, samplingOf } from "./sampler-steps.js";

/** A node as a profile has it. */
interface RawNode {
  readonly id?: unknown;
  readonly callFrame?: unknown;
  readonly children?: unknown;
  readonly parent?: unknown;
  readonly hitCount?: unknown;
  readonly positionTicks?: unknown;
  /** The same in profiles of v8-profiler, there or in `callFrame`. */
  readonly lineTicks?: unknown;
}

/** Without any times, samples are so far apart: V8's default. */
const DEFAULT_INTERVAL: Micros = 1000;

/**
 * Makes a profile of the nodes, samples and times that V8's CPU profiler writes, in whatever order they come. A sample is a
 * tick if it took the mean time of all; its time is that up to the next sample, as in DevTools, and the last one's that up to the end.
 *
 * Source: V8, include/v8-profiler.h, `CpuProfile::Serialize`; Chrome DevTools Protocol, `Profiler.Profile`.
 */
export class V8ProfileBuilder {
  readonly diagnostics = new Diagnostics();
  /** In µs, but in seconds in some old profiles. */
  startTime: number | undefined;
  endTime: number | undefined;
  readonly #functions = new FunctionFrames(this.diagnostics, { ofScripts: true });
  #firstPosition: 0 | 1 = 0;
  /** Whether a node is one of those that V8 makes up: JavaScriptCore makes none, but the root. */
  #isOfV8 = false;
  readonly #canBeOfV8: boolean;
  #hasIdle = false;
  /** Whether a script is of a runtime that tells V8 when it is idle. */
  #tellsIdle = false;
  /** The places of nodes by their ids. */
  readonly #ids = new Map<number, number>();
  /** By node: the number of its function's frame. */
  readonly #frames = new NumberList();
  /** By node: the place of its parent, once that is known. */
  readonly #parents = new NumberList();
  readonly #hits = new NumberList();
  /** By node: where its lines begin in {@link #lines}, which has a line and its ticks by turns. */
  readonly #lineStarts = new NumberList();
  readonly #lines = new NumberList();
  /** A place and the id of its child, by turns. */
  #children = new NumberList();
  /** A place and the id of its parent, by turns. */
  readonly #callers = new NumberList();
  /** The ids of the nodes that ran. */
  readonly #samples = new NumberList();
  /** By sample: its line, in files that have it. */
  readonly #sampleLines = new NumberList();
  /** The same, of columns. */
  readonly #sampleColumns = new NumberList();
  readonly #deltas = new NumberList();
  /** By sample: its time, as profiles of 2014 have in place of deltas. */
  readonly #times = new NumberList();

  /** `isOfV8`: whether it can be of V8. */
  constructor({ isOfV8 = true }: { readonly isOfV8?: boolean } = {}) {
    this.#canBeOfV8 = isOfV8;
  }

  addNode(value: unknown): void {
    const place = this.#add(value, NONE);
    if (place === NONE) return;
    const { children, parent } = value as RawNode;
    if (typeof parent === "number") {
      this.#callers.push(place);
      this.#callers.push(parent);
    }
    if (!Array.isArray(children)) return;
    if (children.some((child) => typeof child === "object")) this.#addNested(children, place);
    else {
      for (const child of children) {
        this.#children.push(place);
        this.#children.push(Number(child));
      }
    }
  }

  addSample(id: number): void {
    this.#samples.push(id);
  }

  /** `column`: 0 if unknown. */
  addSamplePosition(line: number, column: number): void {
    this.#padPlaces(this.#samples.length - 1);
    this.#sampleLines.push(validPosition(line));
    this.#sampleColumns.push(validPosition(column));
  }

  /** Samples without a place are at none, if others have one. */
  #padPlaces(length: number): void {
    while (this.#sampleLines.length < length) {
      this.#sampleLines.push(0);
      this.#sampleColumns.push(0);
    }
  }

  addDelta(delta: number): void {
    this.#deltas.push(delta);
  }

  addTime(time: number): void {
    this.#times.push(time);
  }

  get samples(): number {
    return this.#samples.length;
  }

  get nodes(): number {
    return this.#frames.length;
  }

  /** Adds nodes that are inside their parents, as profiles up to 2016 have them. */
  #addNested(children: readonly unknown[], place: number): void {
    const open = [{ nodes: children, parent: place }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const node of next.nodes) {
        const parent = this.#add(node, next.parent);
        if (parent === NONE) continue;
        const { children: nodes } = node as RawNode;
        if (Array.isArray(nodes)) open.push({ nodes, parent });
      }
    }
  }

  /** Adds a node, and returns its place; -1 for something else. */
  #add(value: unknown, parent: number): number {
    if (typeof value !== "object" || value === null) {
      this.diagnostics.add("damaged-value", 1);
      return NONE;
    }
    const node = value as RawNode;
    const place = this.#frames.length;
    const id = Number(node.id);
    if (this.#ids.has(id)) this.diagnostics.add("duplicate-node", 1);
    else if (Number.isFinite(id)) this.#ids.set(id, place);
    const { callFrame } = node;
    const hasCallFrame = typeof callFrame === "object" && callFrame !== null;
    const at: CallFrame = hasCallFrame ? callFrame : node;
    if (place === 0) this.#firstPosition = firstPosition(at, hasCallFrame);
    this.#frames.push(this.#functions.of(at, this.#firstPosition));
    if (at.functionName === "(idle)") this.#hasIdle = true;
    if (typeof at.url === "string" && TELLS_IDLE.test(at.url)) this.#tellsIdle = true;
    if (V8_ONLY.has(at.functionName as string) && !at.url) this.#isOfV8 = this.#canBeOfV8;
    this.#parents.push(parent);
    this.#hits.push(countOf(node.hitCount));
    this.#lineStarts.push(this.#lines.length);
    const lines = node.positionTicks ?? (at as RawNode).lineTicks;
    for (const one of Array.isArray(lines) ? lines : []) {
      const { line, ticks, hitCount } = (one ?? {}) as {
        readonly [Key in "line" | "ticks" | "hitCount"]?: unknown;
      };
      this.#lines.push(validPosition(Number(line)));
      this.#lines.push(countOf(ticks ?? hitCount));
    }
    return place;
  }

  /** Returns the place of the node with an id; -1 for none. */
  #placeOf(id: number): number {
    return this.#ids.get(id) ?? NONE;
  }

  /** Returns the profile. Call it once. `thread`: default: what the name of the file tells. */
  finish(kind: InputKind, options: ReadInputOptions, given: GivenThread = threadOfFile(options)): Profile {
    const { name, fileTimes, timeline: hasTimeline = false } = options;
    const range = rangeOf(options);
    const stacks = this.#stacks();
    const isSampled = this.#samples.length > 0;
    const timeline = hasTimeline && isSampled ? new TimelineBuilder(this.#samples.length) : undefined;
    const most = isSampled ? Math.min(this.#samples.length, this.nodes) : this.nodes;
    const samples = new SampleTableBuilder(Math.max(1, most));
    const count: Count = (node, { line, column = 0 }, { ticks, hits }) => {
      const row = samples.add(stacks.nodeAt(node, line, column), stacks.stateOf(node), ticks);
      samples.addCount(row, hits);
      return row;
    };
    const { hasTimes, start, end, interval, isGuess, times, pauses } = isSampled
      ? this.#countSamples(stacks, count, { range, timeline })
      : this.#countHits(count);
    if (range !== undefined && !hasTimes) throw untimed(name);
    const table = samples.finish();
    const ticks = allTicks(table);
    const time = ticks * interval;
    const sampling = samplingOf({ hasTimes, ticks, time, pauses });
    const span = sampling.span;
    const { pid, isolate, kind: threadKind, label, number } = given;
    const thread: ThreadInfo = {
      name,
      log: name,
      pid,
      isolate,
      kind: threadKind,
      label,
      number,
      ticks,
      span,
      start: fileTimes && logStart(fileTimes, span),
      sampling,
      recorded: { start, end },
      ...(pauses?.areWaits
        ? { isSampledAwake: true }
        : !this.#hasIdle && !this.#tellsIdle && this.#isOfV8 && { isIdleUnknown: true }),
    };
    return {
      frames: this.#functions.frames,
      tree: stacks.tree.finish(),
      samples: table,
      timeline: hasTimes ? timeline : undefined,
      sources: [],
      info: {
        title: name,
        logs: [name],
        input: kind,
        ...(!isGuess && { tickTime: interval }),
        threads: nameThreads([thread]),
        v8: [],
        sampling,
        rangeRows: { currentTime: 0, runtimeTimers: 0, ...(times && { times }) },
        ticks,
        excluded: 0,
        ticksByState: Array.from(stateTicks(table)),
        hasShownStacks: true,
        libraries: [],
        diagnostics: this.diagnostics.list(),
      },
    };
  }

  /** Links the nodes, and puts their stacks into a tree. */
  #stacks(): NodeStacks {
    const parents = this.#parents;
    if (!this.#isOfV8 && this.#samples.length > 0) this.#functions.nameAsV8();
    const link = (child: number, parent: number) => {
      if (child < 0 || parent < 0) this.diagnostics.add("unknown-node", 1);
      else if (parents.at(child) === NONE) parents.set(child, parent);
      else if (parents.at(child) !== parent) this.diagnostics.add("second-caller", 1);
    };
    for (let i = 0; i < this.#children.length; i += 2)
      link(this.#placeOf(this.#children.at(i + 1)), this.#children.at(i));
    for (let i = 0; i < this.#callers.length; i += 2)
      link(this.#callers.at(i), this.#placeOf(this.#callers.at(i + 1)));
    this.#children = new NumberList(); // They may take much memory.
    return new NodeStacks(this.#functions, this.#frames, parents, this.diagnostics);
  }

  /** Counts the samples in the order of their times: each weighs its own, a tick for the mean time of all. */
  #countSamples(
    stacks: NodeStacks,
    count: Count,
    { range, timeline }: { range: MicrosRange | undefined; timeline: TimelineBuilder | undefined },
  ): Counted {
    const sampled = this.#sampleTimes();
    const { start, end, order, hasTimes, isGuess } = sampled;
    const { interval, lengthOf, pauses } = this.#sampleLengths(sampled, stacks);
    const next = sampled.times();
    const isWeighed = hasTimes && !isGuess;
    const hasLines = this.#sampleLines.length > 0;
    if (hasLines) this.#padPlaces(this.#samples.length);
    const places = hasLines
      ? new GivenPositions(this.nodes, this.#sampleLines, this.#sampleColumns)
      : new LineTurns(this.#lineStarts, this.#lines);
    let hits = new Float64Array(Math.max(1, places.length));
    /** By place, in µs: exact, as sums of rounded ticks would not be. */
    let times = new Float64Array(hits.length);
    const { length } = this.#samples;
    const first = next();
    let last = first;
    for (let i = 0, time = first; i < length; i++) {
      const following = i + 1 < length ? next() : end;
      const lasts = lengthOf(i, following - time);
      const sample = order === undefined ? i : order[i]!;
      const node = this.#placeOf(this.#samples.at(sample));
      if (node < 0) this.diagnostics.add("unknown-sample", 1);
      const place = places.next(node, sample);
      last = time;
      if (range === undefined || (time >= range.from && time <= range.to)) {
        if (place >= hits.length) {
          hits = widened(hits, 2 * place);
          times = widened(times, 2 * place);
        }
        hits[place]!++;
        times[place]! += lasts;
        if (following - time > lasts) pauses.add(following - time - lasts);
        timeline?.add(place, time, isWeighed ? roundedWeight(lasts / interval) : undefined);
      }
      time = following;
    }
    if (!hasLines) shareByHits(places, hits, times);
    const rows = new Int32Array(places.length);
    for (let place = 0; place < places.length; place++) {
      if (hits[place]! > 0)
        rows[place] = count(places.nodeOf(place), places.at(place), {
          ticks: isWeighed ? roundedWeight(times[place]! / interval) : hits[place]!,
          hits: hits[place]!,
        });
    }
    timeline?.renumber(rows);
    const facts = { hasTimes, start, end, interval, isGuess, pauses };
    return { ...facts, ...(range && { times: [first, last] as const }) };
  }

  /**
   * Returns how long samples last, and the mean of that. A sample lasts up to the next one, unless a gap is between them, as long as
   * gaps of logs are: JavaScriptCore takes no samples while a thread waits, and no sampler does without CPU. Then it lasts as long as
   * samples usually do; one that waits, up to the next one. If its end is not told, the last one does not last much longer than usual
   * either, unless it waits.
   */
  #sampleLengths(
    { hasTimes, isGuess, end, interval, times, order, isEndGiven }: SampleTimes,
    stacks: NodeStacks,
  ) {
    const { length } = this.#samples;
    const pauses = new Pauses();
    const whole = { interval, lengthOf: (_: number, step: Micros) => step, pauses };
    if (!hasTimes || isGuess) return whole;
    const counts = new StepCounts();
    let next = times();
    for (let i = 1, time = next(); i < length; i++) {
      const following = next();
      counts.add(following - time);
      time = following;
    }
    // A thread of V8 is sampled as it waits: where it was late, it had no CPU.
    const usual =
      length > 1 ? (counts.usual() ?? (this.#isOfV8 ? undefined : counts.least())) : DEFAULT_INTERVAL;
    if (usual === undefined) return whole;
    // Without CPU, steps of a short interval are soon ten times as long.
    const limit = this.#isOfV8 ? gapLimit({ asked: undefined, usual }) : GAP_STEPS * usual;
    const nodeOf = (i: number) => this.#placeOf(this.#samples.at(order === undefined ? i : order[i]!));
    const isWaiting = (i: number) => isIdle(stacks.stateOf(nodeOf(i)));
    // Where V8 is not told that a thread waits, it is in (program).
    const mayWait = this.#hasIdle ? isWaiting : (i: number) => stacks.isProgram(nodeOf(i));
    const isSampled = this.#sampledWaits(times(), limit, mayWait);
    // A thread that is sampled as it waits did not wait here: it had no CPU, which is a part of what it did, as in turns.
    const isSampledWaiting = this.#hasIdle && isSampled;
    const areWaits = this.#isOfV8 ? (this.#hasIdle || !this.#tellsIdle) && !isSampled : true;
    const longest = isSampledWaiting ? FAR_GAP * limit : areWaits ? Math.min(limit, counts.late()) : limit;
    const lengthOf = (i: number, step: Micros) => {
      const isLate = i === length - 1 && !isEndGiven ? step > LATE_END * usual : step > longest;
      return isLate && !isWaiting(i) ? usual : step;
    };
    next = times();
    let sum = 0;
    for (let i = 0, time = next(); i < length; i++) {
      const following = i + 1 < length ? next() : end;
      sum += lengthOf(i, following - time);
      time = following;
    }
    if (!(sum > 0)) return whole;
    pauses.usual = usual;
    pauses.limit = longest;
    pauses.areWaits = areWaits;
    return { interval: sum / length, lengthOf, pauses };
  }

  /**
   * Whether a thread is sampled as it waits: there are not many more gaps than samples that wait. V8 samples only threads that hold its isolate,
   * and workerd lets go of it to wait: there the profile has some samples in `(idle)`, such as its first, and all waits are gaps.
   */
  #sampledWaits(next: () => Micros, limit: Micros, isWaiting: (i: number) => boolean): boolean {
    let [gaps, waits] = [0, 0];
    for (let i = 0, time = next(); i < this.#samples.length; i++) {
      const following = i + 1 < this.#samples.length ? next() : time;
      if (isWaiting(i)) waits++;
      else if (following - time > limit) gaps++;
      time = following;
    }
    return MOST_GAPS_A_WAIT * (waits + 1) >= gaps;
  }

  /** Counts the hits of nodes: profiles up to 2014 have no samples. */
  #countHits(count: Count): Counted {
    const { length } = this.#frames;
    let hits = 0;
    for (let node = 0; node < length; node++) hits += this.#hits.at(node);
    const { start, length: given } = this.#span(hits * DEFAULT_INTERVAL);
    const isGuess = hits === 0 || given === undefined;
    const interval = isGuess ? DEFAULT_INTERVAL : given / hits;
    for (let node = 0; node < length; node++) {
      let left = this.#hits.at(node);
      const ends = node + 1 < length ? this.#lineStarts.at(node + 1) : this.#lines.length;
      for (let i = this.#lineStarts.at(node); i < ends && left > 0; i += 2) {
        const ticks = Math.min(left, this.#lines.at(i + 1));
        if (ticks > 0) count(node, { line: this.#lines.at(i) }, { ticks, hits: ticks });
        left -= ticks;
      }
      if (left > 0) count(node, { line: 0 }, { ticks: left, hits: left });
    }
    return { hasTimes: false, start, end: hits * interval, interval, isGuess };
  }

  #sampleTimes(): SampleTimes {
    const given = this.#times.length > 0 ? this.#times : this.#deltas;
    return (given.length > 0 ? this.#givenTimes(given) : undefined) ?? this.#evenTimes();
  }

  /** Samples without times share the time of the profile. */
  #evenTimes(): SampleTimes {
    const { length } = this.#samples;
    const { start, length: span } = this.#span(length * DEFAULT_INTERVAL);
    const interval = (span ?? length * DEFAULT_INTERVAL) / length;
    return {
      ...{ hasTimes: false, start, end: length * interval, interval, isGuess: span === undefined },
      ...{ order: undefined, times: evenly(interval), isEndGiven: true },
    };
  }

  /** Returns the times that a profile states; undefined if several samples have the same, which tells nothing. */
  #givenTimes(given: NumberList): SampleTimes | undefined {
    const { length } = this.#samples;
    if (given.length < length) this.diagnostics.add("missing-time", 1, undefined, length - given.length);
    const isAbsolute = given === this.#times;
    const base = isAbsolute ? firstTime(given) : 0;
    /** Returns the time of a sample from the start, given that of the one before. */
    const timeAt = (i: number, before: Micros) => {
      if (i >= given.length) return before;
      const time = isAbsolute ? given.at(i) - base : before + given.at(i);
      return Math.abs(time) <= LAST_TIME ? time : before;
    };
    const first = timeAt(0, 0);
    let [time, earliest, latest, odd, back, farthest] = [first, first, first, 0, 0, 0];
    for (let i = 0; i < length; i++) {
      const before = time;
      if (i > 0) time = timeAt(i, before);
      if (time < before) {
        back++;
        farthest = Math.max(farthest, latest - time);
      }
      if (i < given.length && !(Math.abs(given.at(i)) <= LAST_TIME)) odd++;
      earliest = Math.min(earliest, time);
      latest = Math.max(latest, time);
    }
    if (odd > 0) this.diagnostics.add("odd-time", 1, undefined, odd);
    if (back > 0)
      this.diagnostics.add(farthest > FAR_BACK ? "time-order" : "late-sample", 1, undefined, back);
    if (length > 1 && latest - earliest < LEAST_SPAN) return undefined;
    const span = this.#span(Math.max(1, latest - earliest));
    // The profile began with its first sample at the latest: no time is before its start.
    const shift = Math.max(0, -earliest);
    const early = isAbsolute && span.length !== undefined ? base - span.start : 0;
    const end = (span.length ?? 0) - (early > 0 && early < span.length! ? early : 0);
    /** How long the last sample takes if nothing tells: as long as others do, not as gaps are. */
    const usualStep = () => {
      const [steps, mean] = [
        new StepCounts(),
        length > 1 ? (latest - earliest) / (length - 1) : DEFAULT_INTERVAL,
      ];
      for (let i = 1, now = timeAt(0, 0); i < length; i++) {
        const before = now;
        now = timeAt(i, before);
        steps.add(now - before);
      }
      return Math.min(mean, steps.usual() ?? mean);
    };
    const stated = given.length > length ? timeAt(length, time) : latest;
    const isEndGiven = stated > latest;
    const last = isEndGiven ? stated : end >= latest ? end : latest + usualStep();
    const ends = {
      hasTimes: true,
      start: (isAbsolute ? base : span.start) - shift,
      end: last + shift,
      interval: last > earliest ? (last - earliest) / length : DEFAULT_INTERVAL,
      isGuess: last <= earliest,
    };
    if (back === 0) {
      const times = () => {
        let [i, now] = [0, 0];
        return () => {
          now = timeAt(i++, now);
          return now + shift;
        };
      };
      return { ...ends, order: undefined, times, isEndGiven };
    }
    const all = new Float64Array(length);
    for (let i = 0, now = 0; i < length; i++) {
      now = timeAt(i, now);
      all[i] = now + shift;
    }
    const order = columnOf(Uint32Array, all, (_, i) => i).sort((a, b) => all[a]! - all[b]! || a - b);
    const times = () => {
      let i = 0;
      return () => all[order[i++]!]!;
    };
    return { ...ends, order, times, isEndGiven };
  }

  /**
   * Returns when the profile began, in µs, and how long it is. Its times are in µs, ms or seconds: whichever is nearest to what
   * the samples take.
   */
  #span(near: Micros): { readonly start: Micros; readonly length: Micros | undefined } {
    const { startTime = Number.NaN, endTime = Number.NaN } = this;
    const isStart = Math.abs(startTime) <= LAST_TIME;
    const raw = endTime - startTime;
    if (!isStart || !(raw > 0) || endTime > LAST_TIME)
      return { start: isStart ? startTime : 0, length: undefined };
    const farOff = (unit: number) => Math.abs(Math.log((raw * unit) / near));
    const unit = [1, 1e3, 1e6].reduce((best, one) => (farOff(one) < farOff(best) ? one : best));
    return { start: startTime * unit, length: raw * unit };
  }
}

/** Counts ticks of a node, -1 for an unknown one, at a place, and of how many samples they are. Returns their row. */
type Count = (
  node: number,
  position: SamplePosition,
  weight: { readonly ticks: Ticks; readonly hits: number },
) => number;

/** What was counted. */
interface Counted {
  readonly hasTimes: boolean;
  /** When the profile began, by its own clock. */
  readonly start: Micros;
  /** Its end, from its start. */
  readonly end: Micros;
  /** The mean time of a sample: all take from the first one to the end. */
  readonly interval: Micros;
  /** Whether the profile does not tell that. */
  readonly isGuess: boolean;
  /** When the first and the last sample are, counted or not; only with a range. */
  readonly times?: readonly [Micros, Micros] | undefined;
  readonly pauses?: Pauses | undefined;
}

interface SampleTimes extends Omit<Counted, "times"> {
  /** Returns a function that returns the time of the next sample, from the start, in the order of time. */
  readonly times: () => () => Micros;
  /** Whether the file has a time more than samples: the end of the last. */
  readonly isEndGiven: boolean;
  /** By place in the order of time: the sample; undefined if that is the order of the file. */
  readonly order: Uint32Array | undefined;
}

/** Returns the first time of a list that can be one; 0 for none. */
function firstTime(times: NumberList): Micros {
  for (let i = 0; i < times.length; i++) if (Math.abs(times.at(i)) <= LAST_TIME) return times.at(i);
  return 0;
}

function evenly(interval: Micros): () => () => Micros {
  return () => {
    let i = 0;
    return () => interval * i++;
  };
}

/** Chrome writes samples that its threads take of themselves a few ms late: times that go back further are a fault. */
const FAR_BACK: Micros = 100_000;

/** Samples that are not even so far apart have no times. */
const LEAST_SPAN: Micros = 1;

/** The last sample surely does not go on to the end of a profile that is so many times as far off as samples usually are. */
const LATE_END = 2;

/** The limits of a gap that is no work even where a thread is sampled as it waits. */
const FAR_GAP = 20;

/** More gaps for each sample that waits are waits themselves: no machine is so busy. */
const MOST_GAPS_A_WAIT = 4;

/** The intervals of a gap where V8's own sampler is not known to have been without CPU, see {@link gapLimit}. */
const GAP_STEPS = 10;

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : 0;
}
