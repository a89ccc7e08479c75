import { shownBytes } from "../base/digits.js";
import type { PageDiff, PageUnit } from "./page-data.js";

/** Formats a whole number with a comma every three digits. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count with its noun: `1 tick`, `2 ticks`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${Math.round(count) === 1 ? one : many}`;
}

/** Formats a share in percent with the digits that matter: `75.9 %`, `0.04 %`; `–` if the whole is 0. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (part * 100) / whole;
  if (percent === 0) return "0 %";
  if (percent < 0.01) return "<0.01 %";
  return `${percent.toFixed(percent < 0.1 ? 2 : 1)} %`;
}

/** Formats a time in microseconds: `350 µs`, `12.4 ms`, `3.21 s`, `2:05 min`. */
export function timeText(micros: number): string {
  if (micros === 0) return "0 s";
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(1)} ms`;
  if (micros < 60e6) return `${(micros / 1e6).toFixed(2)} s`;
  const seconds = Math.round(micros / 1e6);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}

/** Formats a part of the time, with its length: `1.20 s to 2.40 s (1.20 s)`. */
export function spanText(from: number, to: number): string {
  return `${timeText(from)} to ${timeText(to)} (${timeText(to - from)})`;
}

/** Formats ticks by what they are: `5,813 ticks`, `5,813 samples`, `7.27 s`, `1.2 MB`. */
export function unitText(count: number, unit: PageUnit): string {
  if (unit === "byte") return shownBytes(count);
  return unit === "µs" ? timeText(count) : countOf(count, unit);
}

/** Returns what ticks are called where they are not counted. */
export function unitNoun(unit: PageUnit): string {
  return { tick: "ticks", sample: "samples", µs: "samples", byte: "memory", object: "objects" }[unit];
}

/** The whole that numbers of two sides are parts of. */
export type Whole = Pick<PageDiff, "unit" | "perRun">;

/** Returns whether a run is measured by its memory: it takes more then, and is not slower. */
export function isMemory(perRun: PageDiff["perRun"]): boolean {
  return perRun?.unit === "bytes" || perRun?.unit === "objects";
}

/** Formats a change with its sign: `+1.25` percentage points, or ticks of a run, `−41`. */
export function changedBy(change: number, { unit, perRun }: Whole): string {
  const size = Math.abs(change) / unit;
  const text = perRun === undefined ? (size * 100).toFixed(2) : runText(size * perRun.amount, perRun);
  return `${change < 0 && Number(text.replaceAll(",", "")) !== 0 ? "−" : "+"}${text}`;
}

/** Formats what a run takes: whole numbers, with a digit after the point below 10; bytes with their unit. */
function runText(amount: number, { unit }: { readonly unit: string }): string {
  if (unit === "bytes") return shownBytes(amount);
  return amount > 0 && amount < 9.95 ? amount.toFixed(1) : countText(amount);
}

/** Formats what one side takes: `1.25 %`, or ticks of a run. */
export function sideText(part: number, { unit, perRun }: Whole): string {
  return perRun === undefined ? shareText(part, unit) : runText((part * perRun.amount) / unit, perRun);
}

/** Formats shares before and after of a side's ticks: `1.25 % → 3.40 %`; or what a run takes: `412 → 371 ticks a run`. */
export function changeText(before: number, after: number, whole: Whole): string {
  const { unit, perRun } = whole;
  if (perRun !== undefined) {
    const of = perRun.unit === "bytes" ? "" : ` ${perRun.unit}`;
    return `${sideText(before, whole)} → ${sideText(after, whole)}${of} a run`;
  }
  const text = (part: number) =>
    part > 0 && part * 10_000 >= unit ? `${((part * 100) / unit).toFixed(2)} %` : shareText(part, unit);
  return `${text(before)} → ${text(after)}`;
}
