import { reaching } from "../profile/columns.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { gapLimit, tickInterval } from "../profile/sampling.js";
import { soundTime } from "../profile/sound-numbers.js";
import type { Micros } from "../profile/units.js";
import { GC } from "../profile/vm-state.js";
import { printable } from "../views/label.js";
import type { ThreadTicks } from "./thread-ticks.js";

/** Times in which a thread collected garbage, in columns. Only the first `length` entries count. */
export interface GcSpans {
  length: number;
  start: Float64Array;
  end: Float64Array;
}

/** Optimized code that was discarded. */
export interface DeoptEvent {
  readonly time: Micros;
  /** The function whose code it was; `<unknown>` if the log has no code there. */
  readonly function: string;
  readonly kind: string;
  readonly reason: string;
  readonly position: string;
}

/**
 * Returns the times in which a thread collected garbage, as far as ticks tell: from an interval before the first
 * of a row of ticks in garbage collection to the last one.
 */
export function gcSpans(
  { sampling, ...thread }: Pick<ThreadTicks, "sampling" | "batches">,
  { vmState }: Profile["samples"],
): GcSpans {
  const interval = tickInterval(sampling);
  const limit = gapLimit(sampling);
  const spans = { length: 0, start: new Float64Array(16), end: new Float64Array(16) };
  let isInSpan = false;
  let last = Number.NEGATIVE_INFINITY;
  for (const { length, sample, timestamp } of thread.batches()) {
    for (let i = 0; i < length; i++) {
      const time = timestamp[i]!;
      const isGc = vmState[sample[i]!] === GC;
      if (isGc && !(isInSpan && time - last <= limit)) {
        const span = spans.length++;
        spans.start = reaching(spans.start, span);
        spans.end = reaching(spans.end, span);
        spans.start[span] = Math.max(last, time - interval);
      }
      if (isGc) spans.end[spans.length - 1] = time;
      isInSpan = isGc;
      last = time;
    }
  }
  return spans;
}

/** Returns the deoptimizations of each thread of a profile, in the order of time. `offsets` are added to the times. */
export function deoptEvents({ deopts, info }: Profile, offsets: readonly Micros[]): DeoptEvent[][] {
  const threads: DeoptEvent[][] = info.threads.map(() => []);
  const nameOf = oncePerLongName((logged) => printable(parseLoggedName(logged).name || "<anonymous>"));
  for (const { thread, function: name, kind, reason, position, times = [] } of deopts?.entries ?? []) {
    const facts = { function: name === undefined ? "<unknown>" : nameOf(name), kind, reason, position };
    for (const time of times)
      threads[thread]?.push({ ...facts, time: soundTime(time) + (offsets[thread] ?? 0) });
  }
  for (const events of threads) events.sort((a, b) => a.time - b.time);
  return threads;
}
