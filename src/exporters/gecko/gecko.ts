import type { Profile } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import { jsonText } from "../../views/shown-text.js";
import type { AsciiText } from "../ascii-text.js";
import { exportClock } from "../export-clock.js";
import { factsOf } from "../export-facts.js";
import type { ExportStacks } from "../export-stacks.js";
import type { ExportOptions } from "../exporter.js";
import { jsonNumbers } from "../json-list.js";
import { deoptEvents, gcSpans } from "../thread-events.js";
import { type ThreadTicks, threadTicks } from "../thread-ticks.js";
import { IDLE, runsOverTime, ticksOverTime, timeNote } from "../tick-times.js";
import { categoriesOf } from "./gecko-functions.js";
import { geckoMarkers, MARKER_SCHEMA } from "./gecko-markers.js";
import { geckoShared } from "./gecko-shared.js";

/** The version of the processed profile format; viewers upgrade older ones. */
const PROCESSED_VERSION = 61;
/** The version of Firefox's own format, which a processed profile states too. */
const GECKO_VERSION = 30;

/**
 * Writes a profile in the processed format of the Firefox Profiler. A sample is a tick, or, if many have the
 * stack of the one before, several in a row with one stack, which are its weight. A sample without a stack, which
 * has no weight, marks the begin and end of a gap. Times are milliseconds since the first log of the process was
 * opened. `meta.extra` has {@link timeNote} and what else is known of the profile, which the viewer shows.
 *
 * Source: Firefox Profiler, docs-developer/processed-profile-format.md, src/types/profile.ts.
 */
export function* gecko(profile: Profile, options: ExportOptions = {}): Iterable<string> {
  const { title, sampling } = profile.info;
  const interval = tickInterval(sampling);
  const note = timeNote(sampling);
  const { stacks, json } = geckoShared(profile);
  const clock = exportClock(profile, options);
  const deopts = deoptEvents(profile, clock.offsets);
  const meta = {
    interval: interval / 1000,
    startTime: clock.start ?? 0,
    processType: 0,
    product: "Node.js",
    importedFrom: "ticks",
    arguments: title,
    categories: categoriesOf(profile.info),
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    symbolicated: true,
    symbolicationNotSupported: true,
    sourceCodeIsNotOnSearchfox: true,
    markerSchema: MARKER_SCHEMA,
    sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "ns" },
    extra: [
      ...(note === undefined ? [] : [facts("Sampling", { Times: note })]),
      facts("Profile", factsOf(profile, options)),
    ],
    extensions: { baseURL: [], id: [], name: [], length: 0 },
  };
  yield `{"meta":${jsonText(meta)},\n`;
  yield* json;
  yield ',\n"threads":[';
  for (const [i, thread] of threadTicks(profile, clock.offsets).entries()) {
    if (i > 0) yield ",";
    const markers = geckoMarkers(gcSpans(thread, profile.samples), deopts[thread.number] ?? []);
    yield* threadJson(thread, { number: i + 1, stacks, markers });
  }
  yield "]}\n";
}

/** Returns a section of the viewer's panel of facts. */
function facts(label: string, known: Record<string, string | number | boolean>) {
  const entries = Object.entries(known).map(([label, value]) => ({
    label,
    format: "string",
    value: String(value),
  }));
  return { label, entries };
}

/** Samples are put together if that leaves fewer than this share of them: their weights take space too. */
const MERGED_SHARE = 0.8;

interface ThreadContext {
  readonly number: number;
  readonly stacks: ExportStacks;
  /** The table of its markers. */
  readonly markers: Iterable<string>;
}

function* threadJson(thread: ThreadTicks, { number, stacks, markers }: ThreadContext): Iterable<string> {
  const { info } = thread;
  const head = {
    processType: "default",
    processName: info.log,
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: 0,
    unregisterTime: null,
    pausedRanges: [],
    name: info.name,
    isMainThread: info.kind !== "worker",
    // A thread of unknown process is a process of its own.
    pid: info.pid === undefined ? `log ${number}` : String(info.pid),
    tid: number,
  };
  yield `\n${jsonText(head).slice(0, -1)},\n"markers":`;
  yield* markers;
  const runs = () => runsOverTime(thread, stacks.nodeOf);
  let length = 0;
  for (const batch of runs()) length += batch.length;
  if (length < thread.length * MERGED_SHARE) {
    yield ',\n"samples":{"weight":';
    yield* jsonNumbers(runs(), (text, { ticks }, i) => text.number(ticks[i]!));
    yield ',\n"weightType":"samples","stack":';
    yield* jsonNumbers(runs(), (text, { stack }, i) => writeStack(text, stack[i]!));
    yield ',\n"time":';
    yield* jsonNumbers(runs(), (text, { time }, i) => text.thousandths(time[i]!));
    yield `,\n"length":${length}}}`;
    return;
  }
  const times = () => ticksOverTime(thread);
  length = 0;
  for (const batch of times()) length += batch.length;
  yield ',\n"samples":{"weight":null,"weightType":"samples","stack":';
  yield* jsonNumbers(times(), (text, { sample }, i) =>
    writeStack(text, sample[i] === IDLE ? IDLE : stacks.nodeOf[sample[i]!]!),
  );
  yield ',\n"time":';
  yield* jsonNumbers(times(), (text, { time }, i) => text.thousandths(time[i]!));
  yield `,\n"length":${length}}}`;
}

/** Writes the row of a stack; the root has none. */
function writeStack(text: AsciiText, stack: number): void {
  if (stack === IDLE) text.text("null");
  else text.number(stack - 1);
}
