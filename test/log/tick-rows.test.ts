import { describe, expect, it } from "vitest";
import { NEWEST_DIALECT } from "../../src/log/dialect.ts";
import { LogParser, TickRows } from "../../src/log/parser.ts";
import type { LogRecord } from "../../src/log/rows/row-decoders.ts";
import { TickReader } from "../../src/log/rows/tick.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { expectEqual } from "../helpers/equal.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, parse } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

/** The row of a tick with these frames, root first. */
const rowOf = (frames: readonly number[]) =>
  `tick,0x1,2,0,0x0,0${[...frames]
    .reverse()
    .map((frame) => `,${hex(frame)}`)
    .join("")}`;

/** Reads rows that stand in one piece; of each its frames, root first, and how many of them it shares with the one before. */
function readAll(rows: readonly string[]) {
  const ticks = TickRows.open(NEWEST_DIALECT)!;
  const log = logOf(...rows);
  const read: { frames: number[]; shared: number }[] = [];
  const reader = new TickReader(({ frames, depth }) =>
    read.push({ frames: Array.from(frames.subarray(0, depth)), shared: 0 }),
  );
  const bytes = ticks.put(log);
  for (let at = 0; at < bytes.length; ) {
    // One row at a time.
    const next = ticks.read(at, bytes.indexOf("\n", at) + 1);
    if (next === at) break;
    const cells = ticks.take();
    reader.read(cells);
    read.at(-1)!.shared = new Int32Array(cells.buffer, cells.byteOffset, 2)[1]!;
    at = next;
  }
  return read;
}

