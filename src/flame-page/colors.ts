import { TIME_CATEGORIES, TIME_TITLES, type TimeCategory } from "../profile/categories.js";
import type { Choice, Graph, Shown } from "./graph.js";
import { type Measure, type Model, SIGNS, type SideModel, signOf, type Times } from "./model.js";
import { isMemory } from "./number-text.js";
import { FRAME_KINDS, type FrameKindName, KIND_TITLES, type PageDiff } from "./page-data.js";

/** The themes of the page. */
export type ThemeName = "light" | "dark";

/** The colours of a chart. */
export interface Palette {
  readonly kinds: Readonly<Record<FrameKindName, string>>;
  /** For what got slower and faster: small, middle and large changes; and for what did not change. */
  readonly slower: readonly [string, string, string];
  readonly faster: readonly [string, string, string];
  readonly same: string;
  /** For packages, those with the most ticks first; the others share the last. */
  readonly packages: readonly string[];
  /** For what threads did over time. */
  readonly categories: Readonly<Record<TimeCategory, string>>;
  /** For turns of the event loop. */
  readonly turn: string;
  readonly longTurn: string;
  readonly root: string;
  readonly text: string;
  /** Of what stands behind the names of frames. */
  readonly detail: string;
  readonly background: string;
  readonly axis: string;
  /** The outline of the selected frame. */
  readonly selected: string;
  readonly hovered: string;
  /** The mark of a search match. */
  readonly match: string;
  /** The share of the background in pale boxes, from 0 to 1. */
  readonly paleness: number;
}

const LIGHT: Palette = {
  kinds: {
    ignition: "#f7b267",
    sparkplug: "#f4d35e",
    turboprop: "#dbe07a",
    maglev: "#b7dc7f",
    turbofan: "#7fcf97",
    js: "#cfd59a",
    wasm: "#c9b3f5",
    builtin: "#86d3d0",
    regexp: "#f3a6cd",
    cpp: "#9cc0f5",
    library: "#b8c5d9",
    gc: "#f2928b",
    compile: "#b9a3ec",
    parse: "#e0a0d0",
    profiler: "#c0c8d0",
    unknown: "#d0d4da",
    merged: "#e3e6ea",
    idle: "#eceff3",
  },
  slower: ["#fddbc7", "#f4a582", "#e07a63"],
  faster: ["#d1e5f0", "#92c5de", "#4f9dca"],
  same: "#e3e6ea",
  packages: [
    "#7fb5f5",
    "#7fcf97",
    "#f7b267",
    "#c9b3f5",
    "#86d3d0",
    "#f3a6cd",
    "#d8d26a",
    "#c9ab86",
    "#9fb3d8",
    "#a9c48c",
    "#f2928b",
    "#d0d4da",
  ],
  categories: {
    js: "#6aa84f",
    builtins: "#45b0ad",
    native: "#5b8fd9",
    gc: "#e0554d",
    compile: "#9a78e0",
    parse: "#d871b4",
    idle: "#e4e8ed",
    other: "#aab2bc",
  },
  turn: "#d6dce4",
  longTurn: "#f7bf9a",
  root: "#dfe3e8",
  text: "#14181d",
  detail: "#3a424b",
  background: "#ffffff",
  axis: "#5a6470",
  selected: "#0b57d0",
  hovered: "#30363d",
  match: "#b5179e",
  paleness: 0.68,
};

const DARK: Palette = {
  kinds: {
    ignition: "#8f5a1f",
    sparkplug: "#7a6a1a",
    turboprop: "#667020",
    maglev: "#4c7326",
    turbofan: "#21744a",
    js: "#656b38",
    wasm: "#6a52ae",
    builtin: "#1d6f71",
    regexp: "#93407a",
    cpp: "#345f9e",
    library: "#4b5a70",
    gc: "#a0413c",
    compile: "#5b45a0",
    parse: "#823a75",
    profiler: "#566069",
    unknown: "#50575f",
    merged: "#3a4149",
    idle: "#2f353c",
  },
  slower: ["#5c352c", "#853d2d", "#b0432d"],
  faster: ["#264155", "#2a5880", "#2d6dac"],
  same: "#3a4149",
  packages: [
    "#2f629f",
    "#21744a",
    "#8f5a1f",
    "#6a52ae",
    "#1d6f71",
    "#93407a",
    "#6c671c",
    "#75583a",
    "#4a5d85",
    "#526f33",
    "#a0413c",
    "#50575f",
  ],
  categories: {
    js: "#5f9a4a",
    builtins: "#2f9a97",
    native: "#4a7fc9",
    gc: "#d4524b",
    compile: "#8a68d4",
    parse: "#c25f9f",
    idle: "#2a3138",
    other: "#6a737d",
  },
  turn: "#3b444e",
  longTurn: "#7d4425",
  root: "#2f363d",
  text: "#f2f5f8",
  detail: "#d5dbe1",
  background: "#14181d",
  axis: "#9aa5b1",
  selected: "#8ab4ff",
  hovered: "#e6edf3",
  match: "#ff9de9",
  paleness: 0.66,
};

