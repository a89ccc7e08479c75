import type { Row } from "../fields.js";

/** The program asked for the time. With one of V8's flags these rows mark ranges. Written up to Node 8. */
export interface CurrentTimeRecord {
  readonly type: "current-time";
}

/** The runtime timer that is active from here on. */
export interface ActiveRuntimeTimerRecord {
  readonly type: "active-runtime-timer";
  readonly name: string;
}

/** V8 began or ended a timed piece of work. */
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