describe("TickRows", () => {
  it("shares with the stack before whole frames from the root", () => {
    expect(readAll([[1, 2, 3], [1, 2, 4], [1, 0x12], [1, 2], [1], [], [1]].map(rowOf))).toEqual([
      { frames: [1, 2, 3], shared: 0 },
      { frames: [1, 2, 4], shared: 2 },
      { frames: [1, 0x12], shared: 1 },
      { frames: [1, 2], shared: 1 },
      { frames: [1], shared: 1 },
      { frames: [], shared: 0 },
      { frames: [1], shared: 0 },
    ]);
  });

  it("does not take the end of a longer number for a frame", () => {
    expect(
      readAll(
        [
          [0x11, 2],
          [1, 2],
        ].map(rowOf),
      )[1],
    ).toEqual({ frames: [1, 2], shared: 0 });
    expect(
      readAll(
        [
          [1, 2],
          [1, 0x12],
        ].map(rowOf),
      )[1],
    ).toEqual({ frames: [1, 0x12], shared: 1 });
  });

  it("gives the frames of a plain reading and shares all that it can, whatever came before", () => {
    const random = createRandom(7);
    const stack: number[] = [];
    const stacks = Array.from({ length: 1000 }, () => {
      stack.length = random(stack.length + 1);
      for (let n = random(300) === 0 ? 600 : random(4); n > 0; n--)
        stack.push(1 + random(random(2) ? 20 : 2 ** 31));
      return [...stack];
    });
    const read = readAll(stacks.map(rowOf));
    expect(read.map(({ frames }) => frames)).toEqual(stacks);
    for (const [i, { shared }] of read.entries()) {
      const [now, before] = [stacks[i]!, stacks[i - 1] ?? []];
      expect(now.slice(0, shared)).toEqual(before.slice(0, shared));
      expect(now[shared] === undefined || now[shared] !== before[shared]).toBe(true);
    }
  });

  it("stops at every row that is not as most are", () => {
    for (const row of [
      "tick,0x1,2,0,0x0,0,+0x10",
      "tick,0x1,2,0,0x0,0,overflow",
      "tick,0x1,2,0,0x0,0,12",
      "tick,0x1,2,0,0x0,0,0x",
      "tick,0x1,2,0,0x0,0,0x12345678901234567",
      "tick,0x1,2,0,0x0,0,0xzz",
      ...Array.from(":@AG`gZ~\x7fé").flatMap((letter) => [
        `tick,0x1,2,0,0x0,0,0x12${letter}4`,
        `tick,0x1,2,0,0x0,0,0x123456789${letter}`,
        `tick,0x${letter},2,0,0x0,0`,
      ]),
      "tick,0x1,2,0,0x0,0,",
      "tick,0x1,2,0,0x0,0\r",
      "tick,0x1,2,0,0x0,11",
      "tick,0x1,2,0,0x0,-1",
      "tick,0x1,2,0,0x0,",
      "tick,0x1,2,0,0x0",
      "tick,0x1,1234567890123456,0,0x0,0",
      "tick,0x1,0x2,2,0,0x0,0",
      "tick,000000BABADD9640,1234,0,0000000000000000,0",
      "tick",
      "ticks,0x1,2,0,0x0,0",
      "tock,0x1,2,0,0x0,0",
      "",
      rowOf(Array.from({ length: 4097 }, () => 1)),
    ]) {
      expect(readAll([row, "tick,0x1,2,0,0x0,0"]), row).toEqual([]);
    }
    const deepest = Array.from({ length: 4096 }, () => 1);
    expect(readAll([rowOf(deepest)])).toHaveLength(1);
    expect(readAll([rowOf(deepest), rowOf([...deepest, 2])])).toHaveLength(1);
    expect(readAll([rowOf(deepest), rowOf([...deepest.slice(1), 2])])).toHaveLength(2);
  });

  it("reads no row whose newline is not there yet, whatever stood there before", () => {
    const ticks = TickRows.open(NEWEST_DIALECT)!;
    const row = Buffer.from("tick,0x1,2,0,0x0,0,0x1234\n");
    for (let length = row.length; length > 0; length--) {
      ticks.put(row);
      expect(ticks.read(0, row.length)).toBe(row.length);
      ticks.take();
      ticks.put(row.subarray(0, length));
      expect(ticks.read(0, length)).toBe(length === row.length ? length : 0);
      ticks.take();
    }
  });

  it("leaves what has no room", () => {
    const ticks = TickRows.open(NEWEST_DIALECT)!;
    const bytes = ticks.put(Buffer.from("tick,0x1,2,0,0x0,0\n".repeat(13_000)));
    let at = 0;
    let rows = 0;
    do {
      at = ticks.read(at, bytes.length);
      rows += ticks.rows;
      expect(ticks.take()).toHaveLength(3 * ticks.rows);
    } while (ticks.wasFull);
    expect([at, rows]).toEqual([bytes.length, 13_000]);
  });

  it("finds with the parser what the parser finds alone", async () => {
    const random = createRandom(11);
    const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
    /** Mostly addresses of user space; now and then any digits, up to more than an address has. */
    const digits = () =>
      Array.from({ length: random(8) ? 12 : 1 + random(17) }, () => random(16).toString(16));
    const field = () => `0x${random(20) ? digits().join("") : digits().join("").toUpperCase()}`;
    let frames: string[] = [];
    const tick = () => {
      frames = [...Array.from({ length: random(4) }, field), ...frames.slice(random(frames.length + 1))];
      if (random(30) === 0) frames.unshift(pick(["+0x10", "-0x8", "overflow", "zz", "0x", "123", ""]));
      const head = [
        field(),
        random(2 ** 30),
        random(2),
        pick(["0x0", field()]),
        random(random(20) ? 11 : 300),
      ];
      return ["tick", ...head, ...frames].join(",");
    };
    /** A row of an older layout: some with the stack pointer, a bare 0 on top, fewer columns. */
    const oldTick = () => {
      const columns = [random(2 ** 30), random(2), pick(["0", "0x0", field()]), random(9)];
      const head = [field(), ...columns.slice(random(4))];
      if (random(4)) head.splice(1, 0, field());
      return ["tick", ...head, ...frames].join(",");
    };
    const rows = Array.from({ length: 4000 }, () =>
      pick([
        tick,
        tick,
        tick,
        tick,
        tick,
        tick,
        tick,
        () => "code-move,0x10,0x20",
        oldTick,
        () => `${tick()}\r`,
      ])(),
    );
    for (const version of [NODE_26, ["v8-version,6,2,414,78,0"]]) {
      const log = logOf(...version, ...rows);
      const alone = await withoutKernels(() => parse(log));
      expect(alone.records.filter(({ type }) => type === "tick").length).toBeGreaterThan(2800);
      for (const size of [log.length, 70_000, 999]) expectEqual(parse(log, size), alone);
    }
  });

  it("reads rows that span chunks, too", () => {
    const random = createRandom(5);
    const stack = () => Array.from({ length: random(500) }, () => 2 ** 40 + random(2 ** 30));
    const log = logOf(...NODE_26, ...Array.from({ length: 300 }, () => rowOf(stack())));
    for (const size of [2 ** 13, 9999, 2 ** 18]) {
      let [many, single] = [0, 0];
      const sink = { takeTicks: (_: unknown, count: number) => (many += count), takeRecord: countTick };
      const parser = new LogParser(sink, new Diagnostics());
      for (let at = 0; at < log.length; at += size) parser.push(log.subarray(at, at + size));
      parser.end();
      expect(many + single).toBe(300);
      // The last chunk may be too short to be worth it.
      expect(single, `${size}`).toBeLessThanOrEqual(1);
      function countTick({ type }: LogRecord): void {
        if (type === "tick") single++;
      }
    }
  });
});
