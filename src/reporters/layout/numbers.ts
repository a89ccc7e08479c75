import type { Ticks } from "../../profile/units.js";
import type { Style } from "./style.js";

/** A row is hot from this share on, in percent, and faint below the other. */
const HOT = 10;
const FAINT = 1;

/** Returns a share in percent with one decimal; a dash if the whole is 0. */
export function shareOf(ticks: Ticks, whole: Ticks): string {
  return whole === 0 ? "-" : `${((ticks * 100) / whole).toFixed(1)}%`;
}

/** Returns a number with its noun: `1 tick`, `2 ticks`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The ticks that decide whether a text is hot or faint. */
export interface Weight {
  /** Makes it hot if large. */
  readonly ticks: Ticks;
  /** Makes it faint if small. Default: `ticks`. */
  readonly faint?: Ticks;
  readonly whole: Ticks;
}

/** Styles a text as hot or faint, by its share. */
export function emphasize(text: string, { ticks, faint = ticks, whole }: Weight, style: Style): string {
  const share = (part: Ticks) => (whole === 0 ? 0 : (part * 100) / whole);
  if (share(ticks) >= HOT) return style.hot(text);
  return share(faint) < FAINT ? style.faint(text) : text;
}
