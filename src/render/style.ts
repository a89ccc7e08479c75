import type { Ticks } from "../base/units.js";

/** The text styles of a report. */
export interface Style {
  heading(text: string): string;
  /** Marks the rows to look at first. */
  hot(text: string): string;
  /** Marks what hardly matters. */
  faint(text: string): string;
}

const asItIs = (text: string): string => text;

/** The style for files and pipes: no escape sequences. */
export const PLAIN: Style = { heading: asItIs, hot: asItIs, faint: asItIs };

/** A row is hot from this share on, in percent, and faint below the other. */
const HOT = 10;
const FAINT = 1;

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