/** Returns the colours of a theme. Text on each fill has a contrast of 4.5 or more. */
export function paletteOf(theme: ThemeName): Palette {
  return theme === "dark" ? DARK : LIGHT;
}

/**
 * Returns a colour `#rrggbb` as a pixel of an image: red, green, blue and alpha in the bytes of a
 * little-endian number.
 */
export function packColor(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Returns a colour mixed with `share` of another. */
export function mixColors(packed: number, other: number, share: number): number {
  let mixed = 0xff000000;
  for (const shift of [0, 8, 16]) {
    const [from, to] = [(packed >>> shift) & 0xff, (other >>> shift) & 0xff];
    mixed |= Math.round(from + (to - from) * share) << shift;
  }
  return mixed >>> 0;
}

/** The ways to colour frames. */
type Colouring = "kind" | "package" | "change";

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
function packFills(
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

/** A turn this long can be felt, in microseconds. */
export const LONG_TURN = 50_000;

/** The views of the page. */
export type ViewName = "heavy" | "time" | "sandwich";

/** The side, or both, that the widths of frames are of. */
type Width = "before" | "after" | "both";

/** The settings above the chart. */
export interface Settings {
  readonly view: ViewName;
  readonly isFlame: boolean;
  readonly colouring: Colouring;
  readonly choice: Choice;
  /** What width and colours show; only if the page compares two sides. */
  readonly width: Width;
  readonly measure: Measure;
}

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
    legend: titles(sides.data).flatMap((title, i): LegendEntry[] =>
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

function titles({ hasVerdict, perRun }: PageDiff): string[] {
  const sizes = hasVerdict
    ? perRun === undefined
      ? ["by less than 1 point", "by 1 to 5 points", "by 5 points or more"]
      : ["by less than 1 % of a run", "by 1 to 5 % of a run", "by 5 % of a run or more"]
    : ["(no verdict)", "", ""];
  const [more, less] =
    hasVerdict && !isMemory(perRun)
      ? ["▲ slower or + new", "▼ faster or − gone"]
      : ["▲ more or + new", "▼ less or − gone"];
  return [
    ...sizes.map((size) => `${more} ${size}`),
    ...sizes.map((size) => `${less} ${size}`),
    "may be chance",
  ];
}

/** Returns the colours that the reader chose. */
export function lookOf(
  model: Model,
  shown: Shown,
  theme: ThemeName,
  { colouring, measure }: Pick<Settings, "colouring" | "measure">,
): Look {
  const palette = paletteOf(theme);
  if (model.sides !== undefined && colouring === "change")
    return lookByChange(model.sides, shown, { palette, measure });
  return (colouring === "package" ? lookByPackage : lookByKind)(model, shown, palette);
}

/** Returns the colours of what stands above the frames over time. */
export function timeLegend(times: Times, { categories, turn, longTurn }: Palette): LegendEntry[] {
  const seen = new Set<number>();
  for (const { category, waits } of times.threads) {
    for (const one of category) seen.add(one);
    if (waits.length > 0) seen.add(TIME_CATEGORIES.indexOf("idle"));
  }
  const turns = times.threads.flatMap((thread) => thread.turns.map(({ length }) => length > LONG_TURN));
  return [
    ...TIME_CATEGORIES.flatMap((name, i) =>
      seen.has(i) ? [{ title: TIME_TITLES[name], fill: categories[name], ticks: 0 }] : [],
    ),
    ...(turns.includes(false) ? [{ title: "Turn of the event loop", fill: turn, ticks: 0 }] : []),
    ...(turns.includes(true) ? [{ title: "Turn over 50 ms", fill: longTurn, ticks: 0 }] : []),
  ];
}
