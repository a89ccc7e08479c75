import { columnOf } from "../../base/columns.js";
import { addTo, valueAt } from "../../base/maps.js";
import { counted, named, TICKS, text } from "../../base/text.js";
import type { Micros, Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import { parseFrameName } from "../../profile/logged-name.js";
import { isIdle } from "../../profile/vm-state.js";
import type { Analysis } from "../analysis.js";
import type { SourceTexts } from "../source-texts.js";
import type { Finding } from "./finding.js";
import { LOADING, lastPart, type NodeMarks } from "./marks.js";
import { placesOf } from "./places.js";
import { COPIES, LEAST, LEAST_TICKS, WORK } from "./rules.js";

/** What is said of a finding that is at no line. */
const NOWHERE = {
  place: undefined,
  places: [],
  caller: undefined,
  made: undefined,
  likely: undefined,
  inPackage: undefined,
  threads: [],
  makesGarbage: false,
} as const;

/** How much a single thread worked, in percent of its time: as its ticks say, and as its CPU time does if that was measured. */
function busyness({ info, samples }: Analysis): {
  readonly idle: Ticks;
  readonly byTicks: number;
  readonly byCpu: number | undefined;
} {
  const byState = info.waited?.byState;
  let idle = byState?.reduce((sum, ticks, state) => (isIdle(state) ? sum + ticks : sum), 0) ?? 0;
  if (byState === undefined)
    for (let i = 0; i < samples.length; i++) if (isIdle(samples.vmState[i]!)) idle += samples.ticks[i]!;
  const isFiltered = info.excluded !== (info.waited?.ticks ?? 0);
  const all = byState === undefined ? info.ticks - info.excluded : info.ticks;
  const { cpu, sampling } = info;
  const isMeasured = cpu !== undefined && info.threads.length === 1 && !isFiltered && sampling.span > 0;
  return {
    idle,
    byTicks: all === 0 ? 100 : 100 - (100 * idle) / all,
    byCpu: isMeasured ? (100 * cpu.sampled) / sampling.span : undefined,
  };
}

/** So much more CPU than ticks that did not wait, in points of percent, is no chance. */
const UNSEEN_CPU = 40;

/**
 * A loop that has nothing to do but to ask again. V8 is told that Node is idle when it asks the system for events, even
 * if it does not wait for any; so nearly all ticks of such a thread are idle, though it takes a whole CPU.
 */
export function spinning(of: Analysis): Finding | undefined {
  const { idle, byTicks, byCpu = 0 } = busyness(of);
  if (byCpu - byTicks < UNSEEN_CPU) return undefined;
  const called = calledByNode(of, "processImmediate");
  const { samples } = of;
  const places = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = called[samples.node[i]!]!;
    if (frame >= 0) addTo(places, frame, samples.ticks[i]!);
  }
  const [place] = placesOf(of, places);
  if (place === undefined) return undefined;
  return {
    ...NOWHERE,
    kind: "spinning",
    ticks: idle,
    percent: byCpu,
    place,
    places: [place],
    what: text`of a CPU goes into an event loop that turns without a rest (setImmediate again and again), though its ${TICKS} look idle`,
    advice: "wait for an event or a promise, or ask less often by a timer",
  };
}

/** Returns by node: the frame of the program that a function of Node called, the outermost one; below 0 for none. */
function calledByNode({ frames, tree, origins }: Analysis, name: string): Int32Array {
  const isCaller = framesOfNode({ frames, origins }, name);
  const called = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const above = called[tree.parent[node]!]!;
    if (isCaller[frame] === 1) called[node] = -2;
    else called[node] = above === -2 && origins[frame]!.kind === "app" ? frame : above;
  }
  return called;
}

/** Returns by frame: 1 for a function of Node with this name. */
function framesOfNode({ frames, origins }: Pick<Analysis, "frames" | "origins">, name: string): Uint8Array {
  return columnOf(Uint8Array, frames, (frame, i) =>
    frame.kind === "js" && origins[i]!.kind === "node" && lastPart(parseFrameName(frame).name) === name
      ? 1
      : 0,
  );
}

