import { describe, expect, it } from "vitest";
import { TicksError } from "../src/base/errors.ts";
import { labelOf } from "../src/facts/label.ts";
import { analyze } from "../src/load/analyze.ts";
import { stackOf } from "../src/profile/call-tree.ts";
import type { Profile } from "../src/profile/profile.ts";
import { chunksOf, logOf, NODE_26, profileOf } from "./helpers/logs.ts";

/** Every sample as `leaf < caller < …: ticks`. */
function stacksOf(profile: Profile): string[] {
  const { samples, tree, frames } = profile;
  return Array.from({ length: samples.length }, (_, i) => {
    const labels = Array.from(stackOf(tree, samples.node[i]!), (frame) => labelOf(frames[frame]!));
    return `${labels.join(" < ")}: ${samples.ticks[i]}`;
  });
}

async function stacks(...rows: readonly string[]): Promise<string[]> {
  return stacksOf(await profileOf(logOf(...NODE_26, ...rows)));
}

const f = "code-creation,JS,10,1,0x1000,256,f x.js:1:1,0xf1,~";
const g = "code-creation,JS,10,1,0x2000,256,g x.js:2:1,0xf2,*";
const builtin = "code-creation,Builtin,2,1,0x9000,256,ArrayMap";
const handler = "code-creation,BytecodeHandler,0,1,0x9100,256,LdaZero";

