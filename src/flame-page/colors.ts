import type { FrameKindName } from "./frame-kind.js";

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
  readonly root: string;
  readonly text: string;
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
  root: "#dfe3e8",
  text: "#14181d",
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
  root: "#2f363d",
  text: "#f2f5f8",
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
