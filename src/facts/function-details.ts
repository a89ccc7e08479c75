import type { Profile } from "../profile/profile.js";
import { type FunctionCalls, FunctionNodes, functionCalls } from "./function-calls.js";
import type { FunctionId } from "./function-search.js";
import type { FunctionStacks } from "./function-stacks.js";
import type { ProfiledFunction } from "./function-table.js";
import { type LineTicks, lineTicks } from "./line-ticks.js";
import { type Listing, listing, type PlacesInLine, placesInLines } from "./listing.js";
import type { ScriptLines, SourceTexts } from "./source-texts.js";
import { type TierTimes, tierTimes } from "./tier-times.js";

/** Everything that a profile says about one function. */
export interface FunctionDetails extends FunctionCalls {
  readonly function: ProfiledFunction;
  /** Undefined if the profile has no timeline. */
  readonly times: TierTimes | undefined;
  /** Hottest first; their `self` sums to the function's. Empty if the function is not JavaScript. */
  readonly lines: readonly LineTicks[];
  readonly places: PlacesInLine;
  readonly listing: Listing;
  /** How many scripts of one name and text it is in. */
  readonly scripts: number;
  /** Where the text of its script is from; undefined if there is none. */
  readonly origin: ScriptLines["origin"] | undefined;
}

/** Lines to show around those with ticks. */
const CONTEXT = 2;
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
  const lines = lineTicks(profile, options);
  const found = table.functions[id]!;
  const isScript = found.kind === "js" && found.file !== undefined;
  const script = isScript ? sources.linesOf(found.file) : undefined;
  const places = placesInLines(profile, sources, options);
  const last = lines.reduce((most, { line }) => Math.max(most, line), 0);
  return {
    function: found,
    ...functionCalls(profile, stacks, nodes),
    times: tierTimes(profile, nodes, SLICES),
    lines,
    places,
    // Where a function ends is unknown: lines after its last one with ticks may belong to another.
    listing: listing(lines, script, { places, context: CONTEXT, from: found.line, to: last + CONTEXT }),
    scripts: sources.scriptsOf(found.file),
    origin: script?.origin,
  };
}