/** Finds a function that has itself called again by `process.nextTick`, at the line that does so: nothing else gets a turn before it ends. */
export function tickChain(
  of: Analysis,
  share: (ticks: Ticks) => number,
  texts: SourceTexts,
): Finding | undefined {
  const { tree, samples, table } = of;
  const called = calledByNode(of, "processTicksAndRejections");
  const isNextTick = framesOfNode(of, "nextTick");
  /** By node: the frame that called `nextTick`; -1 for none. */
  const asking = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    const isAsking = isNextTick[tree.frame[node]!] === 1 && called[parent] === tree.frame[parent];
    asking[node] = isAsking ? tree.frame[parent]! : asking[parent]!;
  }
  /** By function: all ticks of it that Node called so, and of its lines that ask for the next turn. */
  const chains = new Map<number, { ticks: Ticks; readonly lines: Map<number, Ticks> }>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (called[node]! < 0) continue;
    const owner = table.ofFrame[called[node]!]!;
    const chain = valueAt(chains, owner, () => ({ ticks: 0, lines: new Map<number, Ticks>() }));
    chain.ticks += samples.ticks[i]!;
    if (asking[node]! >= 0) addTo(chain.lines, asking[node]!, samples.ticks[i]!);
  }
  const [longest] = Array.from(chains).sort((a, b) => b[1].ticks - a[1].ticks);
  if (longest === undefined) return undefined;
  const [owner, { lines }] = longest;
  const ticks = totalOf(of, owner); // As its row has.
  if (share(ticks) < LEAST.chain || ticks < LEAST_TICKS) return undefined;
  const [place] = placesOf(of, lines);
  const { name = "", file } = place?.function ?? {};
  const source = texts.lineOf(file, place?.line ?? 0) ?? "";
  // What it asks to be called may be another function.
  if (place === undefined || name === "" || !source.includes(`nextTick(${lastPart(name)}`)) return undefined;
  return {
    ...NOWHERE,
    kind: "tick-chain",
    ticks,
    percent: share(ticks),
    place,
    places: [place],
    what: text`${named(name)} has itself called again by process.nextTick: no I/O and no timer gets a turn before that ends`,
    advice: "setImmediate lets them in between",
  };
}

/** Returns the ticks of all stacks that a function is on. */
function totalOf({ tree, samples, table }: Analysis, owner: number): Ticks {
  const isOn = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isOn[node] = table.ofFrame[tree.frame[node]!] === owner ? 1 : isOn[tree.parent[node]!]!;
  let ticks = 0;
  for (let i = 0; i < samples.length; i++) if (isOn[samples.node[i]!] === 1) ticks += samples.ticks[i]!;
  return ticks;
}

/** Idle ticks; or of a single thread the time without CPU, if that was measured: a thread that sleeps gets hardly any ticks. */
export function idleFinding(of: Analysis): Finding | undefined {
  const { idle, byTicks, byCpu } = busyness(of);
  const percent = 100 - (byCpu === undefined ? byTicks : Math.max(byCpu, partOfStart(of)));
  if (percent < LEAST.idle) return undefined;
  return {
    ...NOWHERE,
    kind: "idle",
    ticks: idle,
    percent,
    what:
      byCpu === undefined
        ? "idle: it waits for I/O, the thread pool, timers, other processes or a CPU"
        : "of the time without a CPU: it waits for I/O, the thread pool, timers or other processes, or these have the CPU",
    advice: "ticks timeline shows when",
  };
}

/** The files of Node that run a script: what they call is one call, in which the event loop waits for nothing. */
const RUNS_SCRIPT = /^(?:node:)?internal\/(?:main\/|modules\/esm\/module_job)|^bootstrap_node\.js$/;

