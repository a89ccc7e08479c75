import type { PageUnit } from "./page-data.js";

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

/** Formats ticks by what they are: `5,813 ticks`, `5,813 samples`, `7.27 s`. */
export function unitText(count: number, unit: PageUnit): string {
  return unit === "µs" ? timeText(count) : countOf(count, unit);
}

/** Returns what ticks are called where they are not counted. */
export function unitNoun(unit: PageUnit): "ticks" | "samples" {
  return unit === "tick" ? "ticks" : "samples";
}

/** Formats a change of percentage points with its sign: `+1.25`, `−0.04`. */
export function pointsText(points: number): string {
  const text = Math.abs(points).toFixed(2);
  return `${points < 0 && Number(text) !== 0 ? "−" : "+"}${text}`;
}

/** Formats shares before and after of a side's ticks: `1.25 % → 3.40 %`. */
export function changeText(before: number, after: number, unit: number): string {
  const text = (part: number) =>
    part > 0 && part * 10_000 >= unit ? `${((part * 100) / unit).toFixed(2)} %` : shareText(part, unit);
  return `${text(before)} → ${text(after)}`;
}
