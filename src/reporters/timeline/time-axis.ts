import type { Micros } from "../../profile/units.js";
import type { Slicing } from "../../views/slice-width.js";

const SECOND = 1e6;
const MILLISECOND = 1e3;
/** How many columns apart labels are. */
const LABEL_COLUMNS = 10;

/** A time as people say it, with so many digits after the point at most: `0.8 ms`, `250 ms`, `12.5 s`. */
export function timeText(micros: Micros, digits = 3): string {
  const { unit, name } = unitOf(micros);
  return `${decimal(micros / unit, digits)} ${name}`;
}

/** From when to when, in the unit of the end, as exact as slices of a width need: `120-160 ms`. */
export function spanText(
  { from, to }: { readonly from: Micros; readonly to: Micros },
  width: Micros,
): string {
  const { unit, name } = unitOf(to);
  const digits = digitsFor(width, unit);
  return `${decimal(from / unit, digits)}-${decimal(to / unit, digits)} ${name}`;
}

/** Enough digits after the point to tell a tenth of a slice, but for less than the thousandth of the unit. */
function digitsFor(width: Micros, unit: Micros): number {
  return Math.min(3, Math.max(0, Math.ceil(Math.log10((10 * unit) / width))));
}

/** Seconds from 10 on, milliseconds below. */
function unitOf(micros: Micros): { readonly unit: Micros; readonly name: string } {
  return micros < 10 * SECOND ? { unit: MILLISECOND, name: "ms" } : { unit: SECOND, name: "s" };
}

/**
 * What stands over slices, a column each: the time at which every tenth begins, the number's first digit over it. The unit
 * is that of the last slice.
 */
export function axisLabels({ start, width, count }: Slicing): {
  readonly unit: string;
  readonly labels: string;
} {
  const { unit, name } = unitOf(start + count * width);
  // Slices of a round width start at a multiple of it: their labels are round too.
  const first = start % width === 0 ? start / width : 0;
  const digits = digitsFor(width, unit);
  let labels = "";
  for (let i = 0; i < count; i++) {
    if ((first + i) % LABEL_COLUMNS !== 0) continue;
    labels = `${labels.padEnd(i)}${decimal((start + i * width) / unit, digits)}`;
  }
  return { unit: name, labels };
}

/** Without a 0 at the end of the digits after the point. */
function decimal(number: number, digits: number): string {
  return String(Number(number.toFixed(digits)));
}
