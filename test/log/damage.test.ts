import { describe, expect, it } from "vitest";
import { ROW_BYTES, STACK_DEPTH } from "../../src/base/limits.ts";
import { LogParser } from "../../src/log/parser.ts";
import { recordSink } from "../../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { faultsOf, logOf, NODE_26, parse, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

describe("damage", () => {
  const NODE_26 = "v8-version,14,6,202,34,-node.34,0";
  const NODE_8 = "v8-version,6,2,414,78,0";
  const NODE_6 = "v8-version,5,1,281,111,0";

  /** A record as text, and the line that it was found at. */
  type Found = readonly [line: number, record: string];

  /** What a log says, its pieces given one after the other. */
  function read(...pieces: readonly Uint8Array[]): { found: Found[]; faults: unknown } {
    const found: Found[] = [];
    const diagnostics = new Diagnostics();
    const sink = recordSink((record) => {
      const plain =
        record.type === "tick" ? { ...record, frames: [...record.frames.subarray(0, record.depth)] } : record;
      found.push([record.type === "tick" ? 0 : parser.line, JSON.stringify(plain)]);
    });
    const parser = new LogParser(sink, diagnostics, {
      optionalRows: ["code-deopt", "code-source-info", "script-source"],
    });
    for (const piece of pieces) parser.push(piece);
    parser.end();
    return { found, faults: diagnostics.list() };
  }

  /** Small logs in which something is wrong or odd. */
  const LOGS: Readonly<Record<string, readonly string[]>> = {
    "an endless time": [
      NODE_26,
      "code-creation,JS,10,100,0x10000,100,f /a.js:1:11,0x99990,*",
      "tick,0x10000,1000,0,0x0,0",
      `tick,0x10000,${"9".repeat(60)},0,0x0,0`,
      "tick,0x10000,100000000000000000000,0,0x0,0",
      "tick,0x10000,9007199254740991,0,0x0,0,0x10010",
      "tick,0x10000,1000000000000000,0,0x0,0,0x10010",
    ],
    "addresses at the limits": [
      NODE_26,
      "shared-library,[vsyscall],0xffffffffff600000,0xffffffffff601000,0",
      "tick,0xffffffffff600123,1,0,0x0,0,0xffffffffffffffff,0x10000000000000000,0x0,0xfff",
      "tick,0xffffffffffffffff,2,0,0xffffffffffffffff,0,-0x10,+0x10,-0x5",
      "tick,0x10000000000000001,2,0,0x0,0",
    ],
    "torn rows at the end": [
      NODE_26,
      "tick,0x10000,1000,0,0x0,0",
      "code-creation,JS,10,2000,0x20000,100,torn one",
      "code-creation,JS,10,90000000,0x30000,100,torn two",
      "tick,0x10000,90000000,0,0x0,0",
      "tick,0x10000,90001000,0,0x0,0",
    ],
    "a code range after a tick": [
      "shared-library,/node,0x400000,0x25fe000,0",
      "tick,0x7f1ba8007d17,1,0,0x0,0,0x7f1bc7f76691,0x7f1ba8007fdd",
      "code-creation,Builtin,2,17628,0x19fb680,32,Abort",
      "new,CodeRange,0x7f1ba8000000,0",
      "tick,0x7f1ba8007d17,2,0,0x0,0,0x7f1bc7f76691,0x7f1ba8007fdd",
    ],
    "open quotes": [
      NODE_6,
      'code-creation,Stub,2,0x30000,84,"open',
      'code-creation,LazyCompile,0,0x40000,84,"torn',
      'code-creation,LazyCompile,0,0x50000,84,"f a.js:1",0x12345,*',
      "tick,0x40000,10,0,0x0,0,0x50010",
    ],
    "holes of zeros": [
      NODE_26,
      `tick,0x10000,10${"\0".repeat(600)}tick,0x10000,1000,0,0x0,0,0x10`,
      `code-creation,JS,10,100,0x10000,100,a${"\0".repeat(600)}code-creation,JS,10,100,0x10000,100,b /a.js:1:11,0x99990,*`,
      "tick,0x10000,2000,0,0x0,0,0x20,0x10",
    ],
    "names with newlines": [
      NODE_26,
      "code-creation,JS,10,100,0x10000,100,a\n\ntick,0x1,2,0,0x0,0\r\nb /a.js:1:11,0x99990,*",
      "tick,0x10000,1000,0,0x0,0,0x10",
      "tick,0x10000,2000,0,0x0,0,0x20,0x10\r",
      "\0\0\0tick,0x10000,2000,0,0x0,0",
      "tick,0x10000,30\0\0",
      "tick,0x10000,3000,0,0x0,0,0x20,0x10",
    ],
  };

  describe.each(Object.entries(LOGS))("%s", (_, rows) => {
    const log = Buffer.concat([logOf(...rows), Buffer.from("tick,0x1")]);

    it("is the same cut at any byte, with kernels and without", async () => {
      const alone = await withoutKernels(() => read(log));
      expect(read(log)).toEqual(alone);
      expect(read(...Array.from(log, (byte) => Uint8Array.of(byte)))).toEqual(alone);
      for (let at = 1; at < log.length; at++) {
        const pieces = [log.subarray(0, at), log.subarray(at)];
        expect(await withoutKernels(() => read(...pieces)), `at ${at}`).toEqual(alone);
        if (at % 8 === 0) expect(read(...pieces), `at ${at}`).toEqual(alone);
      }
    });

    it("is one profile with kernels and without", async () => {
      for (const options of [{}, { timeline: true, deopts: true }, { inlines: true }]) {
        const alone = await withoutKernels(() => profileOf(log, options));
        expect(await profileOf(log, options)).toEqual(alone);
      }
    });
  });

  /** Rows as V8 writes them, of which each is a row of its own whatever stands beside it. */
  function rowsOf(version: string, count: number): string[] {
    const random = createRandom(5);
    const isQuoted = version !== NODE_26;
    const quoted = (text: string) => (isQuoted ? `"${text}"` : text);
    const code = () => `0x7f${(0x10000000 + 64 * random(1000)).toString(16)}`;
    let time = 1000;
    const micros = () => (version === NODE_6 ? "" : `${time},`);
    const name = () => ["f", "", "a,b", 'say "x"', "ä日", "a\nb", "x,0x12,*"][random(isQuoted ? 5 : 7)]!;
    const makers = [
      () => `tick,${code()},${time},0,0x0,0,${code()},${code()}`,
      () => `tick,${code()},${time},1,${code()},6`,
      () =>
        `code-creation,LazyCompile,0,${micros()}${code()},84,${quoted(`${name()} /a.js:1:11`)},${code()},*`,
      () => `code-creation,RegExp,3,${micros()}${code()},84,${quoted("a")}`,
      () => `code-move,${code()},${code()}`,
      () => `sfi-move,${code()},${code()}`,
    ];
    const later = [
      () => `script-source,7,/a.js,let a = 1;\\nlet b = 2;`,
      () => `code-source-info,${code()},7,0,80,C0O5C7O12I0,F0O7,S${code()}`,
    ];
    const all = isQuoted ? makers : [...makers, ...later];
    return Array.from({ length: count }, () => {
      time += random(2000);
      return all[random(all.length)]!();
    });
  }

  describe.each([NODE_26, NODE_8, NODE_6])("a damaged log of %s", (version) => {
    const rows = [version, "profiler,end", ...rowsOf(version, 18)];
    const log = logOf(...rows);
    /** Where each row begins, and the end. */
    const starts = [0];
    for (const row of rows) starts.push(starts.at(-1)! + Buffer.byteLength(row) + 1);
    const records = ({ found }: { found: readonly Found[] }) => found.map(([, record]) => record);

    /** The records of the rows before each row, and of all. */
    const recordsBefore = () =>
      withoutKernels(() => starts.map((start) => records(read(log.subarray(0, start)))));

    it("changes in no row but that of a byte that is another one, and the next where two become one", async () => {
      const random = createRandom(9);
      const firsts = await recordsBefore();
      const all = firsts.at(-1)!;
      expect(all.length).toBe(rows.length);
      for (let row = 2; row < rows.length; row++) {
        const first = firsts[row]!;
        for (let at = starts[row]!; at < starts[row + 1]!; at++) {
          const damaged = Buffer.from(log);
          damaged[at] = [0, 10, 13, 34, 44, 255, log[at]! ^ (1 << random(8)), random(256)][random(8)]!;
          const isEnd = at === starts[row + 1]! - 1;
          const touched = row + (isEnd ? 2 : 1);
          const last = touched >= rows.length ? [] : all.slice(firsts[touched]!.length);
          const found = records(at % 32 === 0 ? read(damaged) : await withoutKernels(() => read(damaged)));
          expect(found.slice(0, first.length), `${at}`).toEqual(first);
          expect(found.slice(found.length - last.length), `${at}`).toEqual(last);
          // Nothing is made up: a row is one record, or two where it falls apart.
          expect(found.length - first.length - last.length).toBeLessThanOrEqual(2);
        }
      }
    });

    it("keeps all rows before the byte where it is cut", async () => {
      for (const [row, first] of (await recordsBefore()).slice(0, -1).entries()) {
        for (let at = starts[row]!; at < starts[row + 1]!; at += 3) {
          const found = records(await withoutKernels(() => read(log.subarray(0, at))));
          expect(found, `${at}`).toEqual(first);
        }
      }
    });
  });
});

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
