import { rounded } from "../base/digits.js";
import {
  amount,
  bare,
  duration,
  inPercent,
  isZero,
  milliseconds,
  type Numeral,
  type Share,
  sized,
  type Text,
  TICKS,
  type Time,
  text,
  withSign,
} from "../base/text.js";
import type { Change, Diff, PerRun, RunAmount } from "../compare/diff-model.js";

/** A number before and after. */
type Sides = Pick<RunAmount, "before" | "after">;

/** Returns a number of the comparison with its unit. */
export function scaled(value: number, { scale }: Diff): Share | Time {
  return scale.unit === "percent" ? inPercent(value, 2) : milliseconds(value * 1e3);
}

/** Returns a change, with its sign and without a unit: percent changes by percentage points. */
export function signed(value: number, diff: Diff): Text {
  return withSign(value, (size) => bare(scaled(size, diff)));
}

/** Returns a number; nothing for one that is too small to show. */
export function orNothing(of: Numeral): Text {
  return isZero(of) ? "" : of;
}

export function changeOrNothing(value: number, diff: Diff): Text {
  return isZero(scaled(value, diff)) ? "" : signed(value, diff);
}

/** Returns the interval of a change: `+1.40 to +2.20`; empty if both ends are 0. */
export function interval(change: Pick<Change, "low" | "high">, diff: Diff): Text {
  return rangeText(change, (size) => bare(scaled(size, diff)));
}

/** Returns an interval of changes whose ends are made by `numeral`; empty if both are 0. */
export function rangeText(
  { low, high }: Pick<Change, "low" | "high">,
  numeral: (size: number) => Numeral,
): Text {
  if (isZero(numeral(Math.abs(low))) && isZero(numeral(Math.abs(high)))) return "";
  return text`${withSign(low, numeral)} to ${withSign(high, numeral)}`;
}

/** Returns a number of a run, without its unit but that of bytes: `5685`, `0.7`. `of`: the largest that is said with it. */
export function runNumber(value: number, { unit }: Pick<PerRun, "unit">, of = value): Numeral {
  switch (unit) {
    case "bytes":
    case "bytes-per-unit":
      return sized(value);
    case "ms":
    case "ms-per-unit":
      return bare(milliseconds(value * 1e3, of * 1e3));
    default:
      return amount(rounded(value));
  }
}

/** Returns numbers of {@link runNumber} with their unit, which bytes have already. */
export function inUnit(numbers: Text, { unit }: Pick<PerRun, "unit">): Text {
  switch (unit) {
    case "bytes":
    case "bytes-per-unit":
      return numbers;
    case "objects":
    case "objects-per-unit":
      return text`${numbers} objects`;
    default:
      return text`${numbers} ${unit === "ticks" ? TICKS : "ms"}`;
  }
}

/** Returns what something takes in a run before and after: `5685 → 556`. */
export function runNumbers({ before, after }: Sides, of: PerRun): Text {
  const most = Math.max(before, after);
  return text`${runNumber(before, of, most)} → ${runNumber(after, of, most)}`;
}

/** Returns a change relative to what was: `-90%`; as it is if there was nothing, empty if there is nothing at all. */
export function runChange({ before, change }: RunAmount, of: PerRun): Text {
  if (isZero(runNumber(before, of)) && isZero(runNumber(change, of))) return "";
  return withSign(change, (size) =>
    before > 0 ? wholePercent((size / before) * 100, inPercent) : runNumber(size, of),
  );
}

/** Returns the interval of a change in a run: `-5140 to -5110`; empty if both ends are 0. */
export function runInterval(amount: RunAmount, of: PerRun): Text {
  const most = Math.max(Math.abs(amount.low), Math.abs(amount.high));
  return rangeText(amount, (size) => runNumber(size, of, most));
}

/** Returns shares before and after: `96.1 → 5.2%`. */
export function sharesText({ before, after }: Sides): Text {
  const [first, second] = [inPercent(before), inPercent(after)];
  return isZero(first) && isZero(second) ? "" : text`${bare(first)} → ${second}`;
}

/** So much, in percent, may a share of weights be off that are kept as floats of 32 bits. */
const ROUNDING = 1e-4;

/** Makes a share without decimals, but never 100 % of what is less. */
export function wholePercent(value: number, percent: typeof inPercent): Numeral {
  const isAlmostAll = value > 99 && value < 100 - ROUNDING;
  return percent(isAlmostAll ? Math.min(99.9, value) : value, isAlmostAll ? 1 : 0);
}

export function aRun({ unit }: Pick<PerRun, "unit">): string {
  return unit.endsWith("-per-unit") ? "a unit of work" : "a run";
}

/** Whether a tick is as long on both sides, so that times say what ticks say. */
export function hasOneInterval({ ms, before, after }: Pick<PerRun, "ms" | "before" | "after">): boolean {
  if (ms === undefined || before === 0 || after === 0) return false;
  const ratio = ms.after / after / (ms.before / before);
  return ratio < SAME_TICK && ratio > 1 / SAME_TICK;
}

/** Ticks whose lengths differ by a smaller factor are about as long. */
const SAME_TICK = 1.05;

/** Returns milliseconds before and after in words: `10.5 → 1.1 s`. */
export function timesText(of: Sides): Text {
  return text`${bareTime(of.before, of)} → ${duration(of.after * 1e3, longest(of))}`;
}

/** Returns milliseconds without a unit: as seconds, if those before or after are. */
export function bareTime(ms: number, of: Sides): Numeral {
  return bare(duration(ms * 1e3, longest(of)));
}

function longest({ before, after }: Sides): number {
  return Math.max(before, after) * 1e3;
}

export function amounts({ before, after }: Sides, diff: Diff): Text {
  return text`${scaled(before, diff)} to ${scaled(after, diff)}`;
}
