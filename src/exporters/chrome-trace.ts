import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import type { Micros } from "../profile/units.js";
import { type ThreadTicks, threadTicks } from "./thread-ticks.js";
import { IDLE, ticksOverTime } from "./tick-times.js";
import { type V8Stacks, v8Stacks } from "./v8-stacks.js";

/** Samples in one event. V8 writes some hundreds. */
const CHUNK_SAMPLES = 1000;
const CATEGORY = "disabled-by-default-v8.cpu_profiler";

/**
 * A trace as Chrome's: the JSON object format of trace events, with a `Profile` event a thread, as V8's CPU profiler
 * writes it while it is traced, and its samples in `ProfileChunk` events. A sample is a tick, `(idle)` marks the gaps; times and
 * `timeDeltas` are µs since the log of the thread was opened.
 */
export function* chromeTrace(profile: Profile): Iterable<string> {
  const interval = tickInterval(profile.info.sampling);
  const stacks = v8Stacks(profile);
  yield '{"displayTimeUnit":"ms","traceEvents":[\n';
  for (const [i, thread] of threadTicks(profile).entries()) {
    // In a process of which the log does not say the number, a thread is its own process.
    const ids = { pid: thread.info.pid ?? i + 1, tid: i + 1 };
    const start = thread.timestamp[0]! - interval;
    const dur = thread.timestamp.at(-1)! + interval - start;
    const head = [
      { ph: "M", cat: "__metadata", name: "process_name", ts: 0, args: { name: thread.info.log } },
      { ph: "M", cat: "__metadata", name: "thread_name", ts: 0, args: { name: thread.info.name } },
      // DevTools shows nothing of a thread without an event of its own.
      { ph: "X", cat: "ticks", name: "from the first tick to the last", ts: start, dur, args: {} },
      {
        ph: "P",
        cat: CATEGORY,
        name: "Profile",
        id: idOf(i),
        ts: start,
        args: { data: { startTime: start } },
      },
    ].map((event) => JSON.stringify({ ...event, ...ids }));
    yield `${i === 0 ? "" : ",\n"}${head.join(",\n")}`;
    for (const { data, ts } of chunks(thread, stacks, interval)) {
      const event = { ph: "P", cat: CATEGORY, name: "ProfileChunk", id: idOf(i), ...ids, ts };
      yield `,\n${JSON.stringify(event).slice(0, -1)},"args":{"data":${data}}}`;
    }
  }
  yield "\n]}\n";
}

function idOf(thread: number): string {
  return `0x${(thread + 1).toString(16)}`;
}

/** What is said of some samples of a thread: those nodes that no chunk before has, the samples, times and lines. */
class Chunk {
  readonly nodes: string[] = [];
  readonly samples: number[] = [];
  readonly timeDeltas: Micros[] = [];
  readonly lines: number[] = [];

  get json(): string {
    const { nodes, samples, timeDeltas, lines } = this;
    const known = nodes.length === 0 ? "" : `"nodes":[${nodes.join()}],`;
    return `{"cpuProfile":{${known}"samples":[${samples}]},"timeDeltas":[${timeDeltas}],"lines":[${lines}]}`;
  }
}

function* chunks({ sample, timestamp }: ThreadTicks, stacks: V8Stacks, interval: Micros) {
  const isKnown = new Uint8Array(stacks.idle + 1);
  let chunk = new Chunk();
  let last = timestamp[0]! - interval;
  for (const { tick, time } of ticksOverTime(timestamp, interval)) {
    const node = tick === IDLE ? stacks.idle : stacks.nodeOf[sample[tick]!]!;
    addNodes(chunk.nodes, node, { stacks, isKnown });
    chunk.samples.push(node + 1);
    chunk.timeDeltas.push(time - last);
    chunk.lines.push(tick === IDLE ? 0 : stacks.lineOf[sample[tick]!]!);
    last = time;
    if (chunk.samples.length < CHUNK_SAMPLES) continue;
    yield { data: chunk.json, ts: time };
    chunk = new Chunk();
  }
  if (chunk.samples.length > 0) yield { data: chunk.json, ts: last };
}

/** Adds a node and those of its callers that are not known yet, the root first. */
function addNodes(
  nodes: string[],
  leaf: number,
  { stacks, isKnown }: { stacks: V8Stacks; isKnown: Uint8Array },
) {
  const added: string[] = [];
  for (let node = leaf; isKnown[node] === 0; ) {
    isKnown[node] = 1;
    const parent = node === stacks.idle ? ROOT : stacks.tree.parent[node]!;
    const caller = node === ROOT ? "" : `,"parent":${parent + 1}`;
    added.push(`{"id":${node + 1}${caller},"callFrame":${stacks.callFrame(node)}}`);
    if (node === ROOT) break;
    node = parent;
  }
  nodes.push(...added.reverse());
}
