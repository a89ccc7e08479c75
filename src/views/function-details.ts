import type { Profile } from "../profile/profile.js";
import { type FunctionCalls, FunctionNodes, functionCalls } from "./function-calls.js";
import type { FunctionId } from "./function-search.js";
import type { FunctionStacks } from "./function-stacks.js";
import type { ProfiledFunction } from "./function-table.js";
import { type LineTicks, lineTicks } from "./line-ticks.js";
import { type Listing, listing } from "./listing.js";
import type { ScriptLines, SourceTexts } from "./source-texts.js";
import { type TierTimes, tierTimes } from "./tier-times.js";

/** Everything that a profile says of one function. */
export interface FunctionDetails extends FunctionCalls {
  readonly function: ProfiledFunction;
  /** Undefined where the profile has no timeline. */
  readonly times: TierTimes | undefined;
  /** Hottest first; `self` sums to that of the function. Empty for what is no JavaScript. */
  readonly lines: readonly LineTicks[];
  readonly listing: Listing;
  /** Where the text of its script is from; undefined where there is none. */
  readonly origin: ScriptLines["origin"] | undefined;
}

/** Lines shown around those with ticks. */
const CONTEXT = 2;
/** Into how many slices the time of the profile is cut. */
const SLICES = 40;

/** Looks at one function of a profile. */
export function functionDetails(
  profile: Profile,
  id: FunctionId,
  { stacks, sources }: { readonly stacks: FunctionStacks; readonly sources: SourceTexts },
): FunctionDetails {
  const { table } = stacks;
  const nodes = new FunctionNodes(profile.tree, table.ofFrame, id);
  const lines = lineTicks(profile, table, (other) => other === id);
  const found = table.functions[id]!;
  const isScript = found.kind === "js" && found.file !== undefined;
  const script = isScript ? sources.linesOf(found.file) : undefined;
  const last = lines.reduce((most, { line }) => Math.max(most, line), 0);
  return {
    function: found,
    ...functionCalls(profile, stacks, nodes),
    times: tierTimes(profile, nodes, SLICES),
    lines,
    // Where a function ends is not known: the lines after its last with ticks may be of another.
    listing: listing(lines, script, { context: CONTEXT, from: found.line, to: last + CONTEXT }),
    origin: script?.origin,
  };
}
