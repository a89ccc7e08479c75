import { type CallTree, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import type { Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import type { Micros, Ticks } from "../profile/units.js";
import { selfTicks } from "./export-stacks.js";
import { jsonList, jsonNumbers } from "./json-text.js";
import {
  IDLE,
  type ThreadTicks,
  type TickBatch,
  threadTicks,
  ticksOverTime,
  timeFacts,
} from "./ticks-over-time.js";
import { type V8Stacks, v8Stacks } from "./v8-stacks.js";

/** Ticks by node and line; the entries of a node are a linked list in columns. */
class NodeLineTicks {
  #length = 0;
  #line = new Int32Array(64);
  #ticks = new Float64Array(64);
  #next = new Int32Array(64);
  /** By node: 1 + its last entry; 0 if it has none. */
  readonly #last: Int32Array;

  constructor(nodes: number) {
    this.#last = new Int32Array(nodes);
  }

  add(node: number, line: number, ticks: Ticks): void {
    const entry = this.#length++;
    this.#line = reaching(this.#line, entry);
    this.#ticks = reaching(this.#ticks, entry);
    this.#next = reaching(this.#next, entry);
    this.#line[entry] = line;
    this.#ticks[entry] = ticks;
    this.#next[entry] = this.#last[node]!;
    this.#last[node] = entry + 1;
  }

  /** Returns the lines of a node with their ticks, ascending. */
  of(node: number): { readonly line: number; readonly ticks: Ticks }[] {
    const lines = new Map<number, Ticks>();
    for (let entry = this.#last[node]! - 1; entry >= 0; entry = this.#next[entry]! - 1) {
      const line = this.#line[entry]!;
      lines.set(line, (lines.get(line) ?? 0) + this.#ticks[entry]!);
    }
    return Array.from(lines, ([line, ticks]) => ({ line, ticks })).sort((a, b) => a.line - b.line);
  }
}

/**
 * Writes a `.cpuprofile`, the `Profile` of the DevTools protocol. `hitCount` and `positionTicks` are ticks
 * and sum to those of the profile. `samples` has every tick in the order of time, and `(idle)`, which has no
 * hits, in the gaps; `timeDeltas` are µs. The format has one thread, so several threads follow one another. `ticks`
 * has {@link timeFacts}.
 */
export function* cpuprofile(profile: Profile): Iterable<string> {
  const interval = tickInterval(profile.info.sampling);
  const threads = inSequence(threadTicks(profile), interval);
  const stacks = v8Stacks(profile);
  yield '{"nodes":';
  yield* jsonList(nodes(profile, stacks), "\n");
  const last = threads.at(-1);
  const [only, ...others] = profile.info.threads;
  const recorded = others.length === 0 ? only?.recorded : undefined;
  const opened = recorded === undefined && threads[0] !== undefined ? threads[0].first - interval : 0;
  const ended = recorded?.end ?? (last === undefined ? 0 : last.start + last.last + interval);
  const clock = recorded?.start ?? 0;
  const [startTime, endTime] = [clock + opened, clock + ended];
  yield `,\n"startTime":${startTime},"endTime":${endTime},\n"samples":`;
  const { nodeOf, idle } = stacks;
  yield* jsonNumbers(
    overTime(threads),
    ({ sample }, i) => (sample[i] === IDLE ? idle : nodeOf[sample[i]!]!) + 1,
  );
  yield ',\n"timeDeltas":';
  let before = opened;
  yield* jsonNumbers(overTime(threads), ({ time }, i) => {
    const delta = time[i]! - before;
    before = time[i]!;
    return delta;
  });
  const facts = timeFacts(profile.info.sampling);
  if (facts !== undefined) yield `,\n"ticks":${JSON.stringify(facts)}`;
  yield "}\n";
}

/** A thread and what is added to its times. */
interface ShiftedThread extends ThreadTicks {
  readonly start: Micros;
}

/** Puts threads one after the other, an interval apart. */
function inSequence(threads: readonly ThreadTicks[], interval: Micros): ShiftedThread[] {
  let end: Micros | undefined;
  return threads.map((thread) => {
    const start = end === undefined ? 0 : end + interval - thread.first;
    end = start + thread.last;
    return { ...thread, start };
  });
}

/** Yields the nodes. Node 1 is `(root)`; `(idle)` is always under it, as in V8's own profiles. */
function* nodes(profile: Profile, stacks: V8Stacks): Iterable<string> {
  const { tree, idle } = stacks;
  const ticks = selfTicks(profile, stacks);
  const lines = lineTicks(profile, stacks);
  const { firstChild, nextSibling } = children(tree);
  for (let node = ROOT; node < tree.length; node++) {
    const ids: number[] = node === ROOT ? [idle + 1] : [];
    for (let child = firstChild[node]!; child !== ROOT; child = nextSibling[child]!) ids.push(child + 1);
    const positions = lines.of(node);
    yield `{"id":${node + 1},"callFrame":${stacks.callFrame(node)},"hitCount":${ticks[node]}${
      ids.length > 0 ? `,"children":[${ids.join()}]` : ""
    }${positions.length > 0 ? `,"positionTicks":${JSON.stringify(positions)}` : ""}}`;
  }
  yield `{"id":${idle + 1},"callFrame":${stacks.callFrame(idle)},"hitCount":0}`;
}

function lineTicks(
  { samples: { length, ticks } }: Profile,
  { tree, nodeOf, lineOf }: V8Stacks,
): NodeLineTicks {
  const lines = new NodeLineTicks(tree.length);
  for (let i = 0; i < length; i++) {
    if (lineOf[i]! > 0) lines.add(nodeOf[i]!, lineOf[i]!, ticks[i]!);
  }
  return lines;
}

/**
 * Returns linked lists of the children of each node, ascending; the root ends them because it is nobody's
 * child.
 */
function children({ length, parent }: CallTree): { firstChild: Int32Array; nextSibling: Int32Array } {
  const firstChild = new Int32Array(length);
  const nextSibling = new Int32Array(length);
  for (let node = length - 1; node > ROOT; node--) {
    nextSibling[node] = firstChild[parent[node]!]!;
    firstChild[parent[node]!] = node;
  }
  return { firstChild, nextSibling };
}

function* overTime(threads: readonly ShiftedThread[]): Iterable<TickBatch> {
  for (const thread of threads) yield* ticksOverTime(thread, thread.start);
}
