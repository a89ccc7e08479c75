import type { Micros } from "../base/units.js";

/** When a log's file was made and last written, in milliseconds since 1970. */
export interface FileTimes {
  readonly born: number;
  readonly changed: number;
}

/** How much of the time between its ticks a file must have been written for. */
const LIVE_SHARE = 0.9;

/**
 * Returns when a log was opened, in milliseconds since 1970: when its file was made. Undefined if the file was
 * not written for as long as the log's ticks took, as a copy or a compressed log was not.
 */
export function logStart({ born, changed }: FileTimes, span: Micros): number | undefined {
  return born > 0 && changed - born >= (span / 1000) * LIVE_SHARE ? born : undefined;
}
