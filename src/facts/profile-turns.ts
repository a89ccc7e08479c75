import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { clampedTimeline } from "../profile/clamped-numbers.js";
import type { Profile } from "../profile/profile.js";
import { askedOrDefault, type Sampling } from "../profile/sampling.js";
import type { Timeline } from "../profile/timeline.js";
import { isIdle } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { rootsOf } from "./callback-roots.js";
import { possibleWaitSamples } from "./possible-waits.js";
import { appFunctions, programFunctions } from "./program-frames.js";
import { BUNCHED, type LinesOf, TurnFinder } from "./turn-finder.js";
import { type ThreadTurns, TURNS, type TurnOptions } from "./turns.js";

/** Ticks came late, as on a busy machine, if the mean step without gaps is so many times the usual one. */
const BUSY = 1.15;

/**
 * Returns the turns of each thread with ticks. Undefined without the times of all ticks: also if ticks were filtered out, as
 * idle ones end turns.
 *
 * A turn begins and ends between two ticks, so its length is as exact as those are near. Where the thread had no CPU, or ticks
 * came late, its parts are sure and the gap is not. A callback can be called again within less than an interval, even by a timer
 * whose interval is shorter than it takes: no tick tells, and ticks that follow each other are a turn "at most", except where that
 * is as good as excluded, see {@link Callback.isOneTurn}.
 */
export function turnsOf(of: Profile, options: TurnOptions = TURNS): ThreadTurns[] | undefined {
  const profile = Analysis.of(of);
  const { samples, info } = profile;
  if (profile.timeline === undefined || info.excluded > 0) return undefined;
  const timeline = clampedTimeline(profile.timeline);
  const roots = rootsOf(profile);
  const mayWait = possibleWaitSamples(profile);
  // The samples of a profile have the times at which they were taken.
  const isWritten = info.input === undefined;
  const hasIdle = new Uint8Array(info.threads.length);
  for (let row = 0; row < samples.length; row++)
    if (isIdle(samples.vmState[row]!) || mayWait?.[row] === 1) hasIdle[samples.thread[row]!] = 1;
  const isBusy = info.threads.some(({ sampling = info.sampling }) => cameLate(sampling));
  const threads = info.threads.map(({ sampling = info.sampling, isSampledAwake = false }, thread) => {
    const pause = hasIdle[thread] === 1 ? (isSampledAwake ? "sleep" : "no-cpu") : isBusy ? "either" : "sleep";
    const ends = isWritten ? undefined : info.threads[thread]!.recorded?.end;
    const found = { thread, isWritten, least: options.least, pause, isSampledAwake, ends } as const;
    return sampling.hasTimes ? new TurnFinder(sampling, { roots, ...found }) : undefined;
  });
  const times = sampledAt(
    timeline,
    samples.thread,
    threads.map((one) => (isWritten ? (one?.spacing ?? 0) : 0)),
  );
  for (let i = 0; i < timeline.length; i++) {
    const sample = timeline.sample[i]!;
    const finder = threads[samples.thread[sample]!];
    if (finder === undefined) continue;
    finder.weight = timeline.ticks === undefined ? 1 : timeline.ticks[i]!;
    const written = timeline.timestamp[i]!;
    if (mayWait?.[sample] === 1) finder.addPossibleWait(times[i]!, written);
    else finder.add(i, times[i]!, written, samples.node[sample]!, samples.vmState[sample]!);
  }
  const known = threads.flatMap((finder) => (finder?.finish() ? [finder] : []));
  const linesOf = tickLines(profile, timeline, options.lines);
  return known.map((finder) => finder.report(profile, options, linesOf));
}

/**
 * Returns when each tick was taken. Its time in a log is when V8 wrote its row, and after a pause it writes several at once: the
 * sampler sleeps for an interval after each, so each was taken at least that long before the next one of those.
 */
function sampledAt(
  timeline: { readonly length: number; readonly sample: Int32Array; readonly timestamp: Float64Array },
  threadOf: Uint16Array,
  intervals: readonly Micros[],
): Float64Array {
  const times = timeline.timestamp.slice(0, timeline.length);
  for (let i = timeline.length - 2; i >= 0; i--) {
    const thread = threadOf[timeline.sample[i]!]!;
    if (threadOf[timeline.sample[i + 1]!] !== thread) continue;
    const step = timeline.timestamp[i + 1]! - timeline.timestamp[i]!;
    const latest = times[i + 1]! - intervals[thread]!;
    if (step >= 0 && step < intervals[thread]! * BUNCHED && latest < times[i]!) times[i] = latest;
  }
  // Of a sampler that was late itself, more ticks can have waited than there were intervals.
  for (let i = 1; i < timeline.length; i++) {
    const isInOrder = timeline.timestamp[i]! >= timeline.timestamp[i - 1]!;
    if (isInOrder && times[i]! < times[i - 1]!) times[i] = times[i - 1]!;
  }
  return times;
}

/** Returns whether ticks came late, as on a busy machine. */
function cameLate({ asked, usual, got }: Sampling): boolean {
  return got !== undefined && got > BUSY * Math.max(askedOrDefault(asked), usual ?? 0);
}

function tickLines(
  { table, tree, samples, frames }: Analysis,
  { sample, ticks: weights }: Pick<Timeline, "sample" | "ticks">,
  most: number,
): LinesOf {
  let innermost: Int32Array | undefined;
  return (thread, { first, last }) => {
    innermost ??= innermostFrames(tree, table);
    const functions = new Map<number, { ticks: Ticks; readonly lines: Map<number, Ticks> }>();
    for (let i = first; i <= last; i++) {
      const row = sample[i]!;
      const frame = frames[innermost[samples.node[row]!]!];
      if (frame?.kind !== "js" || samples.thread[row] !== thread) continue;
      const id = table.ofFrame[innermost[samples.node[row]!]!]!;
      const known = functions.get(id) ?? { ticks: 0, lines: new Map<number, Ticks>() };
      const weight = weights?.[i] ?? 1;
      known.ticks += weight;
      known.lines.set(frame.line, (known.lines.get(frame.line) ?? 0) + weight);
      functions.set(id, known);
    }
    return Array.from(functions)
      .sort(([a, x], [b, y]) => y.ticks - x.ticks || a - b)
      .slice(0, most)
      .map(([id, { ticks, lines }]) => ({
        function: table.functions[id]!,
        line: Array.from(lines).sort(([a, x], [b, y]) => y - x || a - b)[0]![0],
        ticks,
      }));
  };
}

/** Returns, by node, the frame of the innermost function of the program itself in its stack, else of a package; -1 for none. */
function innermostFrames(tree: Analysis["tree"], table: Analysis["table"]): Int32Array {
  const [isApp, isProgram] = [appFunctions(table), programFunctions(table)];
  const found = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const before = found[tree.parent[node]!]!;
    const isInner =
      isApp[table.ofFrame[frame]!] === 1 ||
      (isProgram[table.ofFrame[frame]!] === 1 && (before < 0 || isApp[table.ofFrame[before]!] !== 1));
    found[node] = isInner ? frame : before;
  }
  return found;
}
