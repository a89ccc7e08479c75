import { flameDocument } from "../exporters/flame/flame-document.js";
import { readPageParts } from "../io/page-parts.js";
import type { Profile } from "../profile/profile.js";
import { type StackOptions, shownStacks } from "../profile/shown-stacks.js";

/**
 * Returns the page of `ticks flame`: a document with a flame graph, all in one file. A profile with a timeline
 * has a chart over time too, one with sources shows them.
 */
export function flamePage(profile: Profile, options: StackOptions = {}): string {
  return Array.from(flameDocument(shownStacks(profile, options), readPageParts())).join("");
}
