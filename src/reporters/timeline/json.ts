import type { Ticks } from "../../profile/units.js";
import type { TimelineReport } from "../../reports/timeline.js";
import type { GroupBy } from "../../views/lanes.js";
import { percentOf } from "../../views/shares.js";
import type { Spike } from "../../views/spikes.js";
import type { ThreadTimeline } from "../../views/thread-timelines.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type FromOne,
  type FunctionData,
  type Integer,
  type JsonHead,
  jsonFunction,
  jsonHead,
  type Microseconds,
  type Percent,
  type ThreadData,
} from "../layout/json-parts.js";

/**
 * Times are microseconds since the thread's log was opened; the zeros of several logs are not the same moment. Weights are
 * numbers of ticks.
 * @id timeline.schema.json
 * @title ticks timeline --format json, schema version 1
 */
export interface TimelineData extends JsonHead<"timeline"> {
  /** Threads with ticks. Their ticks sum to ticks. */
  readonly threads: readonly ThreadOverTime[];
}

export interface ThreadOverTime extends ThreadData, SlicesData {
  /**
   * Adjacent slices that stand out: for a kind with 25 % of their ticks and twice its share in the thread, or (busy) for
   * twice the mean ticks of a slice. At least 10 ticks of the kind. The largest ones, in order of time.
   */
  readonly spikes: readonly SpikeData[];
}

export interface SlicesData {
  /** Start of the first slice. */
  readonly startUs: Microseconds;
  /** Length of each slice. */
  readonly sliceUs: Microseconds;
  /** Number of slices. */
  readonly slices: FromOne;
  /** What lanes are: categories, as in `ticks top`, or VM states (--by state). */
  readonly by: GroupBy;
  /** By category or VM state: the ticks of each slice. A slice's ticks sum over the lanes to all its ticks. */
  readonly lanes: Readonly<Record<string, readonly Ticks[]>>;
  /** How often no tick came for over ten intervals. null if a filter removed ticks. */
  readonly gaps: Integer | null;
  /** How much of each slice is in gaps. */
  readonly gapTimeUs: readonly Microseconds[] | null;
}

export interface SpikeData {
  readonly kind: Spike["kind"];
  readonly fromUs: Microseconds;
  readonly toUs: Microseconds;
  readonly ticks: Ticks;
  /** Those of its kind; all for busy. */
  readonly kindTicks: Ticks;
  /**
   * The functions of the program with most ticks, with all that they call outside it: each tick at the innermost function of
   * the program itself in its stack, else of a package.
   */
  readonly program: readonly SpikeProgramFunction[];
  /** Those of all functions of the program. */
  readonly programTicks: Ticks;
  /** Those with most self ticks; then the hottest JavaScript function, if none of them is one. */
  readonly functions: readonly SpikeFunction[];
}

export interface SpikeProgramFunction extends FunctionData {
  readonly ticks: Ticks;
  /** Of the spike's ticks. */
  readonly percent: Percent;
}

export interface SpikeFunction extends FunctionData {
  readonly self: Ticks;
  /** Of the spike's ticks. */
  readonly selfPercent: Percent;
}

/** Yields ticks over time for programs. */
export function timelineJson(report: TimelineReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(timelineData(report), layout);
}

export function timelineData({ profile, threads, spikes }: TimelineReport): TimelineData {
  const head = jsonHead("timeline", profile);
  return {
    ...head,
    threads: threads.map((timeline, i) => ({
      ...head.threads[timeline.thread]!,
      ...slicesOf(timeline),
      spikes: spikes[i]!.map(spikeOf),
    })),
  };
}

function slicesOf({ start, width, count, by, lanes, gapTime, gaps }: ThreadTimeline): SlicesData {
  return {
    startUs: start,
    sliceUs: width,
    slices: count,
    by,
    lanes: Object.fromEntries(Array.from(lanes, ([lane, ticks]) => [lane, Array.from(ticks)])),
    gaps: gapTime === undefined ? null : gaps,
    gapTimeUs: gapTime === undefined ? null : Array.from(gapTime),
  };
}

function spikeOf({ kind, from, to, ticks, kindTicks, functions, program, inProgram }: Spike): SpikeData {
  return {
    kind,
    fromUs: from,
    toUs: to,
    ticks,
    kindTicks,
    program: program.map((one) => ({
      ...jsonFunction(one.function),
      ticks: one.ticks,
      percent: percentOf(one.ticks, ticks),
    })),
    programTicks: inProgram,
    functions: functions.map((one) => ({
      ...jsonFunction(one.function),
      self: one.self,
      selfPercent: percentOf(one.self, ticks),
    })),
  };
}
