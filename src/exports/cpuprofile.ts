import { columnOf } from "../base/columns.js";
import { Numbers } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { cutName, jsonText } from "../base/shown-text.js";
import type { Micros, Ticks } from "../base/units.js";
import { FunctionTable, type ProfiledFunction } from "../facts/function-table.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { isIdle, VM_STATES, type VmState, vmState } from "../profile/vm-state.js";
import { fileUrl } from "./export-options.js";
import { type ExportStacks, numberedStacks, selfTicks } from "./export-stacks.js";
import { jsonList, jsonNumbers } from "./json-text.js";
import {
  IDLE,
  type ThreadTicks,
  type TickBatch,
  threadTicks,
  ticksOverTime,
  timeFacts,
} from "./ticks-over-time.js";

/** The ticks of a line of a node. */
interface LineTicks {
  readonly node: number;
  readonly line: number;
  ticks: Ticks;
}

/**
 * Writes a `.cpuprofile`, the `Profile` of the DevTools protocol. `hitCount` and `positionTicks` are ticks,
 * each sample one, and sum to those of the profile. `samples` has every tick in the order of time, and `(idle)`, which has no
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
function* nodes({ samples, ...given }: Profile, stacks: V8Stacks): Iterable<string> {
  const profile = { ...given, samples: { ...samples, ticks: samples.count ?? samples.ticks } };
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

/** The artificial functions of V8's own profiler; their numbers follow those of a profile. */
const MADE_UP = ["(garbage collector)", "(idle)"] as const;

/**
 * The functions of a profile as V8's own profiler writes them: `callFrame` objects of the DevTools protocol.
 * A tick in garbage collection has the leaf `(garbage collector)`, an idle one `(idle)`; unknown code is
 * `(program)`. V8 puts these under the root because it knows no C++; here they are under the C++ function
 * that the tick was in.
 *
 * Source: V8, src/profiler/symbolizer.cc, `EntryForVMState`; src/profiler/profile-generator.h, `CodeEntry`.
 */
class V8CallFrames {
  /** The root of all stacks, as JSON. */
  readonly root = nowhere("(root)");
  readonly #gc: number;
  /** The number of `(idle)`. */
  readonly idle: number;
  readonly #functions: FunctionTable;
  /** Files by number, which the format needs and logs do not have; that of no file is 0. */
  readonly #scripts = new Numbers([""]);
  readonly #texts: string[] = [];

  constructor(functions: FunctionTable) {
    this.#functions = functions;
    this.#gc = functions.functions.length;
    this.idle = this.#gc + 1;
    for (const { frame, file = "" } of functions.functions) if (frame.kind === "js") this.#scripts.of(file);
  }

  /** Returns the number of the function to append for a VM state; -1 if there is none. */
  leafOf = (state: VmState): number => {
    if (state === vmState("gc")) return this.#gc;
    return isIdle(state) ? this.idle : -1;
  };

  /** Returns a function as JSON. */
  json(number: number): string {
    this.#texts[number] ??= this.#write(number);
    return this.#texts[number];
  }

  #write(number: number): string {
    const { functions } = this.#functions;
    const made = MADE_UP[number - functions.length];
    if (made !== undefined) return nowhere(made);
    const { frame, ...called } = functions[number]!;
    switch (frame.kind) {
      case "js":
        return this.#script(called);
      case "code":
        return nowhere(called.title);
      case "native":
        return nowhere(called.title, fileUrl(cutName(frame.library)));
      case "unknown":
        return nowhere("(program)");
    }
  }

  /** Returns a JavaScript function as JSON. Lines and columns are from 0, and -1 if unknown. */
  #script({ name, file = "", line = 0, column = 0 }: Omit<ProfiledFunction, "frame">): string {
    return jsonText({
      functionName: name,
      scriptId: String(this.#scripts.of(file)),
      url: fileUrl(cutName(file)),
      lineNumber: line - 1,
      columnNumber: column - 1,
    });
  }
}

/** Returns whether a frame is an artificial function of a profile that V8's own profiler wrote. */
function isMadeUp(frame: Frame): boolean {
  return frame.kind === "native" && frame.library === "" && MADE_UP.some((name) => name === frame.symbol);
}

function nowhere(functionName: string, url = ""): string {
  return jsonText({ functionName, scriptId: "0", url, lineNumber: -1, columnNumber: -1 });
}

/**
 * The stacks of a profile as in V8's own profiler: one node for a function under a caller, whatever its
 * tiers.
 */
export interface V8Stacks extends ExportStacks {
  /** By row of the profile's samples: the line that runs, from 1; 0 if unknown. */
  readonly lineOf: Int32Array;
  /** The node of `(idle)` under the root, for the time between ticks: it follows those of the tree. */
  readonly idle: number;
  /** Returns the function of a node, including the root and `idle`, as a JSON object. */
  callFrame(node: number): string;
}

/** Returns the stacks of a profile as V8's own profiler would have them. */
export function v8Stacks(profile: Profile): V8Stacks {
  const { frames, tree, samples } = profile;
  const table = new FunctionTable(frames);
  const callFrames = new V8CallFrames(table);
  // They come again, by the state of the ticks.
  const ofFrame = columnOf(Int32Array, frames, (frame, i) => (isMadeUp(frame) ? -1 : table.ofFrame[i]!));
  const stacks = numberedStacks(profile, ofFrame, { leafOf: callFrames.leafOf });
  const lineOf = new Int32Array(samples.length);
  const lines = columnOf(Int32Array, frames, (frame) => (frame.kind === "js" ? frame.line : 0));
  const hasLeaf = Uint8Array.from(VM_STATES, (_, state) => (callFrames.leafOf(state) < 0 ? 0 : 1));
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    // Memory that is never written to takes no room.
    if (node !== ROOT && hasLeaf[samples.vmState[i]!] === 0) lineOf[i] = lines[tree.frame[node]!]!;
  }
  const idle = stacks.tree.length;
  const callFrame = (node: number) => {
    if (node === ROOT) return callFrames.root;
    return callFrames.json(node === idle ? callFrames.idle : stacks.tree.frame[node]!);
  };
  return { ...stacks, lineOf, idle, callFrame };
}