/** Returns how much of its time a single thread took to run its script, with waits for a CPU, in percent. */
function partOfStart({ frames, tree, samples, timeline, info }: Analysis): number {
  const runs = columnOf(Uint8Array, frames, (frame) =>
    frame.kind === "js" && RUNS_SCRIPT.test(parseFrameName(frame).file ?? "") ? 1 : 0,
  );
  const isIn = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    isIn[node] = parent === ROOT ? runs[tree.frame[node]!]! : isIn[parent]!;
  }
  let time = 0;
  let last: Micros | undefined;
  for (let i = 0; i < (timeline?.length ?? 0); i++) {
    const sample = timeline!.sample[i]!;
    const now = timeline!.timestamp[i]!;
    const isRunning = isIn[samples.node[sample]!] === 1 && !isIdle(samples.vmState[sample]!);
    if (isRunning && last !== undefined) time += now - last;
    last = isRunning ? now : undefined;
  }
  return (100 * time) / info.sampling.span;
}

/** Finds a worker that does most of the work of all workers of its process. */
export function oneWorker(
  of: Analysis,
  marks: NodeMarks,
  share: (ticks: Ticks) => number,
): Finding | undefined {
  const { info, samples } = of;
  const ticks = new Float64Array(info.threads.length);
  /** The ticks of the program's work: each worker has to start, too. */
  const work = new Float64Array(info.threads.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    ticks[samples.thread[i]!]! += samples.ticks[i]!;
    if (marks.place[node]! >= 0 && marks.rule[node] !== LOADING)
      work[samples.thread[i]!]! += samples.ticks[i]!;
  }
  const span = info.threads.reduce((longest, one) => Math.max(longest, one.span), 0);
  const workers = info.threads.flatMap(({ kind, pid, name }, i) =>
    kind === "worker"
      ? [
          {
            pid,
            name,
            ticks: ticks[i]!,
            work: work[i]!,
            busy: busyPart(info, { thread: i, ticks: ticks[i]!, span }),
          },
        ]
      : [],
  );
  const [most] = workers.toSorted((a, b) => b.work - a.work);
  if (most === undefined) return undefined;
  const siblings = workers.filter(({ pid }) => pid === most.pid);
  const all = siblings.reduce((sum, one) => sum + one.work, 0);
  const part = (most.work * 100) / all;
  if (siblings.length < 2 || part < LEAST.oneWorker || most.ticks < LEAST_TICKS || share(most.ticks) < WORK)
    return undefined;
  return {
    ...NOWHERE,
    kind: "one-worker",
    ticks: most.ticks,
    percent: share(most.ticks),
    caller: placesOf(of, postedAt(of, marks))[0],
    threads: siblings
      .map(({ name, ticks, busy }) => ({ name, ticks, busy }))
      .sort((a, b) => b.ticks - a.ticks),
    what: text`${named(most.name)} does most of the work of ${counted(siblings.length, "worker")}, while the others wait`,
    advice: "give a job to a worker that is free",
  };
}

/** Returns how much of its time a thread was busy, in percent: of its ticks, or of the time of the longest thread where those that sleep get no ticks. */
function busyPart(
  { threads, sampling }: Analysis["info"],
  { thread, ticks, span }: { readonly thread: number; readonly ticks: Ticks; readonly span: Micros },
): number {
  const { ticks: all, sampling: own = sampling } = threads[thread]!;
  const ofTicks = all === 0 ? 0 : (ticks * 100) / all;
  const ofTime = own.got === undefined || span === 0 ? 100 : (ticks * own.got * 100) / span;
  return Math.min(100, ofTicks, ofTime);
}

/** Returns where threads that are no workers post messages, by frame of the program. */
function postedAt({ info, samples }: Analysis, { rule, place }: NodeMarks): Map<number, Ticks> {
  const places = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const isPost = rule[node] === COPIES + 1 && info.threads[samples.thread[i]!]?.kind !== "worker";
    if (isPost && place[node]! >= 0) addTo(places, place[node]!, samples.ticks[i]!);
  }
  return places;
}
