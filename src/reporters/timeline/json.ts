import type { ThreadInfo } from "../../profile/profile.js";
import { LANES } from "../../views/thread-timelines.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonFunction, jsonHead } from "../layout/json-parts.js";
import type { TimelineReport } from "./text.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_TIMELINE_VERSION = 1;

/** VM states over time, for programs. `timeline.schema.json` describes it. */
export function* timelineJson({ profile, threads, spikes }: TimelineReport): Iterable<string> {
  yield* jsonLines({
    version: JSON_TIMELINE_VERSION,
    ...jsonHead(profile),
    threads: threads.map(({ thread, start, width, count, ticks, lanes, gapTime, gaps }, i) => ({
      ...threadOf(profile.info.threads[thread]!),
      start,
      width,
      count,
      ticks,
      states: Object.fromEntries(LANES.map((lane, number) => [lane, Array.from(lanes[number]!)])),
      gaps: gapTime === undefined ? null : gaps,
      gapTime: gapTime === undefined ? null : Array.from(gapTime),
      spikes: spikes[i]!.map(({ kind, from, to, ticks: all, own, functions }) => ({
        kind,
        from,
        to,
        ticks: all,
        own,
        functions: functions.map((one) => ({ ...jsonFunction(one.function), self: one.self })),
      })),
    })),
  });
}

function threadOf({ name, log, pid, isolate, kind }: ThreadInfo) {
  return { name, log, pid: pid ?? null, isolate: isolate ?? null, kind: kind ?? null };
}
