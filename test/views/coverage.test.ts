import { describe, expect, it } from "vitest";
import { coverageOf } from "../../src/views/coverage.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("trust", () => {
  it("puts every tick into one category", () => {
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
    const { breakdown, ticks, unknown } = coverageOf(profile);
    const byCategory = Object.fromEntries(breakdown.map((row) => [row.category, row.ticks]));
    expect(byCategory).toEqual({
      js: 1,
      builtins: 1,
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
      coverageOf({ ...profile, info }).libraries.map(({ path, named, unnamed }) => [path, named, unnamed]),
    ).toEqual([
      ["/bin/node", 2, 0],
      ["/x.so", 0, 1],
    ]);
  });
});
