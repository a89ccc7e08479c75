import type { Profile } from "../profile/profile.js";
import { type FunctionCalls, FunctionNodes, functionCalls } from "./function-calls.js";
import type { FunctionId } from "./function-search.js";
import type { FunctionStacks } from "./function-stacks.js";
import type { ProfiledFunction } from "./function-table.js";
import { type PlacesInLine, placesInLines } from "./line-places.js";
import { type LineTicks, lineTicks } from "./line-ticks.js";
import type { SourceTexts } from "./source-texts.js";
import { type TierTimes, tierTimes } from "./tier-times.js";

/** Everything that a profile says about one function. */
export interface FunctionDetails extends FunctionCalls {
  readonly function: ProfiledFunction;
  /** Undefined if the profile has no timeline. */
  readonly times: TierTimes | undefined;
  /** Hottest first; their `self` sums to the function's. Empty if the function is not JavaScript. */
  readonly lines: readonly LineTicks[];
  readonly places: PlacesInLine;
}

/** Slices of the profile's time. */
const SLICES = 40;

/** Returns what a profile says about one function. */
export function functionDetails(
  profile: Profile,
  id: FunctionId,
  { stacks, sources }: { readonly stacks: FunctionStacks; readonly sources: SourceTexts },
): FunctionDetails {
  const { table } = stacks;
  const nodes = new FunctionNodes(profile.tree, table.ofFrame, id);
  const options = { isInScope: (other: FunctionId) => other === id };
  return {
    function: table.functions[id]!,
    ...functionCalls(profile, stacks, nodes),
    times: tierTimes(profile, nodes, SLICES),
    lines: lineTicks(profile, options),
    places: placesInLines(profile, sources, options),
  };
}
