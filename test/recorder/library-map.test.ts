import { describe, expect, it } from "vitest";
import { LibraryMap } from "../../src/recorder/libraries.ts";

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
