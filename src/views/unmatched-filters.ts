import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { nearFiles } from "./file-search.js";
import { CODE_KINDS, type CodeKind, isOfKind, type ProfileFilter } from "./filter-profile.js";
import { framePattern } from "./frame-pattern.js";
import { nearFunctions } from "./function-search.js";
import { FunctionTable } from "./function-table.js";
import { functionTicks, type GroupTicks } from "./function-ticks.js";
import { originsOf } from "./origin.js";

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
export function unmatchedFilters(profile: Profile, filter: ProfileFilter): UnmatchedFilter[] {
  const { frames } = profile;
  const hasMatch = (pattern: RegExp) => frames.some(framePattern([pattern]));
  const unmatched: UnmatchedFilter[] = [];
  let functions: { readonly table: FunctionTable; readonly ticks: GroupTicks } | undefined;
  for (const option of ["focus", "ignore", "hide"] as const) {
    for (const pattern of filter[option] ?? []) {
      if (hasMatch(pattern)) continue;
      const { source } = pattern;
      const otherCase = `${pattern.flags}i`;
      functions ??= functionsOf(profile);
      const matchesOtherCase = !pattern.ignoreCase && hasMatch(new RegExp(source, otherCase));
      const suggestions = matchesOtherCase ? [] : similarTo(source, functions);
      unmatched.push({ option, value: source, matchesOtherCase, suggestions });
    }
  }
  const { only = [] } = filter;
  const kinds = only.length > 0 ? kindsOf(frames) : [];
  for (const value of only.filter((kind) => !kinds.includes(kind))) {
    unmatched.push({ option: "only", value, matchesOtherCase: false, suggestions: kinds });
  }
  return unmatched;
}

function functionsOf(profile: Profile) {
  const table = new FunctionTable(profile.frames);
  return { table, ticks: functionTicks(profile, table) };
}

/** Returns functions, else files, with a name similar to a pattern; none if that is more than text. */
function similarTo(
  source: string,
  { table, ticks }: { readonly table: FunctionTable; readonly ticks: GroupTicks },
): string[] {
  const text = source.replace(/^\^|\$$/g, "").replace(/\\([^\w\s])/g, "$1");
  if (/[\\*+?()[\]{}|^$]/.test(text)) return [];
  const near = nearFunctions(text, table, ticks);
  return near.length > 0 ? near : nearFiles(text, new Set(table.functions.flatMap(({ file }) => file ?? [])));
}

function kindsOf(frames: readonly Frame[]): CodeKind[] {
  const origins = originsOf(frames);
  return CODE_KINDS.filter((kind) => frames.some((frame, i) => isOfKind(kind, frame, origins[i]!)));
}
