import type { Settings } from "./settings.js";
import type { SideModel } from "./side-model.js";

const WIDTHS: Readonly<Record<Settings["width"], string>> = {
  both: "Width: the mean of before and after. What is new or gone is half as wide as it is on its side.",
  before: "Width: before. What is new has none.",
  after: "Width: after. What is gone has none.",
};

/** Returns notes on what widths and colours show; none if the page has one side. */
export function sideNotes(
  sides: SideModel | undefined,
  { width, measure, colouring, choice }: Settings,
): string[] {
  if (sides === undefined) return [];
  const of = measure === "self" ? "own code" : "own code with what it calls";
  const verdict = sides.data.hasVerdict
    ? `Red ▲ + and blue ▼ −: runs of the same code would seldom differ so much in the function’s ${of}. Grey: may be chance.`
    : `Pale red ▲ + and blue ▼ −: the 95 % interval of the function’s ${of}, as far as one run can tell, leaves out 0. That is no verdict.`;
  const isCredited = measure === "self" && !(choice.inlined && choice.builtins && choice.cpp);
  return [
    WIDTHS[width],
    ...(colouring === "change" ? [verdict] : []),
    ...(isCredited ? ["Verdicts on self leave out the ticks of hidden frames."] : []),
  ];
}

/** Returns a hint for a reader who has not selected a frame: what changed, if the page compares two sides. */
export function sideHint(sides: SideModel | undefined, hint: string): string {
  return sides === undefined ? hint : [...sides.data.summary, hint].join(" ");
}