describe("analyze", () => {
  it("resolves stacks leaf first and counts equal ones together", async () => {
    expect(
      await stacks(
        f,
        g,
        "tick,0x2001,2,0,0x0,0,0x1005",
        "tick,0x20ff,3,0,0x0,0,0x1006",
        "tick,0x1001,4,0,0x0,0",
      ),
    ).toEqual(["JS: *g x.js:2:1 < JS: ~f x.js:1:1: 2", "JS: ~f x.js:1:1: 1"]);
  });

  it("gives a tick inside a C++ callback to the callback", async () => {
    expect(await stacks(f, builtin, "tick,0x1001,2,1,0x9001,0,0x1005")).toEqual([
      "Builtin: ArrayMap < JS: ~f x.js:1:1: 1",
    ]);
  });

  it("takes the top of the stack for a caller only if it is a function", async () => {
    expect(
      await stacks(f, g, builtin, "tick,0x9001,2,0,0x2001,0,0x1005", "tick,0x2001,3,0,0x9001,0,0x1005"),
    ).toEqual([
      "Builtin: ArrayMap < JS: *g x.js:2:1 < JS: ~f x.js:1:1: 1",
      "JS: *g x.js:2:1 < JS: ~f x.js:1:1: 1",
    ]);
  });

  it("resolves code at its tick: moves, deletions and reuse change what comes after", async () => {
    const tick = "tick,0x1001,2,0,0x0,0";
    const log = [
      f,
      tick,
      "code-move,0x1000,0x3000",
      tick,
      "tick,0x3001,2,0,0x0,0",
      g.replace("0x2000", "0x1000"),
      tick,
    ];
    expect(await stacks(...log, "code-delete,0x1000", tick)).toEqual([
      "JS: ~f x.js:1:1: 2",
      "UNKNOWN: 2",
      "JS: *g x.js:2:1: 1",
    ]);
  });

  it("numbers code of one name in the order in which stacks lead to it", async () => {
    const a = "code-creation,RegExp,4,1,0x5000,16,a+";
    const b = "code-creation,RegExp,4,1,0x6000,16,a+";
    expect(
      await stacks(a, b, "tick,0x6001,1,0,0x0,0", "tick,0x5001,1,0,0x0,0", "tick,0x6002,1,0,0x0,0"),
    ).toEqual(["RegExp: a+: 2", "RegExp: a+ {1}: 1"]);
  });

  it("shows the plain tier of on-stack replaced and specialised code", async () => {
    const code = (mark: string) => `code-creation,JS,10,1,0x1000,16,f x.js:1:1,0xf1,${mark}`;
    for (const [mark, tier] of [
      ["o*", "*"],
      ["*'", "*"],
      ["o+'", "+"],
      ["+", "+"],
      ["", ""],
    ]) {
      expect(await stacks(code(mark!), "tick,0x1001,1,0,0x0,0")).toEqual([`JS: ${tier}f x.js:1:1: 1`]);
    }
  });

  it("counts an unknown tier mark and keeps the code", async () => {
    const profile = await profileOf(
      logOf(...NODE_26, "code-creation,JS,10,1,0x1000,16,f x.js:1:1,0xf1,#", "tick,0x1001,1,0,0x0,0"),
    );
    expect(stacksOf(profile)).toEqual(["JS: f x.js:1:1: 1"]);
    expect(profile.info.diagnostics).toMatchObject([{ code: "unknown-tier", count: 1, line: 3 }]);
  });

  it("keeps the name of a builtin that is logged again as a function", async () => {
    const again = "code-creation,JS,10,1,0x9000,256,,0xf1,";
    expect(await stacks(builtin, again, "tick,0x9001,1,0,0x0,0")).toEqual(["Builtin: ArrayMap: 1"]);
  });

  it("tells of moves and deletions of code that it does not know", async () => {
    const { info } = await profileOf(
      logOf(...NODE_26, "code-move,0x1,0x2", "code-move,0x1,0x2", "code-delete,0x7"),
    );
    expect(info.diagnostics.map(({ code, count, line }) => [code, count, line])).toEqual([
      ["unknown-code-move", 2, 3],
      ["unknown-code-delete", 1, 5],
    ]);
  });

  it("keeps the library of native code without symbols, JIT code first", async () => {
    const library = "shared-library,/nowhere/lib.so,0x8000,0xa000,0";
    const profile = await profileOf(
      logOf(...NODE_26, library, builtin, "tick,0x8001,1,0,0x0,6", "tick,0x9001,1,0,0x0,6"),
    );
    expect(stacksOf(profile)).toEqual(["/nowhere/lib.so: 1", "Builtin: ArrayMap: 1"]);
    expect(profile.info.libraries).toMatchObject([
      { path: "/nowhere/lib.so", problem: { kind: "not-found" } },
    ]);
  });

  it("finds builtins that Node 20 runs from the end of its code range", async () => {
    // The blob 0x400000-0x402100 is rounded up to 256 KiB and ends where the code range of 512 MiB does.
    const range = 0x7f0000000000;
    const copy = range + (512 << 20) - (256 << 10);
    const at = (offset: number) => `0x${(copy + offset).toString(16)}`;
    const rows = [
      "shared-library,/nowhere/node,0x300000,0x500000,0",
      `new,CodeRange,0x${range.toString(16)},0`,
      "code-creation,Builtin,2,1,0x400100,256,First",
      "code-creation,Builtin,2,1,0x402000,256,Last",
    ];
    const ticks = [`tick,${at(0x110)},1,0,0x0,0`, `tick,${at(0x2010)},1,0,0x0,0`];
    expect(await stacks(...rows, ...ticks)).toEqual(["Builtin: First: 1", "Builtin: Last: 1"]);
    const between = Array.from({ length: 3 }, () => `tick,${at(0x1000)},1,0,0x0,0`);
    expect(await stacks(...rows, ...ticks, ...between)).toEqual(["UNKNOWN: 5"]);
  });

  it("counts every tick by VM state", async () => {
    const { info } = await profileOf(
      logOf(...NODE_26, "tick,0x1,1,0,0x0,1", "tick,0x1,1,0,0x0,1", "tick,0x1,1,0,0x0,0"),
    );
    expect(info.ticks).toBe(3);
    expect(info.ticksByState.slice(0, 3)).toEqual([1, 2, 0]);
    expect(info.sampling).toMatchObject({ asked: 1000, withoutStack: 3 });
    expect(info.v8).toMatchObject([{ major: 14, embedder: "-node.34" }]);
  });

  it("gives the same profile however the bytes are cut", async () => {
    const log = logOf(
      ...NODE_26,
      f,
      g,
      builtin,
      handler,
      "tick,0x2001,2,0,0x0,0,0x1005",
      "tick,0x9101,2,0,0x0,0,0x1005",
    );
    const whole = stacksOf(await analyze(chunksOf(log)));
    for (const size of [1, 5, 64]) expect(stacksOf(await analyze(chunksOf(log, size)))).toEqual(whole);
  });

  it("refuses an empty log and other files, and says what they seem to be", async () => {
    const refusal = async (bytes: Buffer) => {
      const error = await profileOf(bytes, { name: "x" }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(TicksError);
      return (error as TicksError).message;
    };
    expect(await refusal(Buffer.alloc(0))).toBe("x is empty");
    expect(await refusal(Buffer.from('{"nodes":[]}'))).toBe(
      "x: not a CPU profile that can be read: it has no nodes",
    );
    expect(await refusal(Buffer.from("\x89PNG\r\n\x1a\n\n\n", "latin1"))).toBe("x is not a V8 log");
    expect(await refusal(Buffer.alloc(3 << 20, "a,b\n"))).toBe("x is not a V8 log");
  });

  it("reads a log without ticks", async () => {
    const { info, samples } = await profileOf(logOf(...NODE_26));
    expect([info.ticks, samples.length]).toEqual([0, 0]);
  });
});

describe("the range of ticks", () => {
  const count = async (range: object, rows: readonly string[]) => {
    const { info } = await profileOf(logOf(...NODE_26, ...rows), { range });
    return [info.ticks, info.excluded];
  };
  const at = (...times: number[]) => times.map((time) => `tick,0x1,${time},0,0x0,0`);

  it("is from and to in milliseconds, both included", async () => {
    expect(await count({ from: 1, to: 2 }, at(999, 1000, 1500, 2000, 2001))).toEqual([3, 0]);
    expect(await count({ from: 2 }, at(1000, 2000, 3000))).toEqual([2, 0]);
  });

  it("takes what logging took, a million picoseconds a microsecond, off the times", async () => {
    expect(await count({ to: 1, distortion: 1e6 }, at(1001, 1002, 1004))).toEqual([2, 0]);
  });

  it("is from the first to the last current-time row", async () => {
    const rows = [
      ...at(1),
      "current-time,1",
      ...at(2, 3),
      "current-time,2",
      ...at(4),
      "current-time,3",
      ...at(5),
    ];
    expect(await count({ timedRange: "all" }, rows)).toEqual([3, 0]);
  });

  it("is inside pairs of current-time rows", async () => {
    const mark = "current-time,1";
    const rows = [
      ...at(1),
      mark,
      ...at(2, 3),
      mark,
      ...at(4),
      mark,
      ...at(5),
      mark,
      ...at(6),
      mark,
      ...at(7),
    ];
    expect(await count({ timedRange: "pairs" }, rows)).toEqual([3, 0]);
  });

  it("is everything where the log has no such rows", async () => {
    expect(await count({ timedRange: "all" }, at(1, 2))).toEqual([2, 0]);
    expect(await count({ runtimeTimer: "JS" }, at(1, 2))).toEqual([2, 0]);
  });

  it("excludes ticks under another runtime timer", async () => {
    const rows = ["active-runtime-timer,JS", ...at(1, 2), "active-runtime-timer,GC", ...at(3)];
    expect(await count({ runtimeTimer: "JS" }, rows)).toEqual([3, 1]);
  });
});
