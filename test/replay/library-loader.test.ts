import { describe, expect, it } from "vitest";
import { analyze } from "../../src/load/analyze.ts";
import { readLog } from "../../src/load/read-log.ts";
import { readRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { LibraryLoader } from "../../src/replay/libraries.ts";
import { chunksOf, leavesOf, logOf, NODE_26, tickAt } from "../helpers/logs.ts";

const SYMBOLS = readRecordedSymbols(
  ["ticks-symbols 1", "library /lib/a.so", "segment 0 0 10000", "100 80 f()", "200 40 g()", ""].join("\n"),
  "a.symbols",
);
const BASE = 0x7f0000000000;
const LIBRARY = `shared-library,/lib/a.so,0x${BASE.toString(16)},0x${(BASE + 0x10000).toString(16)},0`;
/** Ticks all over f and g, and two where no symbol is. */
const TICKS = [0x100, 0x101, 0x17f, 0x200, 0x23f, 0x180, 0x300, 0x110, 0x210].map((offset) =>
  tickAt(BASE + offset),
);
const LOG = logOf(...NODE_26, LIBRARY, ...TICKS, ...TICKS, ...TICKS);
const LEAVES = { "f()": 12, "g()": 9, "/lib/a.so": 6 };

function fail(): never {
  throw new Error("the log has no run");
}

describe("LibraryLoader", () => {
  const loader = () => new LibraryLoader({ sources: [], recorded: SYMBOLS });

  it("loads a library once, and again when it has grown", async () => {
    const [{ replayed } = fail()] = await readLog(chunksOf(LOG), {
      name: "x",
      range: {},
      openLoader: loader,
    });
    const facts = { libraries: replayed.libraries, v8: replayed.v8, isUnversioned: false };
    const one = loader();
    expect(await one.load(0, facts)).toBe(await one.load(0, facts));
    const before = one.load(0, facts);
    replayed.libraries.add({ path: "/lib/a.so", start: BASE, end: BASE + 0x20000, slide: 0 });
    expect(one.load(0, facts)).not.toBe(before);
  });

  it("says the same of a library wherever the log is cut, also where later rows tell more of the log", async () => {
    const log = logOf(
      ...NODE_26,
      "shared-library,not a path,0x400000,0x401000,0",
      tickAt(0x400000),
      "shared-library,/opt/none/bin/node,0x10000,0x11000,-4096",
    );
    const problems = async (chunkSize?: number) => {
      const { info } = await analyze(chunksOf(log, chunkSize));
      return info.libraries.map(({ problem }) => problem);
    };
    expect(await problems()).toEqual([{ kind: "other-system", system: "macos" }]);
    expect(await problems(60)).toEqual(await problems());
  });

  it("makes the addresses of a function one frame from the next chunk on", async () => {
    const pending = async (chunkSize: number) => {
      const [{ replayed } = fail()] = await readLog(chunksOf(LOG, chunkSize), {
        name: "x",
        range: {},
        openLoader: loader,
      });
      return replayed.frames.length;
    };
    expect(await pending(LOG.length)).toBe(9);
    // Three for the first addresses met, one a function, and the two that are in none.
    expect(await pending(64)).toBeLessThan(7);
  });

  it("changes no tick, wherever the chunks end", async () => {
    for (const size of [1, 40, 64, 100, LOG.length]) {
      expect(leavesOf(await analyze(chunksOf(LOG, size), { recorded: SYMBOLS }))).toEqual(LEAVES);
    }
  });
});
