import { describe, expect, it } from "vitest";
import { sharesOf, trust } from "../../src/views/trust.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("trust", () => {
  it("puts every tick into one cell of the ledger", () => {
    const profile = profileFromStacks(
      "js:a",
      "js:a builtin:B",
      "cpp:f",
      "cpp:g",
      "lib:/x.so",
      "lib:[vdso]",
      "?",
      "js:a ?",
    );
    const { ledger, ticks, unknown } = trust(profile);
    const cells = Object.fromEntries(ledger.map((row) => [row.cell, row.ticks]));
    expect(cells).toEqual({
      function: 1,
      "v8-code": 1,
      native: 2,
      kernel: 1,
      "no-symbol": 1,
      "no-pc": 0,
      "builtin-gap": 0,
      "code-gone": 0,
      unmapped: 2,
    });
    expect([ticks, unknown]).toEqual([8, 3]);
  });

  it("counts for each library the ticks with and without a name, most first", () => {
    const profile = profileFromStacks("lib:/x.so", "cpp:f", "cpp:g");
    const library = (path: string) => ({
      path,
      buildId: "ab",
      source: "elf",
      symbols: 9,
      problem: undefined,
    });
    const info = { ...profile.info, libraries: [library("/x.so"), library("/bin/node")] };
    expect(
      trust({ ...profile, info }).libraries.map(({ path, named, unnamed }) => [path, named, unnamed]),
    ).toEqual([
      ["/bin/node", 2, 0],
      ["/x.so", 0, 1],
    ]);
  });
});

describe("sharesOf", () => {
  it("sums to exactly 100.0", () => {
    const sum = (parts: readonly number[]) => sharesOf(parts).reduce((a, b) => a + Math.round(b * 10), 0);
    for (const parts of [
      [1, 1, 1],
      [1, 0, 0],
      [3333, 3333, 3334],
      [1, 2, 3, 4, 5, 6, 7],
      [999, 1],
    ]) {
      expect(sum(parts)).toBe(1000);
    }
    expect(sharesOf([1, 1, 1])).toEqual([33.4, 33.3, 33.3]);
    expect(sharesOf([0, 0])).toEqual([0, 0]);
  });
});
