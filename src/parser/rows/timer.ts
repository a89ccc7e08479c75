import type { Row } from "../fields.js";

/** The program asked for the time: with V8's flag these rows mark ranges. Written to Node 8. */
export interface CurrentTimeRecord {
  readonly type: "current-time";
}

/** The runtime timer that runs from here on. */
export interface ActiveRuntimeTimerRecord {
  readonly type: "active-runtime-timer";
  readonly name: string;
}

/** A timed piece of V8's work began or ended. */
export interface TimerEventRecord {
  readonly type: "timer-event";
}

export function decodeCurrentTime(): CurrentTimeRecord {
  return { type: "current-time" };
}

export function decodeActiveRuntimeTimer(row: Row): ActiveRuntimeTimerRecord {
  return { type: "active-runtime-timer", name: row.text() };
}

export function decodeTimerEvent(): TimerEventRecord {
  return { type: "timer-event" };
}
