import type { LogRecord } from "./rows/row-decoders.js";
import { type TickFields, TickReader } from "./rows/tick.js";

/** Takes what a parser finds, in the order of the log. */
export interface RecordSink {
  /** All ticks share one record object. */
  takeRecord(record: LogRecord): void;
  /** Takes `count` ticks at once, as most of them arrive. The fields are valid only during the call. */
  takeTicks(fields: TickFields, count: number): void;
}

/** Returns a sink that receives each tick as a record. */
export function recordSink(takeRecord: (record: LogRecord) => void): RecordSink {
  const reader = new TickReader(takeRecord);
  return { takeRecord, takeTicks: (fields) => reader.read(fields) };
}
