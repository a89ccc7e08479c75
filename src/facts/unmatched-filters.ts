import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import { nearFiles } from "./file-search.js";
import { CODE_KINDS, type CodeKind, isOfKind, type ProfileFilter } from "./filter-profile.js";
import { framePattern } from "./frame-pattern.js";
import { nearFunctions } from "./function-search.js";

/** A value of a filter that matches no frame of a profile. */
export interface UnmatchedFilter {
  readonly option: "focus" | "ignore" | "hide" | "only";
  readonly value: string;
  /** Whether a pattern would match if it ignored case. */
  readonly matchesOtherCase: boolean;
  /** For a pattern similar names, for `only` the kinds of code that the profile has. */
  readonly suggestions: readonly string[];
}

/** Returns the values of a filter that match no frame of the profile, which is not filtered yet. */
export function unmatchedFilters(of: Profile, filter: ProfileFilter): UnmatchedFilter[] {
  const profile = Analysis.of(of);
  const { frames } = profile;
  const hasMatch = (pattern: RegExp) => frames.some(framePattern([pattern]));
  const unmatched: UnmatchedFilter[] = [];
  for (const option of ["focus", "ignore", "hide"] as const) {
    for (const pattern of filter[option] ?? []) {
      if (hasMatch(pattern)) continue;
      const { source } = pattern;
      const otherCase = `${pattern.flags}i`;
      const matchesOtherCase = !pattern.ignoreCase && hasMatch(new RegExp(source, otherCase));
      const suggestions = matchesOtherCase ? [] : similarTo(source, profile);
      unmatched.push({ option, value: source, matchesOtherCase, suggestions });
    }
  }
  const { only = [] } = filter;
  const kinds = only.length > 0 ? kindsOf(profile) : [];
  for (const value of only.filter((kind) => !kinds.includes(kind))) {
    unmatched.push({ option: "only", value, matchesOtherCase: false, suggestions: kinds });
  }
  return unmatched;
}

/** Returns functions, else files, with a name similar to a pattern; none if that is more than text. */
function similarTo(source: string, profile: Analysis): string[] {
  const text = source.replace(/^\^|\$$/g, "").replace(/\\([^\w\s])/g, "$1");
  if (/[\\*+?()[\]{}|^$]/.test(text)) return [];
  const { table, functionTicks } = profile;
  const near = nearFunctions(text, table, functionTicks);
  return near.length > 0 ? near : nearFiles(text, new Set(table.functions.flatMap(({ file }) => file ?? [])));
}

function kindsOf({ frames, origins }: Analysis): CodeKind[] {
  return CODE_KINDS.filter((kind) => frames.some((frame, i) => isOfKind(kind, frame, origins[i]!)));
}
