import { describe, expect, it } from "vitest";
import { StackText } from "../../../src/parser/rows/stack-text.ts";

/** Reads rows one after the other, each in bytes of its own or all in the same, and tells frames root first. */
function readAll(rows: readonly string[], { release = false } = {}) {
  const stack = new StackText();
  return rows.map((row) => {
    const bytes = Buffer.from(`x,${row}`);
    stack.read(bytes, 2, bytes.length, 0x1000);
    const frames = Array.from(stack.frames.subarray(0, stack.depth));
    if (release) {
      stack.release();
      bytes.fill(0);
    }
    return { frames, shared: stack.shared };
  });
}

describe("StackText", () => {
  it("tells what a stack shares with the one before, by whole frames from the root", () => {
    expect(readAll(["0x3,0x2,0x1", "0x4,0x2,0x1", "0x12,0x1", "0x2,0x1", "0x1", "", "0x1"])).toEqual([
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
    expect(readAll(["0x2,0x11", "0x2,0x1"])[1]).toEqual({ frames: [1, 2], shared: 0 });
    expect(readAll(["0x2,0x1", "0x12,0x1"])[1]).toEqual({ frames: [1, 0x12], shared: 1 });
  });

  it("needs no bytes but its own once they are released", () => {
    expect(
      readAll(["0x3,0x2,0x1", "0x4,0x2,0x1", "0x5,0x4,0x2,0x1"], { release: true }).map((r) => r.shared),
    ).toEqual([0, 2, 3]);
  });

  it("shares nothing with a stack of relative, malformed or overflown frames", () => {
    for (const odd of ["+0x10,0x1", "zz,0x1", "0x1,overflow"]) {
      expect(readAll([odd, "0x2,0x1"])[1]).toEqual({ frames: [1, 2], shared: 0 });
    }
  });

  it("gives the frames of a plain reading, whatever came before", () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const stack: number[] = [];
    const rows = Array.from({ length: 3000 }, () => {
      stack.length = random(stack.length + 1);
      for (let n = random(400) === 0 ? 600 : random(4); n > 0; n--)
        stack.push(1 + random(random(2) ? 20 : 2 ** 31));
      return [...stack];
    });
    const read = readAll(
      rows.map((frames) =>
        frames
          .map((f) => `0x${f.toString(16)}`)
          .reverse()
          .join(","),
      ),
    );
    expect(read.map(({ frames }) => frames)).toEqual(rows);
    for (const [i, { shared }] of read.entries()) {
      const before = rows[i - 1] ?? [];
      expect(rows[i]!.slice(0, shared)).toEqual(before.slice(0, shared));
      const isLongest = rows[i]![shared] === undefined || rows[i]![shared] !== before[shared];
      expect(isLongest).toBe(true);
    }
  });
});
