import type { FrameKindName } from "./frame-kind.js";

export type ThemeName = "light" | "dark";

/** What a chart is painted with. */
export interface Palette {
  readonly kinds: Readonly<Record<FrameKindName, string>>;
  /** For packages, those with the most ticks first; the rest get the last. */
  readonly packages: readonly string[];
  readonly root: string;
  readonly text: string;
  readonly background: string;
  readonly axis: string;
  /** Around the selected frame. */
  readonly selected: string;
  readonly hovered: string;
  /** Around a match of the search. */
  readonly match: string;
  /** What boxes that do not match, and callers of the zoomed frame, are mixed with, and how much. */
  readonly veil: string;
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
  },
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
  veil: "rgba(255,255,255,0.68)",
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
  },
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
  veil: "rgba(20,24,29,0.66)",
};

/** The colours of a theme. Text stands on each fill with a contrast of 4.5 or more. */
export function paletteOf(theme: ThemeName): Palette {
  return theme === "dark" ? DARK : LIGHT;
}
