import type { Profile } from "../profile/profile.js";
import { soundTime } from "../profile/sound-numbers.js";
import type { Micros } from "../profile/units.js";
import type { ExportOptions } from "./exporter.js";

/** The times of a profile's threads on the clocks of their processes, and where these are in history. */
export interface ExportClock {
  /** When the first log was opened, in milliseconds since 1970; undefined if unknown. */
  readonly start: number | undefined;
  /** By thread of the profile: the time from when the first log of its process was opened to when its own was. */
  readonly offsets: readonly Micros[];
  /** By thread of the profile: when the first log of its process was opened; undefined if unknown. */
  readonly starts: readonly (number | undefined)[];
}

/** The last date that JavaScript knows, in milliseconds since 1970. */
const LAST_DATE = 8.64e15;

/**
 * Returns the clocks of a profile. Threads of one process share one: workers begin later than the main thread.
 */
export function exportClock({ info }: Pick<Profile, "info">, { start }: ExportOptions = {}): ExportClock {
  const known = info.threads.map((thread) => soundDate(thread.start));
  const firsts = new Map<string, number>();
  for (const [i, at] of known.entries()) {
    const process = processOf(info.threads[i]!, i);
    if (at !== undefined) firsts.set(process, Math.min(at, firsts.get(process) ?? at));
  }
  const first = Array.from(firsts.values()).reduce(
    (least, at) => Math.min(least, at),
    Number.POSITIVE_INFINITY,
  );
  const given = start && soundDate(start.getTime());
  const shift = given === undefined || first === Number.POSITIVE_INFINITY ? 0 : given - first;
  const starts = info.threads.map((thread, i) => {
    const at = firsts.get(processOf(thread, i));
    return at === undefined ? given : at + shift;
  });
  const offsets = known.map((at, i) =>
    at === undefined ? 0 : soundTime(Math.round((at - firsts.get(processOf(info.threads[i]!, i))!) * 1000)),
  );
  return { start: given ?? (first === Number.POSITIVE_INFINITY ? undefined : first), offsets, starts };
}

/** Returns what the threads of one process have in common; a thread of unknown process is one of its own. */
function processOf(
  { pid, log }: { readonly pid: number | undefined; readonly log: string },
  i: number,
): string {
  return pid === undefined
    ? `thread ${i}`
    : `${pid} ${log.slice(0, Math.max(log.lastIndexOf("/"), log.lastIndexOf("\\")) + 1)}`;
}

function soundDate(time: number | undefined): number | undefined {
  return time !== undefined && time > 0 && time <= LAST_DATE ? time : undefined;
}
