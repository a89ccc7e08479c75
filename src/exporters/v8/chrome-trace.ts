import { ROOT } from "../../profile/call-tree.js";
import type { Profile } from "../../profile/profile.js";
import { slowSampling, tickInterval } from "../../profile/sampling.js";
import type { Micros } from "../../profile/units.js";
import { jsonText } from "../../views/shown-text.js";
import { jsonList } from "../json-list.js";
import { type ThreadTicks, threadTicks } from "../thread-ticks.js";
import { IDLE, intervalsOf, ticksOverTime } from "../tick-times.js";
import { type V8Stacks, v8Stacks } from "./v8-stacks.js";

const CATEGORY = "disabled-by-default-v8.cpu_profiler";

/**
 * Writes a Chrome trace: the JSON object format of trace events, with a `Profile` event for each thread, as
 * V8's CPU profiler writes it in a trace, and its samples in `ProfileChunk` events. A sample is a tick;
 * `(idle)` marks the gaps. Times and `timeDeltas` are µs since the log of the thread was opened. If the
 * sampler was slow, `otherData` has the interval asked for and the one got.
 */
export function* chromeTrace(profile: Profile): Iterable<string> {
  const stacks = v8Stacks(profile);
  yield '{"displayTimeUnit":"ms","traceEvents":[\n';
  for (const [i, thread] of threadTicks(profile).entries()) {
    // A thread of unknown process is a process of its own.
    const ids = { pid: thread.info.pid ?? i + 1, tid: i + 1 };
    const interval = tickInterval(thread.sampling);
    const start = thread.timestamp[0]! - interval;
    const dur = thread.timestamp.at(-1)! + interval - start;
    const head = [
      { ph: "M", cat: "__metadata", name: "process_name", ts: 0, args: { name: thread.info.log } },
      { ph: "M", cat: "__metadata", name: "thread_name", ts: 0, args: { name: thread.info.name } },
      // DevTools only shows threads with an event of their own.
      { ph: "X", cat: "ticks", name: "from the first tick to the last", ts: start, dur, args: {} },
      {
        ph: "P",
        cat: CATEGORY,
        name: "Profile",
        id: idOf(i),
        ts: start,
        args: { data: { startTime: start } },
      },
    ].map((event) => jsonText({ ...event, ...ids }));
    yield `${i === 0 ? "" : ",\n"}${head.join(",\n")}`;
    for (const { nodes, data, ts } of chunks(thread, stacks)) {
      const event = { ph: "P", cat: CATEGORY, name: "ProfileChunk", id: idOf(i), ...ids, ts };
      yield `,\n${jsonText(event).slice(0, -1)},"args":{"data":{"cpuProfile":{`;
      if (nodes.length > 0) {
        yield '"nodes":';
        yield* jsonList(nodeTexts(nodes, stacks));
        yield ",";
      }
      yield data;
    }
  }
  const slow = slowSampling(profile.info.sampling);
  yield slow === undefined ? "\n]}\n" : `\n],"otherData":${JSON.stringify(intervalsOf(slow))}}\n`;
}

function idOf(thread: number): string {
  return `0x${(thread + 1).toString(16)}`;
}

/**
 * Yields the chunks of a thread: the nodes that are new, and, as the end of a JSON object, the samples, times
 * and lines.
 */
function* chunks({ sample, timestamp, sampling }: ThreadTicks, stacks: V8Stacks) {
  const isKnown = new Uint8Array(stacks.idle + 1);
  let last = timestamp[0]! - tickInterval(sampling);
  for (const { length, tick, time } of ticksOverTime(timestamp, sampling)) {
    const nodes: number[] = [];
    const samples: number[] = [];
    const timeDeltas: Micros[] = [];
    const lines: number[] = [];
    for (let i = 0; i < length; i++) {
      const row = tick[i] === IDLE ? undefined : sample[tick[i]!]!;
      const node = row === undefined ? stacks.idle : stacks.nodeOf[row]!;
      addNodes(nodes, node, { stacks, isKnown });
      samples.push(node + 1);
      timeDeltas.push(time[i]! - last);
      lines.push(row === undefined ? 0 : stacks.lineOf[row]!);
      last = time[i]!;
    }
    const data = `"samples":[${samples}]},"timeDeltas":[${timeDeltas}],"lines":[${lines}]}}}`;
    yield { nodes, data, ts: last };
  }
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
