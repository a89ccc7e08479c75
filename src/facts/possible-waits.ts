import type { Ticks } from "../base/units.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { allTicks } from "../profile/sample-table.js";

/** Ticks in which a thread may have waited, or done native work: nothing tells which. */
export interface PossibleWaits {
  readonly ticks: Ticks;
  /** Of all ticks that are shown. */
  readonly percent: number;
}

/**
 * Returns which samples may be waits: those in `(program)`, without JavaScript, of threads without one in `(idle)`. Undefined if none is.
 *
 * Source: V8, src/profiler/profile-generator.cc, `RecordTickSample`: a sample without a stack is idle only if the embedder says so
 * (`Isolate::SetIdle`), as Node does in each turn of its event loop since 14.
 */
export function possibleWaitSamples({
  frames,
  tree,
  samples,
  info,
}: Pick<Profile, "frames" | "tree" | "samples" | "info">): Uint8Array | undefined {
  if (!info.threads.some(({ isIdleUnknown }) => isIdleUnknown)) return undefined;
  const found = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (info.threads[samples.thread[i]!]?.isIdleUnknown && isProgram(frame)) found[i] = 1;
  }
  return found.includes(1) ? found : undefined;
}

function isProgram(frame: Frame): boolean {
  return frame.kind === "native" && frame.library === "" && frame.symbol === "(program)";
}

/** Less of the ticks, in percent, changes no share by a fiftieth of it. */
const LEAST_PERCENT = 2;

/** Returns the ticks that may be waits; undefined if they are too few to matter. */
export function possibleWaits(profile: Profile): PossibleWaits | undefined {
  const isWait = possibleWaitSamples(profile);
  if (isWait === undefined) return undefined;
  const { samples } = profile;
  let ticks = 0;
  for (let i = 0; i < samples.length; i++) if (isWait[i] === 1) ticks += samples.ticks[i]!;
  const percent = (ticks * 100) / allTicks(samples);
  return percent >= LEAST_PERCENT ? { ticks, percent } : undefined;
}
