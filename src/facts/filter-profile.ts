import { filterStates, focusStacks, hideFrames, ignoreStacks, onlyStates } from "../profile/filter.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { stateTicks } from "../profile/sample-table.js";
import { isWait, type VmStateName, vmState } from "../profile/vm-state.js";
import { inferredIdle } from "./coverage.js";
import { framePattern } from "./frame-pattern.js";
import type { Origin } from "./origin.js";
import { treeOrigins } from "./tree-origins.js";

/**
 * Code to keep: JavaScript (and WebAssembly) functions of any origin, machine code of libraries and the
 * binary, or JavaScript of one origin.
 */
export const CODE_KINDS = ["js", "native", "app", "deps", "node"] as const;

export type CodeKind = (typeof CODE_KINDS)[number];

/**
 * Which ticks and frames to keep. An option that is not given keeps everything; of several values, one must
 * match.
 */
export interface ProfileFilter {
  /** Whether ticks count in which the thread waited: see {@link withoutWaits}. Default: true. */
  readonly idle?: boolean | undefined;
  /** Keep only ticks in these VM states; none if the list is empty. */
  readonly states?: readonly VmStateName[] | undefined;
  /** Keep only stacks with a matching frame. */
  readonly focus?: readonly RegExp[] | undefined;
  /** Drop stacks with a matching frame. */
  readonly ignore?: readonly RegExp[] | undefined;
  /** Hide matching frames and credit their callers. */
  readonly hide?: readonly RegExp[] | undefined;
  /** Keep only frames of this code; they absorb their callees. */
  readonly only?: readonly CodeKind[] | undefined;
}

/** Returns whether a filter looks at callers. */
export function asksCallers({ focus, ignore, hide, only }: ProfileFilter): boolean {
  return [focus, ignore, hide, only].some((given) => given !== undefined);
}

/**
 * Returns a filtered profile; dropped ticks count as excluded. Whole stacks are chosen first, so `focus` and
 * `ignore` also see frames that are hidden afterwards. Frames without ticks are removed, unless the filter is
 * empty.
 */
export function filterProfile(profile: Profile, filter: ProfileFilter): Profile {
  const { idle = true, states, focus = [], ignore = [], hide = [], only = [] } = filter;
  let left = idle ? profile : withoutWaits(profile);
  if (states === undefined && [focus, ignore, hide, only].every(({ length }) => length === 0)) return left;
  const { frames } = left;
  if (states !== undefined) {
    const kept = new Set(states.map(vmState));
    left = filterStates(left, (state) => kept.has(state));
    left = { ...left, info: { ...left.info, hasChosenStates: true } };
  }
  const [isFocused, isIgnored, isHidden] = [focus, ignore, hide].map(framePattern);
  if (focus.length > 0) left = focusStacks(left, (frame) => isFocused!(frames[frame]!));
  if (ignore.length > 0) left = ignoreStacks(left, (frame) => isIgnored!(frames[frame]!));
  const origins = only.length > 0 ? treeOrigins(left) : [];
  return hideFrames(
    left,
    (frame) =>
      (only.length > 0 && !only.some((kind) => isOfKind(kind, frames[frame]!, origins[frame]!))) ||
      (hide.length > 0 && isHidden!(frames[frame]!)),
  );
}

/**
 * Returns the profile without the ticks in which the thread waited: it was idle, by V8 or inferred, or in `Atomics.wait`. They
 * take no CPU, and their number says how long the program was watched. They count as excluded, and `info.waited` says how many
 * there were. A profile without them stays as it is, and so does one of chosen VM states.
 */
export function withoutWaits(profile: Profile): Profile {
  const { info, samples } = profile;
  if (info.waited !== undefined || info.hasChosenStates) return profile;
  const byState = Array.from(stateTicks(samples), (ticks, state) => (isWait(state) ? ticks : 0));
  const ticks = byState.reduce((sum, count) => sum + count, 0);
  const waited = { ticks, byState, library: inferredIdle(profile)?.library };
  const left = ticks === 0 ? profile : onlyStates(profile, (state) => !isWait(state));
  return { ...left, info: { ...left.info, waited } };
}

export function isOfKind(kind: CodeKind, frame: Frame, origin: Origin): boolean {
  return kind === "js" ? frame.kind === "js" : origin.kind === kind;
}
