import { describe, expect, it } from "vitest";
import { LibraryMap } from "../../src/symbolizer/libraries.ts";

const library = (path: string, start: number, end: number) => ({ path, start, end, slide: 0 });

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
