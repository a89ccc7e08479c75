import type { TicksError } from "../base/errors.js";
import { TRACE_PROFILES } from "../base/limits.js";
import type { Profile } from "../profile/profile.js";
import { damaged } from "./damaged.js";
import { HermesReader } from "./hermes.js";
import { numberIn, readJson, type Wanted } from "./json-stream.js";
import type { GivenThread, ReadInputOptions } from "./read-options.js";
import { V8ProfileBuilder } from "./v8-profile.js";

/** Returns whether text is the beginning of a trace. Those of DevTools may begin with much about themselves. */
export function isTrace(head: string): boolean {
  return (
    /^\s*\{[\s\S]*"traceEvents"\s*:/.test(head) ||
    (/^\s*\[\s*\{\s*"(?:args|cat|dur|id|name|ph|pid|s|tid|ts|tts)"\s*:/.test(head) &&
      /"ph"\s*:\s*"/.test(head)) ||
    (/^\s*\{\s*"metadata"\s*:/.test(head) && /"(?:source|dataOrigin|hostDPR|cpuThrottling)"\s*:/.test(head))
  );
}

/** An event of a trace, as far as it tells of profiles. */
interface TraceEvent {
  readonly name?: unknown;
  readonly pid?: unknown;
  readonly tid?: unknown;
  readonly id?: unknown;
  readonly args?: {
    /** That of a thread. */
    readonly name?: unknown;
    /** Where a function begins, in events of Hermes. */
    readonly funcLine?: unknown;
    readonly funcVirtAddr?: unknown;
    readonly data?: ProfileData | null;
  } | null;
}

interface ProfileData {
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly cpuProfile?: ProfileData | null;
  readonly nodes?: unknown;
  readonly samples?: unknown;
  readonly timeDeltas?: unknown;
  readonly lines?: unknown;
  /** From Chrome 141 on. */
  readonly columns?: unknown;
}

/** A profile of a thread. */
interface TracedProfile {
  readonly builder: V8ProfileBuilder;
  readonly pid: number;
  /** That of the event that began the profile: its parts may come from V8's own thread. */
  tid: number;
}

/**
 * Reads the profiles in a Chrome trace, in whatever order its events come: one for each thread that V8 sampled.
 *
 * Source: V8, src/profiler/profile-generator.cc, `CpuProfile::StreamPendingTraceEvents`; Trace Event Format, `thread_name`.
 */
export async function readTrace(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadInputOptions,
): Promise<readonly Profile[]> {
  const trace = new TraceReader();
  const events: Wanted = { kind: "elements", take: (event) => trace.add(event) };
  const hermes = new HermesReader();
  const faults = await readJson(chunks, (first) =>
    first === "["
      ? events
      : { kind: "fields", of: (key) => (key === "traceEvents" ? events : hermes.wanted(key)) },
  );
  if (hermes.hasSamples && trace.profiles.length === 0)
    return hermes.profiles(options, { faults, threadOf: (pid, tid) => trace.threadOf(pid, tid) });
  const profiles = trace.profiles.filter(({ builder }) => builder.nodes > 0);
  const [first] = profiles;
  if (first === undefined) throw withoutProfile(options.name, trace, faults.isCut);
  const { diagnostics } = first.builder;
  // A trace may lack its last bracket: the format allows that, and V8 tells the end of each profile before.
  if (faults.isCut && profiles.some(({ builder }) => builder.endTime === undefined))
    diagnostics.add("cut-json", 1);
  if (faults.damaged > 0) diagnostics.add("damaged-value", 1, undefined, faults.damaged);
  const lost = trace.profiles.reduce(
    (sum, { builder }) => sum + (builder.nodes > 0 ? 0 : builder.samples),
    0,
  );
  if (lost > 0) diagnostics.add("lost-nodes", 1, undefined, lost);
  if (trace.dropped > 0) diagnostics.add("dropped-profile", 1, undefined, trace.dropped);
  return profiles.map(({ builder, pid, tid }) => builder.finish("trace", options, trace.threadOf(pid, tid)));
}

/** Returns the error for a trace without a profile. */
function withoutProfile(
  name: string,
  { events, profiles, isConverted }: TraceReader,
  isCut: boolean,
): TicksError {
  if (profiles.length > 0)
    return damaged(
      name,
      "a Chrome trace",
      "the parts with the functions of its profiles are missing",
      RECORD_ALL,
    );
  if (isCut)
    return damaged(
      name,
      "a Chrome trace",
      `it was cut after ${events} events, before any profile`,
      RECORD_ALL,
    );
  if (isConverted)
    return damaged(
      name,
      "a Hermes profile",
      "it was converted to events, which have no samples",
      "Name it as Hermes wrote it: npx react-native profile-hermes --raw",
    );
  if (events === 0) return damaged(name, "a Chrome trace", "it has no events", RECORD_ALL);
  return damaged(
    name,
    "a Chrome trace",
    "no profile is in it, since the category disabled-by-default-v8.cpu_profiler was not recorded",
    "Record with this category (the Performance panel of DevTools has it); of Node: node --cpu-prof app.js",
  );
}

const RECORD_ALL = "Record it again, with the category disabled-by-default-v8.cpu_profiler.";

/** Returns what a thread is by the name that Chrome or Node gives it. */
function kindOf(label: string | undefined): "main" | "worker" | undefined {
  if (label === undefined) return undefined;
  if (/^(?:Cr(?:Renderer|Browser)Main|JavaScriptMainThread|MainThread)$/.test(label)) return "main";
  return /worker/i.test(label) ? "worker" : undefined;
}

class TraceReader {
  /** By process and thread: its name. */
  readonly threads = new Map<string, string>();
  /** Parts of profiles that were too many. */
  dropped = 0;
  events = 0;
  /** Whether events are calls of functions that `npx react-native profile-hermes` made of samples. */
  isConverted = false;
  readonly #profiles = new Map<string, TracedProfile>();

  get profiles(): readonly TracedProfile[] {
    return Array.from(this.#profiles.values());
  }

  add(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const event = value as TraceEvent;
    this.events++;
    if (event.args?.funcLine !== undefined || event.args?.funcVirtAddr !== undefined) this.isConverted = true;
    switch (event.name) {
      case "thread_name": {
        const name = event.args?.name;
        if (typeof name === "string" && this.threads.size < TRACE_PROFILES)
          this.threads.set(`${numberIn(event.pid)} ${numberIn(event.tid)}`, name);
        return;
      }
      case "Profile": {
        const profile = this.#profileOf(event);
        if (profile === undefined) return;
        profile.tid = numberIn(event.tid);
        this.#addTimes(profile, event.args?.data);
        return;
      }
      case "ProfileChunk":
      case "CpuProfile": {
        const data = event.args?.data;
        const profile = typeof data === "object" && data !== null ? this.#profileOf(event) : undefined;
        if (profile === undefined) return;
        this.#addTimes(profile, data);
        this.#addTimes(profile, data!.cpuProfile);
        addChunk(profile.builder, data!);
      }
    }
  }

  /** Returns what is known of a thread. */
  threadOf(pid: number, tid: number): GivenThread {
    const label = this.threads.get(`${pid} ${tid}`);
    return { pid, isolate: String(tid), kind: kindOf(label), label };
  }

  #profileOf({ pid, tid, id }: TraceEvent): TracedProfile | undefined {
    const key = `${numberIn(pid)} ${typeof id === "string" || typeof id === "number" ? id : `thread ${numberIn(tid)}`}`;
    let profile = this.#profiles.get(key);
    if (profile === undefined) {
      if (this.#profiles.size >= TRACE_PROFILES) {
        this.dropped++;
        return undefined;
      }
      profile = { builder: new V8ProfileBuilder(), pid: numberIn(pid), tid: numberIn(tid) };
      this.#profiles.set(key, profile);
    }
    return profile;
  }

  #addTimes({ builder }: TracedProfile, data: ProfileData | null | undefined): void {
    const { startTime, endTime } = data ?? {};
    if (typeof startTime === "number") builder.startTime = startTime;
    if (typeof endTime === "number") builder.endTime = endTime;
  }
}

/** Adds a part of a profile, each of whose samples has a time, a line and perhaps a column. */
function addChunk(builder: V8ProfileBuilder, data: ProfileData): void {
  const { nodes, samples, timeDeltas, lines, columns } = { ...data, ...data.cpuProfile };
  for (const node of listOf(nodes)) builder.addNode(node);
  const [deltas, ofLines, ofColumns] = [timeDeltas, lines, columns].map(listOf);
  for (const [i, id] of listOf(samples).entries()) {
    builder.addSample(Number(id));
    const delta = deltas![i];
    builder.addDelta(typeof delta === "number" ? delta : Number.NaN);
    // A profile in one event has its lines at the nodes.
    if (ofLines!.length > 0) builder.addSamplePosition(Number(ofLines![i] ?? 0), Number(ofColumns![i] ?? 0));
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
