import type { Micros } from "../base/units.js";
import type { Slicing } from "../facts/slice-width.js";

const SECOND = 1e6;
const MILLISECOND = 1e3;
/** The distance between labels, in columns. */
const LABEL_COLUMNS = 10;

/** Returns a time with at most `digits` digits after the point: `0.8 ms`, `250 ms`, `12.5 s`. */
export function timeText(micros: Micros, digits = 3): string {
  const { unit, name } = unitOf(micros);
  return `${decimal(micros / unit, digits)} ${name}`;
}

/** Returns a span in the unit of its end, as exact as the slice width needs: `120-160 ms`. */
export function spanText(
  { from, to }: { readonly from: Micros; readonly to: Micros },
  width: Micros,
): string {
  const { unit, name } = unitOf(to);
  const digits = digitsFor(width, unit);
  return `${decimal(from / unit, digits)}-${decimal(to / unit, digits)} ${name}`;
}

/** Returns enough digits after the point for a tenth of a slice; at most three. */
function digitsFor(width: Micros, unit: Micros): number {
  return Math.min(3, Math.max(0, Math.ceil(Math.log10((10 * unit) / width))));
}

/** Returns seconds from 10 s on, milliseconds below. */
function unitOf(micros: Micros): { readonly unit: Micros; readonly name: string } {
  return micros < 10 * SECOND ? { unit: MILLISECOND, name: "ms" } : { unit: SECOND, name: "s" };
}

/**
 * Returns the line above slices that are one column wide: the start time of every tenth slice, with its first
 * digit above that slice. The unit is that of the last slice.
 */
export function axisLabels({ start, width, count }: Slicing): {
  readonly unit: string;
  readonly labels: string;
} {
  const { unit, name } = unitOf(start + count * width);
  // Slices of a round width start at a multiple of it, so label the round ones.
  const first = start % width === 0 ? start / width : 0;
  const digits = digitsFor(width, unit);
  let labels = "";
  for (let i = 0; i < count; i++) {
    if ((first + i) % LABEL_COLUMNS !== 0) continue;
    labels = `${labels.padEnd(i)}${decimal((start + i * width) / unit, digits)}`;
  }
  return { unit: name, labels };
}

/** Formats a number without trailing zeros after the point. */
function decimal(number: number, digits: number): string {
  return String(Number(number.toFixed(digits)));
}
