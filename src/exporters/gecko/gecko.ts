import type { Profile } from "../../profile/profile.js";
import { type SlowSampling, slowSampling, tickInterval } from "../../profile/sampling.js";
import type { Micros } from "../../profile/units.js";
import { jsonText } from "../../views/shown-text.js";
import type { ExportStacks } from "../export-stacks.js";
import { jsonList } from "../json-list.js";
import { type ThreadTicks, threadTicks } from "../thread-ticks.js";
import { batchTexts, IDLE, ticksOverTime } from "../tick-times.js";
import { CATEGORIES } from "./gecko-functions.js";
import { geckoShared } from "./gecko-shared.js";

/** The version of the processed profile format; viewers upgrade older ones. */
const PROCESSED_VERSION = 61;
/** The version of Firefox's own format, which a processed profile states too. */
const GECKO_VERSION = 30;

const NO_MARKERS = '{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}';

/**
 * Writes a profile in the processed format of the Firefox Profiler. A sample is a tick. A sample without a
 * stack, which has no weight, marks the begin and end of a gap. Times are milliseconds since the log of the
 * thread was opened. If the sampler was slow, `meta.extra` has the interval asked for and the one got, which the
 * viewer shows with the other facts about the profile.
 *
 * Source: Firefox Profiler, docs-developer/processed-profile-format.md, src/types/profile.ts.
 */
export function* gecko(profile: Profile): Iterable<string> {
  const { title, sampling } = profile.info;
  const interval = tickInterval(sampling);
  const slow = slowSampling(sampling);
  const { stacks, json } = geckoShared(profile);
  const meta = {
    interval: interval / 1000,
    startTime: 0,
    processType: 0,
    product: "Node.js",
    importedFrom: "ticks",
    arguments: title,
    categories: CATEGORIES,
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    symbolicated: true,
    symbolicationNotSupported: true,
    sourceCodeIsNotOnSearchfox: true,
    markerSchema: [],
    sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "ns" },
    ...(slow && { extra: [samplingFacts(slow)] }),
    extensions: { baseURL: [], id: [], name: [], length: 0 },
  };
  yield `{"meta":${jsonText(meta)},\n`;
  yield* json;
  yield ',\n"threads":[';
  for (const [i, thread] of threadTicks(profile).entries()) {
    if (i > 0) yield ",";
    yield* threadJson(thread, { number: i + 1, stacks });
  }
  yield "]}\n";
}

/** Returns both intervals as a section of the viewer's panel of facts. */
function samplingFacts({ asked, got }: SlowSampling) {
  const fact = (label: string, time: Micros) => ({ label, format: "duration", value: time / 1000 });
  return { label: "Sampling", entries: [fact("Interval asked for", asked), fact("Interval got", got)] };
}

interface ThreadContext {
  readonly number: number;
  readonly stacks: ExportStacks;
}

function* threadJson(thread: ThreadTicks, { number, stacks }: ThreadContext): Iterable<string> {
  const { info, sampling, sample, timestamp } = thread;
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
  yield `\n${jsonText(head).slice(0, -1)},\n"markers":${NO_MARKERS},\n"samples":{"weight":null,"weightType":"samples","stack":`;
  const times = () => ticksOverTime(timestamp, sampling);
  const stackAt = (tick: number) => (tick === IDLE ? "null" : stacks.nodeOf[sample[tick]!]! - 1);
  yield* jsonList(batchTexts(times(), stackAt));
  yield ',\n"time":';
  yield* jsonList(batchTexts(times(), (_, time) => time / 1000));
  let length = 0;
  for (const batch of times()) length += batch.length;
  yield `,\n"length":${length}}}`;
}
