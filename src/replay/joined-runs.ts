import type { Micros } from "../base/units.js";
import { FRESH_SHIFT, HAS_TOS, TICK_TIME, TICK_TOS } from "../kernels/layout.js";
import type { LogRecord, RecordTaker } from "../log/rows/row-decoders.js";
import type { TickFields } from "../log/rows/tick.js";
import type { DiagnosticCode } from "../profile/diagnostics.js";

// A file can hold more than one run: `cat a.log b.log`, or a program that was started again and appended to it. And
// several processes or threads can write into one file at once, by whole rows or pieces of rows.

/** Takes the records of a file, run by run, in order. */
interface RunTaker extends RecordTaker {
  /** Called before the first row of another run, with its line. */
  beginRun(line: number): void;
}

/** What the times of a run's ticks say against it; lines count from 1. */
export interface TimeFault {
  /** `mixed`: times go back again and again. `back`: they do so once or twice. */
  readonly kind: "mixed" | "back";
  /** The first tick that is earlier than the one before. */
  readonly line: number;
  /** How long the run took, as far as that can be told. */
  readonly span: Micros;
}

/** Times that go back so often are those of several writers. */
const MIXED = 3;
/** The beginning of a run that is held back until its times tell whether it is one. */
const MOST_HELD = 50_000;
const MOST_HELD_BYTES = 1 << 24;
/** When a run begins, V8 logs code all the time: its first tick comes no later after the last of it. */
const LONGEST_START: Micros = 50_000;
/** More runs in one file are read as one. */
const MOST_RUNS = 64;

/** Indices of a tick's fields, in numbers: see log/rows/tick-fields.ts. */
const TIME = TICK_TIME / Float64Array.BYTES_PER_ELEMENT;
const TOS = TICK_TOS / Float64Array.BYTES_PER_ELEMENT;

interface Held {
  readonly record: LogRecord;
  readonly line: number;
}

/**
 * Tells apart the runs of a file, and passes their records on. Another run begins
 *
 * - with a version of V8 after the end of the profiler, or after ticks,
 * - with libraries or the begin of the profiler after ticks, if times then go back: a process writes these rows again
 *   when its profiler is started again, and then times go on;
 * - with the begin of the profiler after its end or without any times, in logs of V8 to 3.28, which state no version: that
 *   V8 writes it once.
 *
 * If the time of the next tick goes on as if there had been no such rows, another process has written them into the file
 * of one that still runs: then they are no beginning.
 */
export class LogRuns implements RecordTaker {
  readonly #taker: RunTaker;
  #runs = 1;
  /** Whether the run has had a tick, and whether its profiler has ended since its last one. */
  #hasTicks = false;
  #hasEnded = false;
  #hasVersion = false;
  #times = new RunTimes();
  /** The rows that may begin another run, and what follows until the next tick; undefined if there are none. */
  #held: Held[] | undefined;
  #heldBytes = 0;
  /** The time of the last code in these rows. */
  #heldTime = Number.NaN;
  #hasHeldVersion = false;
  #hasHeldBegin = false;

  constructor(taker: RunTaker) {
    this.#taker = taker;
  }

  /** What the times of the run's ticks say against it. */
  get fault(): TimeFault | undefined {
    return this.#times.fault;
  }

  /** Whether the profiler has ended, and no tick came since. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  takeRecord(record: LogRecord, line: number): void {
    if (record.type === "tick") {
      this.#settle(record.timestamp);
      this.#hasTicks = true;
      this.#hasEnded = false;
      this.#times.add(record.timestamp, line);
    } else if (this.#held !== undefined) {
      this.#hold(record, line);
      return;
    } else if (this.#mayBegin(record)) {
      if (record.type === "v8-version" && this.#hasEnded) this.#begin(line);
      else {
        this.#held = [];
        this.#hold(record, line);
        return;
      }
    }
    this.#pass(record, line);
  }

  /** Takes ticks; `line` is that of the last one. */
  takeTicks(fields: TickFields, count: number, line: number): void {
    if (fields.length === 0) return;
    this.#settle(fields[TIME]!);
    this.#hasTicks = true;
    this.#hasEnded = false;
    this.#times.addAll(fields, line - count + 1);
    this.#taker.takeTicks(fields, count, line);
  }

  add(code: DiagnosticCode, line: number, type?: string, times?: number): void {
    this.#taker.add(code, line, type, times);
  }

  /** Ends the file. */
  end(): void {
    this.#settle(undefined);
  }

