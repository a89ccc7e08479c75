import { type CallTree, ROOT } from "../profile/call-tree.js";
import { PairNumbers } from "../profile/pair-numbers.js";
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

/** The ticks of a line of a node. */
interface LineTicks {
  readonly node: number;
  readonly line: number;
  ticks: Ticks;
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
  let next = 0;
  const { firstChild, nextSibling } = children(tree);
  for (let node = ROOT; node < tree.length; node++) {
    const ids: number[] = node === ROOT ? [idle + 1] : [];
    for (let child = firstChild[node]!; child !== ROOT; child = nextSibling[child]!) ids.push(child + 1);
    const positions: Omit<LineTicks, "node">[] = [];
    for (; lines[next]?.node === node; next++)
      positions.push({ line: lines[next]!.line, ticks: lines[next]!.ticks });
    yield `{"id":${node + 1},"callFrame":${stacks.callFrame(node)},"hitCount":${ticks[node]}${
      ids.length > 0 ? `,"children":[${ids.join()}]` : ""
    }${positions.length > 0 ? `,"positionTicks":${JSON.stringify(positions)}` : ""}}`;
  }
  yield `{"id":${idle + 1},"callFrame":${stacks.callFrame(idle)},"hitCount":0}`;
}

/** Returns the ticks of lines, by node and line. */
function lineTicks(
  { samples: { length, ticks } }: Profile,
  { nodeOf, lineOf }: V8Stacks,
): readonly LineTicks[] {
  const numbers = new PairNumbers();
  const lines: LineTicks[] = [];
  for (let i = 0; i < length; i++) {
    if (lineOf[i] === 0) continue;
    const [node, line] = [nodeOf[i]!, lineOf[i]!];
    const number = numbers.of(node, line);
    lines[number] ??= { node, line, ticks: 0 };
    lines[number].ticks += ticks[i]!;
  }
  return lines.sort((a, b) => a.node - b.node || a.line - b.line);
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
