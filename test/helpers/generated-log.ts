import { type RecordedSymbols, readRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { logOf } from "./logs.ts";
import { createRandom } from "./random.ts";

/** A log, and the symbols of its libraries. */
export interface GeneratedLog {
  readonly log: Buffer;
  readonly recorded: RecordedSymbols;
}

const KIB = 2 ** 10;
const MIB = 2 ** 20;
/** From code in part of a grain to code over more regions than there are stamps for: that is rare, since it evicts the others. */
const SIZES = [0, 1, 8, 31, 32, 33, 60, 60, 100, 100, 300, 300, 900, 4 * KIB, 12 * KIB, 12 * KIB];
const LARGE_SIZES = [MIB, 20 * MIB];
/** Where code lies: past 32 and 53 bits too, and where only the high bits of addresses tell codes apart. */
const SPACES = [0x10000, 0x10000 + 16 * MIB, 2 ** 32 + 0x10000, 0x7f1234560000, 2 ** 60];
/** Addresses that no code of a process has. */
const ODD = [
  "0x0",
  "0x1",
  "0xfff",
  "0xffffffff",
  "0x7fffffffffff",
  "0xfffffffffffff800",
  "0xffffffffffffffff",
];
const LIBRARIES = [0x600000, 0x7f8800000000, 0x7f1234560000 + 8 * MIB];
const LIBRARY_BYTES = 4 * MIB;
/** From one position in the source of a code to the next. */
const POSITION_BYTES = 16;
const MARKS = ["", "~", "^", "-", "+", "*", "?"];
const TYPES = ["LazyCompile", "Script", "Builtin", "BytecodeHandler", "Stub", "RegExp"];
const TIMERS = ["JS_Execution", "GC_Scavenge"];
const SOURCE = "function f() {\\n  g();\\n}\\nfunction g() {\\n h()\\x2C k\\n}";

/** `2^53` and more have no hexadecimal digits of their own that a double could not hold. */
const hex = (address: number) => `0x${BigInt(address).toString(16)}`;

/**
 * A log of Node 26 with rows of all kinds in an order that V8 would not write: large codes and small ones that come, move,
 * overlap and die between ticks, libraries that come late, ticks of all shapes. The same for a seed in every run.
 */
export function generatedLog(seed: number, ticks: number): GeneratedLog {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  /** Where codes have been; the last of them most often. */
  const starts = [SPACES[0]!];
  const sizes = new Map<number, number>();
  const aligned = () => (random(5) === 0 ? 1 : 64);
  const known = () => (random(3) ? starts.at(-1 - random(Math.min(8, starts.length)))! : pick(starts));
  const place = () => {
    if (random(2)) return known() + random(4) * aligned();
    const near = [64 * KIB, 4 * MIB][random(2)]!;
    return pick(SPACES) + Math.floor(random(near) / 64) * aligned();
  };
  const addressIn = (start: number) =>
    random(3)
      ? start + random(random(4) ? (sizes.get(start) ?? 64) + 2 : 64)
      : start + random(8) * POSITION_BYTES;
  const address = () => {
    const kind = random(24);
    if (kind === 0) return pick(ODD);
    if (kind < 5) return hex(pick(LIBRARIES) + random(random(2) ? 8 * KIB : LIBRARY_BYTES + 64));
    return hex(addressIn(kind < 20 ? known() : place()));
  };
  const add = (start: number, size: number) => {
    starts.push(start);
    sizes.set(start, size);
  };
  let functions = 0;
  const createCode = (): string[] => {
    const start = place();
    const size = pick(random(25) ? SIZES : LARGE_SIZES);
    add(start, size);
    const head = ["code-creation"];
    if (random(4) === 0) return [[...head, pick(TYPES), 2, 1, hex(start), size, `c${random(9)}`].join()];
    const sfi = hex(0xf00 + random(30));
    const name = `f${functions++ % 60} /x.js:${1 + random(5)}:1`;
    const rows = [[...head, "JS", 10, 1, hex(start), size, name, sfi, pick(MARKS)].join()];
    const positions = Array.from({ length: 5 }, (_, i) => `C${i * POSITION_BYTES}O${random(48)}`).join("");
    const inlined = hex(0xf00 + random(30));
    if (random(2)) rows.push(`code-source-info,${hex(start)},7,0,48,${positions}I0,F0O18,S${inlined}`);
    return rows;
  };
  let time = 0;
  const rare: (() => string[])[] = [
    createCode,
    createCode,
    createCode,
    () => {
      const [from, to] = [known(), place()];
      add(to, sizes.get(from) ?? 64);
      return [`code-move,${hex(from)},${hex(to)}`];
    },
    () => [`code-delete,${hex(known())}`],
    () => [`sfi-move,${hex(0xf00 + random(30))},${hex(0xf00 + random(30))}`],
    () => [`code-deopt,${time},64,${hex(known())},-1,20,deopt-eager,</x.js:2:3>,wrong map`],
    () => [`current-time,${time}`],
    () => [`active-runtime-timer,${pick(TIMERS)}`],
    () => (random(5) ? [] : [libraryRow(random(LIBRARIES.length))]),
    () => ["timer-event-start,V8.GC,1"],
  ];
  const rows = [
    "v8-version,14,6,202,34,-node.34,0",
    "profiler,begin,1000",
    `script-source,7,/x.js,${SOURCE}`,
  ];
  rows.push("new,CodeRange,0x10000,0x100000", libraryRow(0));
  let stack: string[] = [];
  for (let i = 0; i < ticks; i++) {
    if (random(10) === 0) rows.push(...pick(rare)());
    if (random(4)) {
      const left = stack.slice(random(3) ? Math.min(stack.length, random(3)) : random(stack.length + 1));
      stack = [...Array.from({ length: random(left.length > 20 ? 1 : 5) }, address), ...left];
    }
    // Deeper than a kernel takes: the parser reads it.
    if (random(ticks) < 2) stack = Array.from({ length: 4100 }, () => stack[0] ?? "0x1");
    else if (stack.length > 60) stack = stack.slice(-5);
    // Ticks at once, apart, at the longest step and past it, and back in time.
    time += pick([0, 7, 1000, 1000, 10_000, 10_001, 20_000, -Math.min(time, 50)]);
    const frames = random(60) ? stack : [pick(["overflow", "+0x10", "zz", ""]), ...stack];
    const top = random(2) ? "0x0" : address();
    // Some addresses are both run and returned to.
    const pc = random(3) ? address() : (stack[random(stack.length + 1)] ?? "0x1");
    const row = ["tick", pc, time, random(2), top, random(30) ? random(11) : 99, ...frames].join();
    // The same stack again: those are counted, not handed on.
    for (let again = random(5) ? 1 : 4; again > 0; again--) rows.push(row);
  }
  return { log: logOf(...rows), recorded: librarySymbols() };
}

const libraryRow = (index: number) =>
  `shared-library,/lib/${index}.so,${hex(LIBRARIES[index]!)},${hex(LIBRARIES[index]! + LIBRARY_BYTES)},0`;

/** In each library: small functions side by side, gaps, and functions of many regions. */
function librarySymbols(): RecordedSymbols {
  const functions = [
    ...Array.from({ length: 40 }, (_, i) => [0x100 + 40 * i, i % 3 ? 40 : 24]),
    [0x2000, 12 * KIB],
    [0x8001, MIB],
    [0x8000 + 2 * MIB, MIB],
  ].map(([start = 0, size = 0]) => `${start.toString(16)} ${size.toString(16)} n${start}()`);
  const libraries = LIBRARIES.flatMap((_, index) => [
    `library /lib/${index}.so`,
    `segment 0 0 ${LIBRARY_BYTES.toString(16)}`,
    ...functions,
  ]);
  return readRecordedSymbols(["ticks-symbols 1", ...libraries, ""].join("\n"), "generated");
}
