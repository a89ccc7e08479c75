import type { LogRecord } from "./rows/row-decoders.js";
import { type TickFields, TickReader } from "./rows/tick-fields.js";

/** Who takes what a parser finds, in the order of the log. */
export interface RecordSink {
  /** The record of a tick is the same for all ticks. */
  takeRecord(record: LogRecord): void;
  /** Takes so many ticks at once: most come so. The cells are good only for the call. */
  takeTicks(fields: TickFields, count: number): void;
}

/** A sink that gets each tick as a record. */
export function recordSink(takeRecord: (record: LogRecord) => void): RecordSink {
  const reader = new TickReader(takeRecord);
  return { takeRecord, takeTicks: (fields) => reader.read(fields) };
}
