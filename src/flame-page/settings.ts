import type { Colouring } from "./look.js";
import type { Choice } from "./shown-graph.js";
import type { Measure } from "./side-model.js";

/** The views of the page. */
export type ViewName = "heavy" | "time" | "sandwich";

/** The side, or both, that the widths of frames are of. */
export type Width = "before" | "after" | "both";

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
