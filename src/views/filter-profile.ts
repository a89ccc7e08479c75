import { filterStates, focusStacks, ignoreStacks } from "../profile/filter.js";
import type { Frame } from "../profile/frame.js";
import { hideFrames } from "../profile/hide-frames.js";
import type { Profile } from "../profile/profile.js";
import { type VmStateName, vmState } from "../profile/vm-state.js";
import { framePattern } from "./frame-pattern.js";
import { type Origin, originsOf } from "./origin.js";

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

/**
 * Returns a filtered profile; dropped ticks count as excluded. Whole stacks are chosen first, so `focus` and
 * `ignore` also see frames that are hidden afterwards. Frames without ticks are removed, unless the filter is
 * empty.
 */
export function filterProfile(profile: Profile, filter: ProfileFilter): Profile {
  const { states, focus = [], ignore = [], hide = [], only = [] } = filter;
  if (states === undefined && [focus, ignore, hide, only].every(({ length }) => length === 0)) return profile;
  const { frames } = profile;
  let left = profile;
  if (states !== undefined) {
    const kept = new Set(states.map(vmState));
    left = filterStates(left, (state) => kept.has(state));
  }
  const [isFocused, isIgnored, isHidden] = [focus, ignore, hide].map(framePattern);
  if (focus.length > 0) left = focusStacks(left, (frame) => isFocused!(frames[frame]!));
  if (ignore.length > 0) left = ignoreStacks(left, (frame) => isIgnored!(frames[frame]!));
  const origins = only.length > 0 ? originsOf(frames) : [];
  return hideFrames(
    left,
    (frame) =>
      (only.length > 0 && !only.some((kind) => isOfKind(kind, frames[frame]!, origins[frame]!))) ||
      (hide.length > 0 && isHidden!(frames[frame]!)),
  );
}

/** Returns whether a frame, with its origin, is code of a kind. */
export function isOfKind(kind: CodeKind, frame: Frame, origin: Origin): boolean {
  return kind === "js" ? frame.kind === "js" : origin.kind === kind;
}
