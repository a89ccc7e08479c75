import { parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { gapLimit, tickInterval } from "../profile/sampling.js";
import { soundTime } from "../profile/sound-numbers.js";
import type { Micros } from "../profile/units.js";
import { GC } from "../profile/vm-state.js";
import { printable } from "../views/label.js";
import type { ThreadTicks } from "./thread-ticks.js";

/** A time in which a thread collected garbage. */
export interface GcSpan {
  readonly start: Micros;
  readonly end: Micros;
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
 * Yields the times in which a thread collected garbage, as far as ticks tell: from an interval before the first
 * of a row of ticks in garbage collection to the last one.
 */
export function* gcSpans(
  { sample, timestamp, sampling }: ThreadTicks,
  { vmState }: Profile["samples"],
): Iterable<GcSpan> {
  const interval = tickInterval(sampling);
  const limit = gapLimit(sampling);
  const isGc = (tick: number) => vmState[sample[tick]!] === GC;
  for (let first = 0; first < sample.length; first++) {
    if (!isGc(first)) continue;
    let last = first;
    while (last + 1 < sample.length && isGc(last + 1) && timestamp[last + 1]! - timestamp[last]! <= limit)
      last++;
    const before = first === 0 ? Number.NEGATIVE_INFINITY : timestamp[first - 1]!;
    yield { start: Math.max(before, timestamp[first]! - interval), end: timestamp[last]! };
    first = last;
  }
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
