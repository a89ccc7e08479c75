import { LAST_INTERVAL } from "../../limits.js";
import type { Micros } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** The profiler started, paused, resumed or ended. */
export interface ProfilerRecord {
  readonly type: "profiler";
  readonly event: string;
  /** The requested interval; undefined if the row has none. */
  readonly interval: Micros | undefined;
}

/**
 * `begin,interval` or `end`, quoted up to Node 8.
 *
 * Source: V8, src/logging/log.cc, `Profiler::Engage` and `V8FileLogger::ProfilerBeginEvent`.
 */
export function decodeProfiler(row: Row): ProfilerRecord | undefined {
  const event = row.text();
  if (!row.hasMore()) return { type: "profiler", event, interval: undefined };
  const number = row.natural();
  if (!(number <= LAST_INTERVAL)) return undefined;
  // Up to Node 6 the number is in milliseconds, as few as one. Node 8, which also quotes, writes
  // microseconds.
  const isMillis = row.hasQuotes && number > 0 && number <= 10;
  return { type: "profiler", event, interval: isMillis ? number * 1000 : number };
}
