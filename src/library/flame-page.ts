import { flameDocument } from "../exporters/flame/flame-document.js";
import { readPageParts } from "../io/page-parts.js";
import type { Profile } from "../profile/profile.js";
import type { ViewOptions } from "../reports/report-options.js";
import { shownProfile } from "./view-options.js";

/**
 * Returns the page of `ticks flame`: a document with a flame graph, all in one file. A profile with a timeline
 * has a chart over time too, one with sources shows them.
 */
export function flamePage(profile: Profile, options: ViewOptions = {}): string {
  return Array.from(flameDocument(shownProfile(profile, options), readPageParts())).join("");
}
