import { mixColors, type Palette, packColor } from "./colors.js";
import { FRAME_KINDS, KIND_TITLES } from "./frame-kind.js";
import type { Graph } from "./graph.js";
import type { Model } from "./model.js";
import type { Shown } from "./shown-graph.js";

/** The ways to colour frames. */
export type Colouring = "kind" | "package" | "change";

/** A colour and its meaning. */
export interface LegendEntry {
  readonly title: string;
  readonly fill: string;
  /** The self ticks of all frames with the colour; 0 if they only call others. */
  readonly ticks: number;
}

/** The colours of the nodes of a graph, packed. */
export interface Fills {
  readonly plain: Uint32Array;
  /** For boxes in the background. */
  readonly pale: Uint32Array;
  /** What stands before the names, an index into `SIGNS`; undefined for nothing. */
  readonly signs?: Uint8Array | undefined;
}

/** How frames are coloured. */
export interface Look {
  readonly palette: Palette;
  fillsOf(graph: Graph): Fills;
  /** The colours of all frames but the root, most ticks first. */
  readonly legend: readonly LegendEntry[];
}

/** Colours by what runs: the tier of JavaScript, a builtin, C++, … */
export function lookByKind(model: Model, shown: Shown, palette: Palette): Look {
  const ticks = sumOwn(
    model,
    shown,
    FRAME_KINDS.length,
    (node) => model.frames.kind[model.nodes.frame[node]!]!,
  );
  const fills = FRAME_KINDS.map((name) => palette.kinds[name]);
  const titles = FRAME_KINDS.map((name) => model.data.kindTitles[name] ?? KIND_TITLES[name]);
  return {
    palette,
    fillsOf: ({ function: ids, kind }) => packFills(palette, fills, ids, (_, node) => kind[node]!),
    legend: legendOf(titles, fills, ticks, new Set(shown.graph.kind.subarray(1))),
  };
}

/** Colours by package; packages with few ticks share the last colour. */
export function lookByPackage(model: Model, shown: Shown, palette: Palette): Look {
  const { functions, frames, nodes, data } = model;
  const originOf = (node: number) => functions.origin[frames.function[nodes.frame[node]!]!]!;
  const ticks = sumOwn(model, shown, data.origins.length, originOf);
  const last = palette.packages.length - 1;
  // The program itself has the first colour, unknown code the last.
  const isNobody = (origin: number) => NOBODY.includes(data.origins[origin]!);
  const weight = (origin: number) =>
    data.origins[origin] === "app" ? Number.POSITIVE_INFINITY : ticks[origin]!;
  const order = Array.from(ticks.keys())
    .filter((origin) => !isNobody(origin))
    .sort((a, b) => (weight(a) === weight(b) ? a - b : weight(b) - weight(a)));
  const rank = new Int32Array(ticks.length).fill(last);
  const named = order.slice(0, last);
  for (const [i, origin] of named.entries()) rank[origin] = i;
  const others = ticks.reduce((sum, own, origin) => sum + (rank[origin] === last ? own : 0), 0);
  return {
    palette,
    fillsOf: ({ function: ids }) =>
      packFills(palette, palette.packages, ids, (id) => rank[functions.origin[id]!]!),
    legend: legendOf(
      [...named.map((origin) => data.origins[origin]!), "other and unknown"],
      [...palette.packages.slice(0, named.length), palette.packages[last]!],
      Float64Array.from([...named.map((origin) => ticks[origin]!), others]),
      // The last of the named ones is before the last colour, however few they are.
      new Set(
        Array.from(shown.graph.function.subarray(1), (id) =>
          Math.min(rank[functions.origin[id]!]!, named.length),
        ),
      ),
    ),
  };
}

const NOBODY = ["unknown", "merged", "idle"];

/** Returns the colours of nodes, of functions `ids`. `fillOf` returns the index of the fill of a function at a node. */
export function packFills(
  palette: Palette,
  fills: readonly string[],
  ids: Int32Array,
  fillOf: (id: number, node: number) => number,
): Fills {
  const colors = Uint32Array.from([...fills, palette.root], packColor);
  const paler = colors.map((color) => mixColors(color, packColor(palette.background), palette.paleness));
  const plain = new Uint32Array(ids.length);
  const pale = new Uint32Array(ids.length);
  for (let node = 0; node < ids.length; node++) {
    const fill = ids[node]! < 0 ? fills.length : fillOf(ids[node]!, node);
    plain[node] = colors[fill]!;
    pale[node] = paler[fill]!;
  }
  return { plain, pale };
}

/** Returns the self ticks of the shown frames, summed by group. */
function sumOwn(
  { nodes }: Model,
  { owner, self }: Shown,
  length: number,
  groupOf: (node: number) => number,
): Float64Array {
  const sums = new Float64Array(length);
  for (let node = 1; node < nodes.length; node++) {
    if (owner[node]! > 0 && self[node]! > 0) sums[groupOf(owner[node]!)]! += self[node]!;
  }
  return sums;
}

/** Returns the entries of colours that are used. `seen` has the indices of the colours of frames, also of those without self ticks. */
function legendOf(
  titles: readonly string[],
  fills: readonly string[],
  ticks: Float64Array,
  seen: ReadonlySet<number>,
): LegendEntry[] {
  return titles
    .map((title, i) => ({ title, fill: fills[i]!, ticks: ticks[i]! }))
    .filter((entry, i) => entry.ticks > 0 || seen.has(i))
    .sort((a, b) => b.ticks - a.ticks);
}
