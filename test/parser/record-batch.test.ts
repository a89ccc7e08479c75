import { describe, expect, it } from "vitest";
import { type Extra, RecordWriter, readBatch } from "../../src/parser/record-batch.ts";
import type { LogRecord } from "../../src/parser/rows/row-decoders.ts";
import type { TickRecord } from "../../src/parser/rows/tick.ts";

const CELLS = 64;

/** Writes in one way and reads in another. */
function roundTrip(write: (writer: RecordWriter) => void) {
  const taken: unknown[] = [];
  let ticks = 0;
  let batches = 0;
  const memory = new Float64Array(CELLS);
  const writer = new RecordWriter(
    () => memory,
    (length, extras) => {
      batches++;
      ticks += readBatch(memory.subarray(0, length), structuredClone(extras) as Extra[], {
        takeTicks: (cells, count, line) => taken.push({ cells: Array.from(cells), count, line }),
        takeRecord: (record, line) => taken.push({ record, line }),
        takeDiagnostic: (code, line, type, times) => taken.push({ code, line, type, times }),
      });
    },
  );
  write(writer);
  writer.flush();
  return { taken, ticks, batches };
}

describe("a batch of records", () => {
  it("keeps the order of ticks, other records and faults, with their lines", () => {
    const record: LogRecord = { type: "code-delete", address: 7 };
    const expected: unknown[] = [];
    const { taken, ticks, batches } = roundTrip((writer) => {
      for (let i = 1; i <= 100; i++) {
        const cells = Array.from({ length: i % 60 }, (_, cell) => 1000 * i + cell);
        writer.addTicks(Float64Array.from(cells), i, 3 * i);
        writer.addDiagnostic("malformed-row", 3 * i + 1, "tick");
        writer.addRecord(record, 3 * i + 2);
        expected.push(
          { cells, count: i, line: 3 * i },
          { code: "malformed-row", line: 3 * i + 1, type: "tick", times: 1 },
          { record, line: 3 * i + 2 },
        );
      }
    });
    expect(taken).toEqual(expected);
    expect(ticks).toBe(5050);
    expect(batches).toBeGreaterThan(40);
  });

  it("passes on a fault once with its number, however often it comes between two records", () => {
    const { taken, batches } = roundTrip((writer) => {
      writer.addDiagnostic("empty-line", 1, undefined, 7);
      for (let line = 8; line < 10_000; line++) {
        writer.addDiagnostic("unknown-row", line, "x");
        writer.addDiagnostic("crlf", line);
      }
      writer.addRecord({ type: "code-delete", address: 7 }, 10_000);
      writer.addDiagnostic("crlf", 10_001);
    });
    expect(taken).toEqual([
      { code: "empty-line", line: 1, type: undefined, times: 7 },
      { code: "unknown-row", line: 8, type: "x", times: 9992 },
      { code: "crlf", line: 8, type: undefined, times: 9992 },
      { record: { type: "code-delete", address: 7 }, line: 10_000 },
      { code: "crlf", line: 10_001, type: undefined, times: 1 },
    ]);
    expect(batches).toBe(1);
  });

  it("holds odd ticks as records, with no more frames than they have", () => {
    const tick: TickRecord = {
      type: "tick",
      pc: 1,
      timestamp: 2,
      isExternal: false,
      tos: 0,
      vmState: 0,
      frames: Float64Array.of(10, 11, 99, 99),
      depth: 2,
      hasOverflow: true,
    };
    const { taken, ticks } = roundTrip((writer) => writer.addRecord(tick, 5));
    expect(taken).toEqual([{ record: { ...tick, frames: Float64Array.of(10, 11) }, line: 5 }]);
    expect(ticks).toBe(1);
  });
});