  /** Whether a row can be the first of another run. */
  #mayBegin(record: LogRecord): boolean {
    if (this.#runs >= MOST_RUNS) return false;
    switch (record.type) {
      case "v8-version":
        return this.#hasVersion && (this.#hasTicks || this.#hasEnded);
      case "v8-platform":
      case "shared-library":
        return this.#hasTicks;
      case "profiler":
        return this.#hasTicks && record.event === "begin";
      default:
        return false;
    }
  }

  #hold(record: LogRecord, line: number): void {
    this.#held!.push({ record, line });
    if (record.type === "v8-version") this.#hasHeldVersion = true;
    if (record.type === "profiler" && record.event === "begin") this.#hasHeldBegin = true;
    if (record.type === "code-creation" && record.timestamp > 0) this.#heldTime = record.timestamp;
    if (record.type === "script-source") this.#heldBytes += record.source.length;
    if (this.#held!.length >= MOST_HELD || this.#heldBytes >= MOST_HELD_BYTES) this.#settle(undefined);
  }

  /** Decides about the rows held back by the time of the next tick; undefined if there is none. */
  #settle(time: Micros | undefined): void {
    const held = this.#held;
    if (held === undefined) return;
    const begins = this.#isBeginning(time);
    this.#held = undefined;
    this.#heldBytes = 0;
    this.#heldTime = Number.NaN;
    this.#hasHeldVersion = false;
    this.#hasHeldBegin = false;
    if (begins) this.#begin(held[0]!.line);
    for (const { record, line } of held) this.#pass(record, line);
  }

  #isBeginning(time: Micros | undefined): boolean {
    const last = this.#times.last;
    const hasCodeBefore = this.#heldTime < last;
    const isUntimed = last === 0 && time === 0;
    if (!this.#hasVersion && this.#hasHeldBegin && (this.#hasEnded || isUntimed)) return true;
    if (time === undefined) return this.#hasHeldVersion || hasCodeBefore;
    if (time < last) return true;
    if (hasCodeBefore) return time - this.#heldTime <= LONGEST_START;
    return this.#hasHeldVersion;
  }

  #begin(line: number): void {
    this.#runs++;
    this.#taker.beginRun(line);
    this.#hasTicks = false;
    this.#hasEnded = false;
    this.#hasVersion = false;
    this.#times = new RunTimes();
  }

  #pass(record: LogRecord, line: number): void {
    if (record.type === "v8-version") this.#hasVersion = true;
    if (record.type === "profiler" && record.event === "end") this.#hasEnded = true;
    this.#taker.takeRecord(record, line);
  }
}

/** Watches the times of the ticks of a run. */
class RunTimes {
  /** NaN before the first tick. */
  last: Micros = Number.NaN;
  #first: Micros = Number.NaN;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  /** How often times went back, the line where they first did, and the time up to there. */
  #backs = 0;
  #line = 0;
  #before = 0;

  add(time: Micros, line: number): void {
    if (!(time >= this.last)) this.#goBack(time, line);
    this.last = time;
  }

  /** Adds ticks of which the first one is in `line`. */
  addAll(fields: TickFields, line: number): void {
    const integers = new Int32Array(fields.buffer, fields.byteOffset, 2 * fields.length);
    let last = this.last;
    let tick = line;
    for (let at = 0; at < fields.length; tick++) {
      const head = integers[2 * at]!;
      const time = fields[at + TIME]!;
      if (!(time >= last)) {
        this.last = last;
        this.#goBack(time, tick);
      }
      last = time;
      at += TOS + ((head & HAS_TOS) === 0 ? 0 : 1) + (head >>> FRESH_SHIFT);
    }
    this.last = last;
  }

  get fault(): TimeFault | undefined {
    if (this.#backs === 0) return undefined;
    const kind = this.#backs >= MIXED ? "mixed" : "back";
    const whole = Math.max(this.#most, this.last) - Math.min(this.#least, this.#first);
    const parts = this.#before + Math.max(0, this.last - this.#first);
    return { kind, line: this.#line, span: kind === "mixed" ? whole : parts };
  }

  /** Ends a stretch of times that go on, if this is not the first time, and begins another. */
  #goBack(time: Micros, line: number): void {
    if (!Number.isNaN(this.#first)) {
      this.#backs++;
      if (this.#backs === 1) this.#line = line;
      this.#before += this.last - this.#first;
      this.#least = Math.min(this.#least, this.#first);
      this.#most = Math.max(this.#most, this.last);
    }
    this.#first = time;
  }
}
