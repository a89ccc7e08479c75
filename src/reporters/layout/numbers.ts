import type { Ticks } from "../../profile/units.js";
import type { Style } from "./style.js";

/** From this share on, in percent, a row is hot; below the other it hardly matters. */
const HOT = 10;
const FAINT = 1;

/** A share in percent with one decimal; a dash where it is a share of nothing. */
export function shareOf(ticks: Ticks, whole: Ticks): string {
  return whole === 0 ? "-" : `${((ticks * 100) / whole).toFixed(1)}%`;
}

/** A number with its noun: `1 tick`, `2 ticks`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** What a text is emphasized by. */
export interface Weight {
  /** What makes it hot. */
  readonly ticks: Ticks;
  /** What makes it faint where it is little. Default: `ticks`. */
  readonly faint?: Ticks;
  readonly whole: Ticks;
}

/** A text as hot or as faint as its share is. */
export function emphasize(text: string, { ticks, faint = ticks, whole }: Weight, style: Style): string {
  const share = (part: Ticks) => (whole === 0 ? 0 : (part * 100) / whole);
  if (share(ticks) >= HOT) return style.hot(text);
  return share(faint) < FAINT ? style.faint(text) : text;
}
