import { describe, expect, it } from "vitest";
import { ROW_BYTES, STACK_DEPTH } from "../../src/limits.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { faultsOf, logOf, NODE_26, parse } from "../helpers/logs.ts";

const BEFORE = "tick,0x10000,1000,0,0x0,0";
const AFTER = "tick,0x10000,2000,0,0x0,0,0x10010";
const HUGE = ["1e400", "9".repeat(400), "9007199254740992", "18446744073709551616", "-1", "NaN", "Infinity"];
const WIDE = ["0x1e400g", `0x${"f".repeat(400)}`, "0x20000000000000"];

/** The numbers in a record, however deep. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value instanceof Float64Array ? Array.from(value) : value).flatMap(numbersIn);
}

describe("a number past its limit", () => {
  const rows = [
    ...HUGE.flatMap((number) => [
      `tick,0x10000,${number},0,0x0,0`,
      `tick,0x10000,0x1,${number},0,0x0,0`,
      `code-creation,JS,10,${number},0x10000,64,f /a.js:1:1,0x1,*`,
      `code-creation,JS,10,1,0x10000,${number},f /a.js:1:1,0x1,*`,
      `profiler,begin,${number}`,
      `code-deopt,${number},2,0x10000,-1,3,deopt-eager,</a.js:1:1>,r`,
      `code-deopt,1,${number},0x10000,-1,3,deopt-eager,</a.js:1:1>,r`,
      `shared-library,/a,0x1,0x2,${number}`,
    ]).filter((row) => row !== "shared-library,/a,0x1,0x2,-1"),
    ...WIDE.flatMap((number) => [
      `code-creation,JS,10,1,${number},64,f /a.js:1:1,0x1,*`,
      `code-move,0x10000,${number}`,
      `code-move,${number},0x10000`,
      `new,CodeRange,${number},0`,
      `code-deopt,1,2,${number},-1,3,deopt-eager,</a.js:1:1>,r`,
      `code-source-info,${number},1,0,9,C0O1,,`,
      `code-source-info,0x10000,1,0,9,C0O1,F0O1,S${number}`,
    ]),
    "code-creation,JS,10,1,0x1ffffffffffff0,64,f /a.js:1:1,0x1,*",
    `tick,0x${"f".repeat(17)},1,0,0x0,0`,
    `tick,0x10000,1,0,0x${"f".repeat(17)},0`,
    `shared-library,/a,0x1,0x${"f".repeat(17)},0`,
    "profiler,begin,2147483648",
    "code-creation,JS,10,1,0x10000,64,f /a.js:2147483648:1,0x1,*",
    "code-creation,JS,10,1,0x10000,64,f /a.js:1:99999999999999999999,0x1,*",
    "code-deopt,1,2,0x10000,2147483648,3,deopt-eager,</a.js:1:1>,r",
    "code-deopt,1,2,0x10000,-1,3,deopt-eager,</a.js:2147483648:1> inlined at </a.js:1:1>,r",
    "code-source-info,0x10000,1,0,9,C2147483648O1,,",
    "code-source-info,0x10000,1,0,9,C0O1,F0O99999999999,",
    "code-source-info,0x10000,2147483648,0,9,C0O1,,",
    "script-source,2147483648,/a.js,x",
  ];

  it("makes its row malformed, counted once, between neighbours that live, with kernels and without", async () => {
    const options = ["code-deopt", "code-source-info", "script-source"] as const;
    for (const row of rows) {
      const log = logOf(...NODE_26, BEFORE, row, AFTER);
      const read = () => parse(log, log.length, options);
      const { records, faults } = read();
      expect(await withoutKernels(read), row).toEqual({ records, faults });
      expect(
        records.slice(2).map(({ type }) => type),
        row,
      ).toEqual(["tick", "tick"]);
      expect(records.slice(2), row).toMatchObject([{ timestamp: 1000 }, { timestamp: 2000, depth: 1 }]);
      expect(faults, row).toMatchObject([{ code: "malformed-row", count: 1, line: 4 }]);
    }
  });

  it("is none at the limit, and no record holds what is no number", async () => {
    const log = logOf(
      ...NODE_26,
      "tick,0x10000,9007199254740991,0,0x0,0",
      "tick,0x10000,1000000000000000,0,0x0,0,0xffffffffffffffff",
      "code-creation,JS,10,1000000000000000,0x10000,64,f /a.js:2147483647:2147483647,0xffffffffffffffff,*",
      "code-creation,JS,10,1,0x1ffffffffffff0,15,f /a.js:1:1,0x1,*",
      "code-creation,JS,10,1,0x10000,64,f:99999999999,0x1,*",
      "code-creation,Stub,10,1,0x10000,64,f:99999999999:99999999999",
      "shared-library,[vsyscall],0xffffffffff600000,0xffffffffff601000,0",
      "profiler,begin,2147483647",
    );
    const { records, faults } = parse(log);
    expect(faults).toEqual([]);
    expect(records.slice(2)).toMatchObject([
      { timestamp: 9007199254740991 },
      { timestamp: 1e15 },
      { timestamp: 1e15, address: 0x10000, size: 64 },
      { address: 0x1ffffffffffff0 },
      { name: "f:99999999999" },
      { name: "f:99999999999:99999999999" },
      { path: "[vsyscall]" },
      { interval: 2147483647 },
    ]);
    expect(records.flatMap(numbersIn).every(Number.isFinite)).toBe(true);
    expect(await withoutKernels(() => parse(log))).toEqual({ records, faults });
  });

  it("is no frame", () => {
    const frames = `0x${"f".repeat(17)},-0x20000,0x10010,+0xffffffffffffffff,${"1".repeat(400)}`;
    const { records, faults } = parse(logOf(...NODE_26, `tick,0x10000,1,0,0x0,0,${frames}`));
    const tick = records.at(-1) as { frames: Float64Array };
    expect(Array.from(tick.frames)).toEqual([0x10010]);
    expect(faults).toMatchObject([{ code: "malformed-frame", count: 1 }]);
  });
});

it("keeps the leaf of a stack that is too deep, and reads on to its end", () => {
  const frames = Array.from({ length: STACK_DEPTH + 5 }, (_, i) => `,0x${(i + 1).toString(16)}`).join("");
  const rows = [`tick,0x10000,1,0,0x0,0${frames},overflow`, AFTER];
  const { records } = parse(logOf(...NODE_26, ...rows));
  const tick = records[2] as { frames: Float64Array };
  expect([tick.frames.length, tick.frames[0], tick.frames.at(-1)]).toEqual([STACK_DEPTH, STACK_DEPTH, 1]);
  expect(faultsOf(...NODE_26, ...rows)).toEqual(["overflow×1@3", "deep-stack×1@3"]);
});

it("passes over a row that is too long, with what stood open before it", () => {
  const fill = Buffer.alloc(1 << 22, "x");
  const { records, faults } = parse([
    logOf(...NODE_26, BEFORE, "code-creation,JS,10,1000,0x20000,64,torn"),
    Buffer.from("code-creation,JS,10,1000,0x20000,64,"),
    ...Array.from({ length: ROW_BYTES / fill.length }, () => fill),
    logOf("", AFTER),
  ]);
  expect(records.map(({ type }) => type)).toEqual(["v8-version", "profiler", "tick", "tick"]);
  expect(faults).toMatchObject([{ code: "malformed-row", count: 2, line: 4 }]);
});
