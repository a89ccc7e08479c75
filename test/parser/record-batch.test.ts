import { describe, expect, it } from "vitest";
import { cellsIn, type Extra, RecordReader, RecordWriter } from "../../src/parser/record-batch.ts";
import type { LogRecord } from "../../src/parser/rows/index.ts";
import type { TickRecord } from "../../src/parser/rows/tick.ts";

const CELLS = 64;

/** Writes in one way and reads in another; frames as they are when the reader hands them on. */
function roundTrip(write: (writer: RecordWriter) => void) {
  const taken: unknown[] = [];
  const reader = new RecordReader();
  const buffer = new ArrayBuffer(CELLS * 8);
  const writer = new RecordWriter(
    () => cellsIn(buffer, 0, CELLS * 8),
    (length, extras) => {
      reader.read(cellsIn(buffer, 0, CELLS * 8), length, structuredClone(extras) as Extra[], {
        takeRecord: (record, line) =>
          taken.push(record.type === "tick" ? plain(record) : { ...record, line }),
        takeFault: (code, line) => taken.push({ code, line }),
      });
    },
  );
  write(writer);
  writer.flush();
  return { taken, ticks: reader.ticks };
}

function plain({ frames, depth, shared: _, ...tick }: TickRecord) {
  return { ...tick, frames: Array.from(frames.subarray(0, depth)) };
}

describe("a batch of records", () => {
  it("has ticks with the frames that they share, whatever fits into one piece of memory", () => {
    let seed = 5;
    const random = (n: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const ticks: TickRecord[] = [];
    const frames = new Float64Array(2 * CELLS);
    let depth = 0;
    for (let i = 0; i < 500; i++) {
      const shared = random(depth + 1);
      depth = shared + random(i % 50 === 0 ? CELLS : 8);
      for (let at = shared; at < depth; at++) frames[at] = 2 ** 47 - random(1000);
      ticks.push({
        type: "tick",
        pc: 2 ** 46 + i,
        timestamp: 4e9 + i,
        isExternal: i % 3 === 0,
        tos: random(2) * 2 ** 45,
        vmState: random(12) as TickRecord["vmState"],
        frames: frames.slice(),
        depth,
        shared,
        hasOverflow: i % 7 === 0,
      });
      if (depth > 90) depth = 10;
    }
    const { taken } = roundTrip((writer) => {
      for (const tick of ticks) writer.addRecord(tick, 0);
    });
    expect(taken).toEqual(ticks.map(plain));
  });

  it("keeps the order of ticks, other records and faults, with their lines", () => {
    const tick: TickRecord = {
      type: "tick",
      pc: 1,
      timestamp: 2,
      isExternal: false,
      tos: 0,
      vmState: 0,
      frames: new Float64Array(4),
      depth: 0,
      shared: 0,
      hasOverflow: false,
    };
    const record: LogRecord = { type: "code-delete", address: 7 };
    const { taken, ticks } = roundTrip((writer) => {
      for (let i = 1; i <= 100; i++) {
        writer.addRecord(tick, 3 * i);
        writer.addFault("malformed-row", 3 * i + 1);
        writer.addRecord(record, 3 * i + 2);
      }
    });
    expect(ticks).toBe(100);
    expect(taken.slice(-2)).toEqual([
      { code: "malformed-row", line: 301 },
      { ...record, line: 302 },
    ]);
    expect(taken).toHaveLength(300);
  });
});
