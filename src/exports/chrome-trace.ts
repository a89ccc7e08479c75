import { cutName, jsonText } from "../base/shown-text.js";
import type { Micros } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { type V8Stacks, v8Stacks } from "./cpuprofile.js";
import { type ExportOptions, exportClock, factsOf } from "./export-options.js";
import { jsonList } from "./json-text.js";
import {
  type DeoptEvent,
  deoptEvents,
  gcSpans,
  IDLE,
  type ThreadTicks,
  threadTicks,
  ticksOverTime,
} from "./ticks-over-time.js";

const CATEGORY = "disabled-by-default-v8.cpu_profiler";

/**
 * Writes a Chrome trace: the JSON object format of trace events, with a `Profile` event for each thread, as
 * V8's CPU profiler writes it in a trace, and its samples in `ProfileChunk` events. A sample is a tick;
 * `(idle)` marks the gaps. Times and `timeDeltas` are µs since the first log of the process was opened.
 * `otherData` has labels, versions and intervals; `metadata` has the date.
 *
 * Source: Trace Event Format; the trace engine of Chrome DevTools, models/trace/handlers/MetaHandler.ts,
 * Threads.ts, WorkersHandler.ts, UserTimingsHandler.ts.
 */
export function* chromeTrace(profile: Profile, options: ExportOptions = {}): Iterable<string> {
  const stacks = v8Stacks(profile);
  const clock = exportClock(profile, options);
  const deopts = deoptEvents(profile, clock.offsets);
  const threads = threadTicks(profile, clock.offsets).map((thread, i) => ({ thread, ids: idsOf(thread, i) }));
  yield '{"displayTimeUnit":"ms","traceEvents":[\n';
  if (threads.length > 0) yield jsonText(startedEvent(threads));
  for (const [i, { thread, ids }] of threads.entries()) {
    for (const event of headOf(thread, ids, i)) yield `,\n${jsonText({ ...event, ...ids })}`;
    const spans = gcSpans(thread, profile.samples);
    for (let span = 0; span < spans.length; span++) {
      const ts = spans.start[span]!;
      const dur = spans.end[span]! - ts;
      const event = { ph: "X", cat: "devtools.timeline,v8", name: "GCEvent", ts, dur, args: {} };
      yield `,\n${jsonText({ ...event, ...ids })}`;
    }
    for (const deopt of deopts[thread.number] ?? []) yield `,\n${jsonText({ ...deoptEvent(deopt), ...ids })}`;
    let end = 0;
    const chunk = { ph: "P", cat: CATEGORY, name: "ProfileChunk", id: idOf(i), ...ids };
    for (const { nodes, data, ts, ticks } of chunks(thread, stacks)) {
      const event = { ...chunk, ts };
      end = ts + Math.round(ticks * (profile.info.tickTime ?? 0));
      yield `,\n${jsonText(event).slice(0, -1)},"args":{"data":{"cpuProfile":{`;
      if (nodes.length > 0) {
        yield '"nodes":';
        yield* jsonList(nodeTexts(nodes, stacks));
        yield ",";
      }
      yield data;
    }
    // The last sample takes the time up to the end.
    if (profile.info.tickTime !== undefined)
      yield `,\n${jsonText({ ...chunk, ts: end, args: { data: { endTime: end } } })}`;
  }
  const { start } = clock;
  const metadata = {
    source: "ticks",
    ...(start !== undefined && { startTime: new Date(start).toISOString() }),
  };
  yield `\n],"metadata":${jsonText(metadata)},"otherData":${jsonText(factsOf(profile, options))}}\n`;
}

interface ThreadIds {
  readonly pid: number;
  readonly tid: number;
}

interface TraceThread {
  readonly thread: ThreadTicks;
  readonly ids: ThreadIds;
}

/** Returns the ids of a thread. One of unknown process is a process of its own. */
function idsOf({ info }: ThreadTicks, i: number): ThreadIds {
  return { pid: info.pid ?? i + 1, tid: i + 1 };
}

/**
 * Returns the event that tells DevTools which processes have a main thread. Without it, DevTools draws all
 * threads closed and grey.
 */
function startedEvent(threads: readonly TraceThread[]) {
  const [first] = threads;
  const processes = new Map(threads.toReversed().map(({ thread, ids }) => [ids.pid, thread.info.log]));
  const frames = Array.from(processes, ([processId, log]) => ({
    frame: String(processId),
    url: urlOf(log),
    name: "",
    processId,
    isOutermostMainFrame: processId === first!.ids.pid,
    isInPrimaryMainFrame: processId === first!.ids.pid,
  }));
  const ts = threads.reduce(
    (least, { thread }) => Math.min(least, startOf(thread)),
    Number.POSITIVE_INFINITY,
  );
  const args = { data: { frameTreeNodeId: 1, persistentIds: true, frames } };
  const cat = "disabled-by-default-devtools.timeline";
  return { ph: "I", s: "t", cat, name: "TracingStartedInBrowser", ts, ...first!.ids, args };
}

