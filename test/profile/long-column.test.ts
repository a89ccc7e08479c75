import { describe, expect, it } from "vitest";
import { LongColumn, nextCapacity, watchColumns, zeros } from "../../src/profile/long-column.ts";

describe("LongColumn", () => {
  it("keeps its entries while it grows, copied and in place", () => {
    const long = new LongColumn(new Uint16Array(4));
    let written = 0;
    while (long.column.length < 3_000_000) {
      for (; written < long.column.length; written++) long.column[written] = written % 65_521;
      const before = long.column.length;
      const column = long.grow(nextCapacity(before));
      expect(column).toBe(long.column);
      expect(column.length).toBeGreaterThan(before);
      expect(column[written]).toBe(0);
    }
    expect(long.column.subarray(0, written).every((entry, i) => entry === i % 65_521)).toBe(true);
  });

  it("is copied where memory cannot grow", () => {
    const known = Object.getOwnPropertyDescriptor(globalThis, "WebAssembly")!;
    Object.defineProperty(globalThis, "WebAssembly", { ...known, value: undefined });
    try {
      const long = new LongColumn(Int32Array.of(1, 2));
      expect(Array.from(long.grow(2 ** 20).subarray(0, 3))).toEqual([1, 2, 0]);
    } finally {
      Object.defineProperty(globalThis, "WebAssembly", known);
    }
  });
});

describe("watchColumns", () => {
  it("calls when long columns of so many bytes would have been made since the last call", () => {
    const made: number[] = [];
    let calls = 0;
    watchColumns(2 ** 22, () => calls++);
    try {
      for (let i = 0; i < 6; i++) {
        zeros(Uint8Array, 2 ** 10); // Too short to matter.
        zeros(Int32Array, 2 ** 18);
        made.push(calls);
      }
    } finally {
      watchColumns(Number.POSITIVE_INFINITY, () => {});
    }
    expect(made).toEqual([0, 0, 0, 1, 1, 1]);
  });
});
