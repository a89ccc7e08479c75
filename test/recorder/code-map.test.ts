import { describe, expect, it } from "vitest";
import { CodeMap } from "../../src/recorder/resolver.ts";
import { createRandom } from "../helpers/random.ts";

describe("CodeMap", () => {
  it("finds code from its first byte to its last", () => {
    const map = new CodeMap<string>();
    map.insert(100, 10, "a");
    expect([99, 100, 109, 110].map((at) => map.find(at))).toEqual([undefined, "a", "a", undefined]);
    expect(map.findExact(100, 10)).toBe("a");
    expect(map.findExact(100, 9)).toBeUndefined();
  });

  it("evicts all that new code covers, in part or whole", () => {
    const map = new CodeMap<string>();
    for (const [start, name] of [
      [0, "a"],
      [10, "b"],
      [20, "c"],
      [30, "d"],
    ] as const)
      map.insert(start, 10, name);
    map.insert(15, 10, "new");
    expect([5, 12, 15, 24, 25, 35].map((at) => map.find(at))).toEqual([
      "a",
      undefined,
      "new",
      "new",
      undefined,
      "d",
    ]);
  });

  it("evicts what starts where new code starts, also where no number is the next address", () => {
    for (const start of [100, 2 ** 53, 2 ** 60, 2 ** 64 - 2 ** 12]) {
      const changes: number[][] = [];
      const map = new CodeMap<string>((...range) => changes.push(range));
      map.insert(start, 2 ** 20, "a");
      changes.length = 0;
      map.insert(start, 0, "b");
      expect(map.find(start + 2 ** 12)).toBeUndefined();
      expect(changes[0]).toEqual([start, start + 2 ** 20]);
    }
  });

  it("moves and deletes by the start only, and says when there is none", () => {
    const map = new CodeMap<string>();
    map.insert(100, 10, "a");
    map.insert(200, 10, "b");
    expect(map.move(101, 300)).toBe(false);
    expect(map.move(100, 195)).toBe(true);
    expect([100, 195, 204, 205].map((at) => map.find(at))).toEqual([undefined, "a", "a", undefined]);
    expect(map.delete(200)).toBe(false);
    expect(map.delete(195)).toBe(true);
    expect(map.find(195)).toBeUndefined();
  });

  it("counts a generation for every change, and none for look-ups", () => {
    const map = new CodeMap<string>();
    map.insert(100, 10, "a");
    const before = map.generation;
    map.find(100);
    map.delete(1);
    expect(map.generation).toBe(before);
    map.delete(100);
    expect(map.generation).toBeGreaterThan(before);
  });

  it("returns the piece of code at an address, or the free addresses around it", () => {
    const map = new CodeMap<string>();
    const whole = { code: undefined, start: 0, end: Number.POSITIVE_INFINITY };
    expect(map.pieceAt(500)).toEqual(whole);
    map.insert(100, 50, "a");
    map.insert(150, 50, "b");
    map.insert(300, 10, "c");
    expect([0, 99, 100, 149, 150, 199, 200, 299, 310].map((at) => map.pieceAt(at))).toEqual([
      { code: undefined, start: 0, end: 100 },
      { code: undefined, start: 0, end: 100 },
      { code: "a", start: 100, end: 150 },
      { code: "a", start: 100, end: 150 },
      { code: "b", start: 150, end: 200 },
      { code: "b", start: 150, end: 200 },
      { code: undefined, start: 200, end: 300 },
      { code: undefined, start: 200, end: 300 },
      { code: undefined, start: 310, end: Number.POSITIVE_INFINITY },
    ]);
  });

  it("evicts whole chunks at once, however many, and keeps what stands around them", () => {
    const map = new CodeMap<number>();
    for (let i = 0; i < 20_000; i++) map.insert(64 * i, 64, i);
    map.insert(64 * 10 + 1, 64 * 19_980 + 62, -1);
    expect([0, 9, 10, 5000, 19_990, 19_991, 19_999].map((i) => map.find(64 * i + 32))).toEqual([
      ...[0, 9, -1, -1, -1],
      ...[19_991, 19_999],
    ]);
    for (let i = 0; i < 20_000; i++) map.insert(64 * i, 2 ** 50, i);
    expect(map.find(64 * 19_999 + 2 ** 49)).toBe(19_999);
    expect(map.find(64)).toBe(undefined);
  });

  it("agrees with a plain list over many random changes", () => {
    // What was found, less what the map says has changed since.
    const found = new Map<number, number | undefined>();
    const map = new CodeMap<number>((start, end) => {
      for (let at = start; at < end; at++) found.delete(at);
    });
    let list: { start: number; end: number; code: number }[] = [];
    const random = createRandom(1);
    const place = (start: number, size: number, code: number) => {
      list = list.filter((e) => e.end <= start || e.start >= start + size);
      list.push({ start, end: start + size, code });
    };
    for (let i = 0; i < 20_000; i++) {
      const start = random(60_000);
      const action = random(10);
      if (action < 7) {
        const size = 1 + random(40);
        map.insert(start, size, i);
        place(start, size, i);
      } else {
        const victim = list[random(list.length)];
        if (victim === undefined) continue;
        list = list.filter((e) => e !== victim);
        if (action < 9) {
          expect(map.move(victim.start, start)).toBe(true);
          place(start, victim.end - victim.start, victim.code);
        } else {
          expect(map.delete(victim.start)).toBe(true);
        }
      }
      if (i % 2000 === 0) {
        const ends = list.flatMap((e) => [e.start, e.end]).sort((a, b) => a - b);
        const edges = [0, ...ends, Number.POSITIVE_INFINITY];
        let next = 0;
        for (let at = 0; at < 60_000; at += 97) {
          const code = list.find((e) => e.start <= at && at < e.end)?.code;
          expect(map.find(at)).toBe(code);
          if (found.has(at)) expect(found.get(at)).toBe(code);
          found.set(at, code);
          while (edges[next]! <= at) next++;
          expect(map.pieceAt(at)).toEqual({ code, start: edges[next - 1], end: edges[next] });
        }
      }
    }
  });
});
