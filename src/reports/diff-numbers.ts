import { decimalsOf, shownBytes } from "../base/digits.js";
import { bare, duration, type Text, TICKS, type Time, text } from "../base/text.js";
import type { Change, Diff, PerRun, RunAmount } from "../compare/diff-model.js";
import { plainly } from "../render/spoken.js";

/** A number before and after. */
type Sides = Pick<RunAmount, "before" | "after">;

/** Returns a number of the comparison with its unit. */
export function scaledText(value: number, { scale }: Diff): string {
  return scale.unit === "percent" ? `${value.toFixed(2)}%` : `${threeDigits(value)} ms`;
}

/** Returns a change, with its sign and without a unit: percent changes by percentage points. */
export function signed(value: number, { scale }: Diff): string {
  const text = scale.unit === "percent" ? Math.abs(value).toFixed(2) : threeDigits(Math.abs(value));
  return `${value < 0 && Number(text) !== 0 ? "-" : "+"}${text}`;
}

/** Returns what something takes, and a change: nothing for what is too small to show. */
export function amountOrNone(value: number, diff: Diff): string {
  const text = scaledText(value, diff);
  return isZero(text.replace(/[^\d.]/g, "")) ? "" : text;
}

export function changeOrNone(value: number, diff: Diff): string {
  const text = signed(value, diff);
  return isZero(text) ? "" : text;
}

/**
 * Returns a time with three digits: `1,234`, `54.8`, `1.10`, `0.771`. Beside a larger one it has as many decimals as that:
 * `of` is the largest that is said with it.
 */
function threeDigits(value: number, of = value): string {
  const digits = Math.min(decimalsOf(value), decimalsOf(of));
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns the interval of a change: `+1.40 to +2.20`; empty if both ends are 0. */
export function interval({ low, high }: Pick<Change, "low" | "high">, diff: Diff): string {
  return rangeText([low, high], (value) => signed(value, diff));
}

export function rangeText([low, high]: readonly [number, number], textOf: (value: number) => string): string {
  const [first, second] = [textOf(low), textOf(high)];
  return isZero(first) && isZero(second) ? "" : `${first} to ${second}`;
}

export function isZero(text: string): boolean {
  return Number(text.replaceAll(",", "").replace(/ B$/, "")) === 0;
}

/** Returns a number of a run, without its unit: `5,685`, `0.7`. */
export function runNumber(value: number, { unit }: Pick<PerRun, "unit">, of = value): string {
  if (isInBytes(unit)) return shownBytes(value);
  if (unit !== "ticks" && !isInObjects(unit)) return threeDigits(value, of);
  if (Math.abs(value) < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

function isInBytes(unit: PerRun["unit"]): boolean {
  return unit === "bytes" || unit === "bytes-per-unit";
}

function isInObjects(unit: PerRun["unit"]): boolean {
  return unit === "objects" || unit === "objects-per-unit";
}

/** Returns numbers of {@link runNumbers} with their unit, which bytes have already. */
export function inUnit(numbers: string, { unit }: Pick<PerRun, "unit">): Text {
  if (isInBytes(unit)) return numbers;
  return text`${numbers} ${isInObjects(unit) ? "objects" : unit === "ticks" ? TICKS : "ms"}`;
}

/** Returns what something takes in a run before and after: `5,685 → 556`. */
export function runNumbers({ before, after }: Sides, of: PerRun): string {
  const most = Math.max(before, after);
  return `${runNumber(before, of, most)} → ${runNumber(after, of, most)}`;
}

/** Returns a change relative to what was: `-90%`; as it is if there was nothing, empty if there is nothing at all. */
export function runChange({ before, change }: RunAmount, of: PerRun): string {
  if (isZero(runNumber(before, of)) && isZero(runNumber(change, of))) return "";
  if (before > 0) return `${signOf(change)}${percentText((Math.abs(change) / before) * 100)}%`;
  return `${signOf(change)}${runNumber(Math.abs(change), of)}`;
}

/** Returns the interval of a change in a run: `-5,140 to -5,110`; empty if both ends are 0. */
export function runInterval({ low, high }: RunAmount, of: PerRun): string {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return rangeText([low, high], (value) => `${signOf(value)}${runNumber(Math.abs(value), of, most)}`);
}

/** Returns shares before and after: `96.1 → 5.2%`. */
export function sharesText({ before, after }: Sides): string {
  const [first, second] = [before.toFixed(1), after.toFixed(1)];
  return isZero(first) && isZero(second) ? "" : `${first} → ${second}%`;
}

export function signOf(value: number): string {
  return value < 0 ? "-" : "+";
}

/** Returns percent without decimals, but never 100 for what is less. */
export function percentText(percent: number): string {
  const rounded = percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent);
  return percent < 100 && percent > 99 ? percent.toFixed(1) : String(rounded);
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
export function timesText(of: Sides): string {
  return `${timeText(of.before, of)} → ${plainly(durationBeside(of.after, of), {})}`;
}

/** Returns milliseconds without a unit: as seconds, if those before or after are. */
export function timeText(ms: number, of: Sides): string {
  return plainly(bare(durationBeside(ms, of)), {});
}

function durationBeside(ms: number, { before, after }: Sides): Time {
  return duration(ms * 1e3, Math.max(before, after) * 1e3);
}

export function amounts({ before, after }: Sides, diff: Diff): string {
  return `${scaledText(before, diff)} to ${scaledText(after, diff)}`;
}
