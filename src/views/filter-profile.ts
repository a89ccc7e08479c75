import { filterStates, focusStacks, ignoreStacks } from "../profile/filter.js";
import type { Frame } from "../profile/frame.js";
import { hideFrames } from "../profile/hide-frames.js";
import type { Profile } from "../profile/profile.js";
import { type VmStateName, vmState } from "../profile/vm-state.js";
import { framePattern } from "./frame-pattern.js";
import { type Origin, originsOf } from "./origin.js";

/**
 * Code that ticks can be shared out among: JavaScript (and WebAssembly) functions of any origin, machine code of libraries
 * and the binary, or JavaScript of one origin.
 */
export const CODE_KINDS = ["js", "native", "app", "deps", "node"] as const;

export type CodeKind = (typeof CODE_KINDS)[number];

/** What of a profile counts: what is not given leaves everything. Of several patterns, states or kinds one is enough. */
export interface ProfileFilter {
  /** Only ticks in these VM states; none where the list is empty. */
  readonly states?: readonly VmStateName[] | undefined;
  /** Only stacks with a frame that matches. */
  readonly focus?: readonly RegExp[] | undefined;
  /** No stacks with a frame that matches. */
  readonly ignore?: readonly RegExp[] | undefined;
  /** Frames that match go out of their stacks, their ticks to their callers. */
  readonly hide?: readonly RegExp[] | undefined;
  /** Frames of other code go out of their stacks, their ticks to their nearest caller that is of it. */
  readonly only?: readonly CodeKind[] | undefined;
}

/**
 * The profile with what counts of it; ticks that are left out count as excluded. Whole stacks are chosen first: `focus` and
 * `ignore` see the frames that are then hidden. Frames without ticks are gone, except where nothing is asked for.
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

function isOfKind(kind: CodeKind, frame: Frame, origin: Origin): boolean {
  return kind === "js" ? frame.kind === "js" : origin.kind === kind;
}
