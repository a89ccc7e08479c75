import type { TicksError } from "../base/errors.js";
import { TRACE_PROFILES } from "../base/limits.js";
import type { Profile } from "../profile/profile.js";
import { damaged } from "./damaged.js";
import { readJson, type Wanted } from "./json-stream.js";
import type { ReadInputOptions } from "./read-options.js";
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
  if (hermes.builder.samples > 0 && trace.profiles.length === 0) {
    if (hermes.builder.nodes === 0)
      throw damaged(options.name, "a Hermes profile", "it has no stackFrames", "Record it again.");
    if (faults.isCut) hermes.builder.diagnostics.add("cut-json", 1);
    if (faults.damaged > 0) hermes.builder.diagnostics.add("damaged-value", 1, undefined, faults.damaged);
    return [hermes.builder.finish("trace", options)];
  }
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
  return profiles.map(({ builder, pid, tid }) => {
    const label = trace.threads.get(`${pid} ${tid}`);
    const thread = { pid, isolate: String(tid), kind: kindOf(label), label };
    return builder.finish("trace", options, thread);
  });
}

/** Returns the error for a trace without a profile. */
function withoutProfile(name: string, { events, profiles }: TraceReader, isCut: boolean): TicksError {
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
  if (events === 0) return damaged(name, "a Chrome trace", "it has no events", RECORD_ALL);
  return damaged(
    name,
    "a Chrome trace",
    "no profile is in it, since the category disabled-by-default-v8.cpu_profiler was not recorded",
    "Record with this category (the Performance panel of DevTools has it); of Node: node --cpu-prof app.js",
  );
}

const RECORD_ALL = "Record it again, with the category disabled-by-default-v8.cpu_profiler.";

/** A sample of Hermes; all are numbers or numbers in texts. */
interface HermesSample {
  readonly ts?: unknown;
  readonly sf?: unknown;
}

/** A place on a stack, with the one that called it. */
interface HermesFrame {
  /** `render(/srv/index.bundle:7:1)`, from 1; `[HostFunction] name`. */
  readonly name?: unknown;
  /** Where it was. */
  readonly line?: unknown;
  readonly parent?: unknown;
}

/**
 * Reads what Hermes, the engine of React Native, writes: a trace whose samples and stacks are beside its events.
 *
 * Source: Hermes, lib/VM/Profiler/ChromeTraceSerializer.cpp.
 */
class HermesReader {
  readonly builder = new V8ProfileBuilder();
  #last: number | undefined;

  wanted(key: string): Wanted | undefined {
    if (key === "samples") return { kind: "elements", take: (sample) => this.#addSample(sample) };
    if (key !== "stackFrames") return undefined;
    return {
      kind: "fields",
      of: (id) => ({ kind: "value", take: (frame) => this.#addFrame(Number(id), frame) }),
    };
  }

  #addSample(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { ts, sf } = value as HermesSample;
    const time = Number(ts);
    this.builder.startTime ??= time;
    this.builder.addSample(Number(sf));
    this.builder.addDelta(time - (this.#last ?? time));
    this.#last = time;
  }

  #addFrame(id: number, value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { name, line, parent } = value as HermesFrame;
    const text = typeof name === "string" ? name : "";
    const { title, url, at, column } = placedName(text);
    const isRoot = text === "[root]";
    const isGc = /^\[GC\b/.test(text);
    this.builder.addNode({
      id,
      parent: parent === undefined ? undefined : Number(parent),
      callFrame: {
        functionName: isRoot ? "(root)" : isGc ? "(garbage collector)" : title,
        url,
        lineNumber: at === undefined ? -1 : Number(at) - 1,
        columnNumber: column === undefined ? -1 : Number(column) - 1,
      },
      hitCount: 1,
      positionTicks:
        url !== "" && Number(line) > 0 ? [{ line: Number(line), ticks: Number.MAX_SAFE_INTEGER }] : [],
    });
  }
}

/** Takes the name of a frame of Hermes apart: `render(/srv/index.bundle:9:12)`. */
function placedName(text: string): {
  readonly title: string;
  readonly url: string;
  readonly at?: string | undefined;
  readonly column?: string | undefined;
} {
  const start = text.indexOf("(");
  const end = start < 0 ? null : /:(\d{1,10}):(\d{1,10})\)$/.exec(text.slice(start + 1));
  if (end === null) return { title: text, url: "" };
  const [, at, column] = end;
  return { title: text.slice(0, start), url: text.slice(start + 1, start + 1 + end.index), at, column };
}

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
  /** All events. */
  events = 0;
  readonly #profiles = new Map<string, TracedProfile>();

  get profiles(): readonly TracedProfile[] {
    return Array.from(this.#profiles.values());
  }

  add(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const event = value as TraceEvent;
    this.events++;
    switch (event.name) {
      case "thread_name": {
        const name = event.args?.name;
        if (typeof name === "string" && this.threads.size < TRACE_PROFILES)
          this.threads.set(`${numberOf(event.pid)} ${numberOf(event.tid)}`, name);
        return;
      }
      case "Profile": {
        const profile = this.#profileOf(event);
        if (profile === undefined) return;
        profile.tid = numberOf(event.tid);
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

  #profileOf({ pid, tid, id }: TraceEvent): TracedProfile | undefined {
    const key = `${numberOf(pid)} ${typeof id === "string" || typeof id === "number" ? id : `thread ${numberOf(tid)}`}`;
    let profile = this.#profiles.get(key);
    if (profile === undefined) {
      if (this.#profiles.size >= TRACE_PROFILES) {
        this.dropped++;
        return undefined;
      }
      profile = { builder: new V8ProfileBuilder(), pid: numberOf(pid), tid: numberOf(tid) };
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
    if (ofLines!.length > 0) builder.addSamplePlace(Number(ofLines![i] ?? 0), Number(ofColumns![i] ?? 0));
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0;
}
