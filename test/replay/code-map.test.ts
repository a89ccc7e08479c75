import { describe, expect, it } from "vitest";
import { sourceLines } from "../../src/profile/source-lines.ts";
import { LibraryMap, type OwnedRange, RangeMap } from "../../src/replay/libraries.ts";
import { CodeMap } from "../../src/replay/resolver.ts";
import { Scripts } from "../../src/replay/scripts.ts";
import { withoutKernels } from "../helpers/kernels.ts";
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
    for (let i = 0; i < 5000; i++) {
      const start = random(15_000);
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
      if (i % 500 === 0) {
        const ends = list.flatMap((e) => [e.start, e.end]).sort((a, b) => a - b);
        const edges = [0, ...ends, Number.POSITIVE_INFINITY];
        let next = 0;
        for (let at = 0; at < 15_000; at += 97) {
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

describe("RangeMap", () => {
  it("finds the range that starts last, and of those the one with the highest number", () => {
    const map = new RangeMap();
    for (const [owner, [start, end]] of [
      [10, 90],
      [20, 40],
      [20, 30],
      [50, 60],
    ].entries()) {
      map.add({ start: start!, end: end!, owner });
    }
    expect([9, 10, 20, 29, 30, 39, 40, 50, 60, 89, 90].map((at) => map.find(at)?.owner)).toEqual([
      ...[undefined, 0, 2, 2, 1, 1, 0, 3, 0, 0],
      undefined,
    ]);
    expect([
      map.isUniform(20, 30),
      map.isUniform(20, 31),
      map.isUniform(40, 50),
      map.isUniform(95, 1e9),
    ]).toEqual([...[true, false], ...[true, true]]);
  });

  it("agrees with a plain list over many ranges and questions in any order", () => {
    const random = createRandom(2);
    const map = new RangeMap();
    const list: OwnedRange[] = [];
    const plain = (address: number) =>
      list
        .filter(({ start, end }) => start <= address && address < end)
        .sort((a, b) => a.start - b.start || a.owner - b.owner)
        .at(-1);
    for (let i = 0; i < 3000; i++) {
      if (random(4) === 0) {
        const start = random(200);
        const range = { start, end: start + 1 + random(random(2) ? 10 : 200), owner: random(40) };
        map.add(range);
        list.push(range);
      }
      const at = random(420);
      expect(map.find(at)?.owner).toBe(plain(at)?.owner);
      const end = at + random(6);
      if (!map.isUniform(at, end)) continue;
      for (let other = at; other < end; other++) expect(map.find(other)?.owner).toBe(plain(at)?.owner);
    }
  });

  it("takes no longer where all overlap and each is followed by a question", () => {
    const map = new RangeMap();
    // A walk over all that hold an address, or an order made anew each time, took 10^9 steps.
    for (let i = 0; i < 30_000; i++) {
      map.add({ start: 1e6 - i, end: 1e6 + i + 1, owner: i });
      expect(map.find(1e6)?.owner === 0 && map.find(1e6 + i)?.owner === i).toBe(true);
    }
  });
});

const library = (path: string, start: number, end: number, slide = 0) => ({ path, start, end, slide });

describe("LibraryMap", () => {
  it("makes one library of rows with one path and start, up to the largest end", () => {
    const map = new LibraryMap();
    for (const end of [200, 900, 300]) map.add(library("/node", 100, end));
    map.add(library("/libc", 1000, 1100));
    expect(map.libraries.map(({ path, end }) => [path, end])).toEqual([
      ["/node", 900],
      ["/libc", 1100],
    ]);
    expect([99, 100, 899, 900, 1000, 1100].map((at) => map.find(at))).toEqual([-1, 0, 0, -1, 1, -1]);
  });
});

describe("the place of libraries with a slide", () => {
  const mapOf = (...libraries: readonly ReturnType<typeof library>[]) => {
    const map = new LibraryMap();
    for (const entry of libraries) map.add(entry);
    return map;
  };
  const places = ({ libraries }: LibraryMap) => libraries.map(({ start, end }) => [start, end]);

  it("is open until the ticks have told", () => {
    const map = mapOf(library("/a", 100, 200), library("/b", 1000, 1100, 64));
    expect(map.areAddressesKnown).toBe(false);
    map.chooseSlides(new Map());
    expect(map.areAddressesKnown).toBe(true);
    expect(mapOf(library("/a", 100, 200)).areAddressesKnown).toBe(true);
  });

  it("is what the log says, or lower by the slide, whichever has more ticks", () => {
    for (const [ticks, expected] of [
      [[[1050, 3]], [1000, 1100]],
      [[[950, 3]], [900, 1000]],
      [
        [
          [1050, 3],
          [950, 4],
        ],
        [900, 1000],
      ],
      [
        [
          [1050, 3],
          [950, 3],
        ],
        [1000, 1100],
      ],
      [[[5, 9]], [1000, 1100]],
    ] as const) {
      const map = mapOf(library("/a", 1000, 1100, 100), library("/b", 5000, 5100, 1000));
      map.chooseSlides(new Map(ticks));
      expect(places(map)[0]).toEqual(expected);
      expect(map.find(expected[0])).toBe(0);
    }
  });

  it("keeps the numbers of libraries whose order changes", () => {
    const map = mapOf(library("/a", 1000, 1100, 10), library("/b", 5000, 5100, 4900));
    map.chooseSlides(
      new Map([
        [150, 1],
        [995, 1],
      ]),
    );
    expect([150, 995, 5000].map((at) => map.find(at))).toEqual([1, 0, -1]);
  });
});

describe("an address cut to 32 bits", () => {
  const cut = (path: string, end: number, address: number) => {
    const map = new LibraryMap();
    map.add(library(path, 0x10000, end));
    return map.cut(address);
  };

  it("is meant only on Windows, with all libraries below 4 GiB", () => {
    expect(cut("C:\\node.exe", 0x20000, 0x7ff600012345)).toBe(0x12345);
    expect(cut("C:\\node.exe", 0x20000, 0x12345)).toBe(0x12345);
    expect(cut("C:\\node.exe", 0x7ff600020000, 0x7ff700012345)).toBe(0x7ff700012345);
    expect(cut("/bin/node", 0x20000, 0x7ff600012345)).toBe(0x7ff600012345);
  });
});

const LINES = 40_000;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", ",": "\\x2C", 日: "\\u65e5" };

/** Returns the row's text of a script as V8 escapes it, but for some letters, and the script's text. */
function longScript(
  line: (number: number) => string,
  raw = "",
): {
  readonly row: Uint8Array<ArrayBuffer>;
  readonly text: string;
} {
  const text = Array.from({ length: LINES }, (_, number) => line(number)).join("");
  const row = text.replace(/[\\\n\r,日]/g, (letter) =>
    raw.includes(letter) ? letter : (ESCAPES[letter] ?? "\\x0D"),
  );
  return { row: new Uint8Array(Buffer.from(row)), text };
}

function scriptsOf(row: Uint8Array<ArrayBuffer>): Scripts {
  const scripts = new Scripts();
  // A script is decoded in the place of its row.
  scripts.add({ type: "script-source", id: 1, url: "long.js", source: row.slice() }, 1);
  return scripts;
}

const SCRIPTS: [name: string, line: (number: number) => string, raw?: string][] = [
  ["of bytes", (number) => `call(${number}, "\\n");\n`],
  ["of wide letters", (number) => `call(${number}, "日");\n`],
  ["with carriage returns", (number) => `call(${number});\r\n`],
  ["with wide letters near its end", (number) => `call(${number < 39_000 ? "x" : "日"});\n`],
  ["that is not escaped", (number) => `call(${number});é\n`],
  ["with raw carriage returns", (number) => `call(${number});\r`, "\r"],
];

describe.each(SCRIPTS)("a long script %s", (_, line, raw) => {
  const { row, text } = longScript(line, raw);
  const lines = sourceLines(text);

  /** Checks parts and lines of the script, from before and after what was asked for first. */
  function checkAll(): void {
    const script = scriptsOf(row).get(1)!;
    for (const start of [0, 70_000, 5, 200_000, 131_060, text.length - 3, text.length + 5]) {
      expect(script.slice(start, start + 20)).toBe(text.slice(start, start + 20));
    }
    expect(script.slice(9, 9)).toBe("");
    expect(script.slice(9, 5)).toBe("");
    expect(script.slice(-5, text.length)).toBe(text.slice(-5));
    expect(script.source === text).toBe(true);
    expect(script.slice(70_000, 70_020)).toBe(text.slice(70_000, 70_020));

    const scripts = scriptsOf(row);
    for (const number of [1, 7_000, 2, 14_000, 39_500, LINES]) {
      const offset = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
      const start = line(0).endsWith("\r\n") ? offset + number - 1 : offset;
      expect(scripts.position(1, start)).toEqual({ line: number, column: 1 });
      expect(scripts.position(1, start + 7)).toEqual({ line: number, column: 8 });
      expect(scripts.offset(1, { line: number, column: 8 })).toBe(start + 7);
      expect(scripts.get(1)!.line(number)).toBe(lines[number - 1]);
    }
    expect(scripts.position(1, text.length + 9)).toEqual({ line: LINES + 1, column: 10 });
    // Nothing follows the last line end.
    for (const number of [-1, 0, LINES + 1, LINES + 2]) expect(scripts.get(1)!.line(number)).toBeUndefined();
    for (const number of [0, LINES + 2]) expect(scripts.offset(1, { line: number, column: 1 })).toBe(-1);
    const { lineCount } = scripts.get(1)!;
    expect(lineCount).toBe(LINES + 1);
    for (const [first, last] of [
      [1, 1],
      [7_000, 7_020],
      [LINES - 1, LINES],
      [LINES, LINES + 1],
      [LINES + 1, LINES + 1],
    ] as const) {
      expect(scripts.get(1)!.linesBetween(first, last)).toEqual(lines.slice(first - 1, last));
    }
    // All of it once only parts were asked for.
    expect(scripts.get(1)!.source === text).toBe(true);
    expect(scripts.get(1)!.line(3)).toBe(lines[2]);
  }

  it("has the same parts and lines whichever are asked for first", checkAll);

  it("has them without kernels, too", () => withoutKernels(checkAll));
});

describe("a long script", () => {
  const { row, text } = longScript((number) => `call(${number}); // mark ${number}\n`);

  it("has the occurrences of a word, before and after parts of it were asked for", () => {
    const scripts = [scriptsOf(row), scriptsOf(row), scriptsOf(row)];
    scripts[1]!.get(1)!.slice(text.length - 9, text.length);
    expect(scripts[2]!.get(1)!.source === text).toBe(true);
    for (const each of scripts) {
      const [last, before, ...others] = each.get(1)!.occurrences("mark 2000");
      expect(text.endsWith(last!)).toBe(true);
      expect(last).toContain("mark 20009\n");
      expect(before!.endsWith("mark 20008\ncall(20009); // ")).toBe(true);
      expect(others).toHaveLength(9); // To 20000, and 2000.
      expect(Array.from(each.get(1)!.occurrences("mark x"))).toEqual([]);
    }
  });

  it("that does not end with a line end has a last line", () => {
    const short = scriptsOf(new Uint8Array(row.subarray(0, row.length - 2)));
    expect(short.get(1)!.line(LINES)).toBe("call(39999); // mark 39999");
    expect(short.get(1)!.line(LINES + 1)).toBeUndefined();
  });
});
