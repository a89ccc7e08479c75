import type { Palette } from "./colors.js";
import type { Graph } from "./graph.js";
import { type Fills, type LegendEntry, type Look, packFills } from "./look.js";
import type { Shown } from "./shown-graph.js";
import { type Measure, SIGNS, type SideModel, signOf } from "./side-model.js";

/** From these shares of a side on, a change is of the middle or the large size. */
const SIZES = [0.01, 0.05] as const;
/** The colour of what did not change, after three of slower and three of faster. */
const SAME = 6;

/**
 * Colours frames of functions that changed, in red where the frame takes more than before, in blue where it takes
 * less. Where runs give no verdict, the colours are the weakest.
 */
export function lookByChange(
  sides: SideModel,
  { graph: shown }: Shown,
  { palette, measure }: { readonly palette: Palette; readonly measure: Measure },
): Look {
  const colors = [...palette.slower, ...palette.faster, palette.same];
  const marksOf = (graph: Graph) => marks(sides, graph, measure);
  const { fills } = marksOf(shown);
  const ticks = new Float64Array(colors.length);
  const seen = new Set<number>();
  for (let node = 1; node < shown.length; node++) {
    ticks[fills[node]!]! += shown.self[node]!;
    seen.add(fills[node]!);
  }
  return {
    palette,
    fillsOf: (graph): Fills => {
      const { fills, signs } = marksOf(graph);
      return { ...packFills(palette, colors, graph.function, (_, node) => fills[node]!), signs };
    },
    legend: titles(sides.data.hasVerdict).flatMap((title, i): LegendEntry[] =>
      seen.has(i) ? [{ title, fill: colors[i]!, ticks: ticks[i]! }] : [],
    ),
  };
}

/** Returns the colours of the frames of a graph, and their signs. */
function marks(sides: SideModel, { length, function: ids, sides: ticks }: Graph, measure: Measure) {
  const fills = new Uint8Array(length).fill(SAME);
  const signs = new Uint8Array(length);
  const { unit, hasVerdict } = sides.data;
  for (let node = 0; node < length && ticks !== undefined; node++) {
    const sign = signOf(sides, measure, ids[node]!);
    const change = (ticks[measure][1][node]! - ticks[measure][0][node]!) / unit;
    const isMore = SIGNS[sign] === "▲" || SIGNS[sign] === "+";
    // On some paths a function can have changed the other way, or not at all.
    if (sign === 0 || change === 0 || change > 0 !== isMore) continue;
    const size = hasVerdict ? SIZES.filter((least) => Math.abs(change) >= least).length : 0;
    fills[node] = size + (isMore ? 0 : 3);
    signs[node] = sign;
  }
  return { fills, signs };
}

function titles(hasVerdict: boolean): string[] {
  const sizes = hasVerdict
    ? ["by less than 1 point", "by 1 to 5 points", "by 5 points or more"]
    : ["(no verdict)", "", ""];
  const [more, less] = hasVerdict
    ? ["▲ slower or + new", "▼ faster or − gone"]
    : ["▲ more or + new", "▼ less or − gone"];
  return [
    ...sizes.map((size) => `${more} ${size}`),
    ...sizes.map((size) => `${less} ${size}`),
    "may be chance",
  ];
}
