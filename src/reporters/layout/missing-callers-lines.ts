import type { Profile } from "../../profile/profile.js";
import { missingCallersNote, missingCallersText } from "../../views/missing-callers.js";
import type { Style } from "./style.js";
import { wrapped } from "./wrapped.js";

/** Returns what the stacks of a profile lack, as lines of a text report; none if that is next to nothing. */
export function missingCallersLines(
  profile: Profile,
  { style, width }: { readonly style: Style; readonly width: number },
): string[] {
  const note = missingCallersNote(profile);
  return note === undefined ? [] : wrapped(missingCallersText(note), width).map((line) => style.hot(line));
}
