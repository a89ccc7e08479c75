import type { Ticks } from "../../profile/units.js";
import { percentOf } from "../../views/shares.js";
import type { Spike } from "../../views/spikes.js";
import type { ThreadTimeline } from "../../views/thread-timelines.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonFunction, jsonHead } from "../layout/json-parts.js";
import type { TimelineReport } from "./text.js";

/** Yields ticks over time for programs. `timeline.schema.json` describes them. */
export function* timelineJson(
  { profile, threads, spikes }: TimelineReport,
  layout: JsonLayout = {},
): Iterable<string> {
  const head = jsonHead({ command: "timeline", schemaVersion: 1 }, profile);
  yield* jsonLines(
    {
      ...head,
      threads: threads.map((timeline, i) => ({
        ...head.threads[timeline.thread]!,
        ...slicesOf(timeline),
        spikes: spikes[i]!.map(spikeOf),
      })),
    },
    layout,
  );
}

function slicesOf({ start, width, count, by, lanes, gapTime, gaps }: ThreadTimeline) {
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

function spikeOf({ kind, from, to, ticks, kindTicks, functions, program, inProgram }: Spike) {
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
    functions: functions.map((one) => ({ ...jsonFunction(one.function), ...selfOf(one.self, ticks) })),
  };
}

function selfOf(self: Ticks, whole: Ticks) {
  return { self, selfPercent: percentOf(self, whole) };
}