/** Returns a URL with the name of a log, as the title of its track. */
function urlOf(log: string): string {
  const name = cutName(log.slice(Math.max(log.lastIndexOf("/"), log.lastIndexOf("\\")) + 1));
  // Lone surrogates cannot be escaped.
  return `file:///${encodeURIComponent(Buffer.from(name).toString())}`;
}

function startOf({ first, sampling }: ThreadTicks): Micros {
  return first - tickInterval(sampling);
}

/** Returns the events before the samples of a thread: what it is, and that it ran. */
function headOf(thread: ThreadTicks, { tid }: ThreadIds, i: number) {
  const { info, sampling, last } = thread;
  const ts = startOf(thread);
  const dur = last + tickInterval(sampling) - ts;
  const isWorker = info.kind === "worker";
  // DevTools opens and colours the tracks of threads with these names.
  const name = isWorker ? "DedicatedWorker thread" : "CrRendererMain";
  const data = { workerThreadId: tid, workerId: `worker ${tid}`, url: urlOf(info.name), frame: String(tid) };
  const worker = { ph: "I", s: "t", cat: "disabled-by-default-devtools.timeline", ts, args: { data } };
  return [
    {
      ph: "M",
      cat: "__metadata",
      name: "process_name",
      ts: 0,
      args: { name: info.program?.command ?? info.log },
    },
    { ph: "M", cat: "__metadata", name: "thread_name", ts: 0, args: { name } },
    ...(isWorker ? [{ ...worker, name: "TracingSessionIdForWorker" }] : []),
    // DevTools only shows threads with an event of their own.
    { ph: "X", cat: "toplevel", name: "JSRoot", ts, dur, args: { thread: info.name } },
    { ph: "P", cat: CATEGORY, name: "Profile", id: idOf(i), ts, args: { data: { startTime: ts } } },
  ];
}

/** Returns a deoptimization as a mark in the track of timings. */
function deoptEvent({ time, function: name, ...data }: DeoptEvent) {
  return { ph: "I", s: "t", cat: "blink.user_timing", name: `Deopt: ${name}`, ts: time, args: { data } };
}

function idOf(thread: number): string {
  return `0x${(thread + 1).toString(16)}`;
}

/**
 * Yields the chunks of a thread: the nodes that are new, and, as the end of a JSON object, the samples, times
 * and lines; and what the last sample weighs.
 */
function* chunks(thread: ThreadTicks, stacks: V8Stacks) {
  const { nodeOf, lineOf, idle } = stacks;
  const isKnown = new Uint8Array(idle + 1);
  let last = startOf(thread);
  for (const { length, sample, time, ticks } of ticksOverTime(thread)) {
    const nodes: number[] = [];
    const nodeAt = (i: number) => (sample[i] === IDLE ? idle : nodeOf[sample[i]!]!);
    for (let i = 0; i < length; i++) addNodes(nodes, nodeAt(i), { stacks, isKnown });
    const samples = listOf(length, (i) => nodeAt(i) + 1);
    const deltas = listOf(length, (i) => {
      const delta = time[i]! - last;
      last = time[i]!;
      return delta;
    });
    const lines = listOf(length, (i) => (sample[i] === IDLE ? 0 : lineOf[sample[i]!]!));
    const data = `"samples":[${samples}]},"timeDeltas":[${deltas}],"lines":[${lines}]}}}`;
    yield { nodes, data, ts: last, ticks: ticks[length - 1]! };
  }
}

function listOf(length: number, entryAt: (i: number) => number): string {
  let list = "";
  for (let i = 0; i < length; i++) list += i === 0 ? entryAt(i) : `,${entryAt(i)}`;
  return list;
}

/** Adds a node and its callers that are not known yet, the root first. */
function addNodes(
  nodes: number[],
  leaf: number,
  { stacks, isKnown }: { stacks: V8Stacks; isKnown: Uint8Array },
) {
  const added: number[] = [];
  for (let node = leaf; isKnown[node] === 0; ) {
    isKnown[node] = 1;
    added.push(node);
    if (node === ROOT) break;
    node = parentOf(node, stacks);
  }
  for (const node of added.reverse()) nodes.push(node);
}

function* nodeTexts(nodes: readonly number[], stacks: V8Stacks): Iterable<string> {
  for (const node of nodes) {
    const caller = node === ROOT ? "" : `,"parent":${parentOf(node, stacks) + 1}`;
    yield `{"id":${node + 1}${caller},"callFrame":${stacks.callFrame(node)}}`;
  }
}

function parentOf(node: number, { tree, idle }: V8Stacks): number {
  return node === idle ? ROOT : tree.parent[node]!;
}
