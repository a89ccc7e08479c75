import { paletteOf, type ThemeName } from "./colors.js";
import { type Look, lookByKind, lookByPackage } from "./look.js";
import { lookByChange } from "./look-by-change.js";
import type { Model } from "./model.js";
import type { Settings } from "./settings.js";
import type { Shown } from "./shown-graph.js";

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
