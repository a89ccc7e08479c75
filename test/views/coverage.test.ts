import { describe, expect, it } from "vitest";
import { coverageOf, mostlyIdle, warningsOf } from "../../src/views/coverage.ts";
import { unnamedLibraries } from "../../src/views/unnamed-libraries.ts";
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
      idle: 0,
      "no-symbol": 1,
      "no-pc": 0,
      "builtin-gap": 0,
      "code-gone": 0,
      unmapped: 2,
    });
    expect([ticks, unknown]).toEqual([8, 3]);
  });

  it("has idle ticks apart: they are no ticks without a function, whatever the thread waited in", () => {
    const idle = ["idle:?", "idle:lib:/ntdll.dll", "idle:cpp:wait"];
    const profile = profileFromStacks("js:a", "js:a ?", ...idle);
    const { breakdown, ticks, unknown, libraries } = coverageOf(profile);
    const shown = breakdown.filter((row) => row.ticks > 0).map((row) => [row.category, row.ticks]);
    expect(shown).toEqual([
      ["js", 1],
      ["idle", 3],
      ["unmapped", 1],
    ]);
    expect([ticks, unknown, libraries]).toEqual([5, 1, []]);
    expect(warningsOf(profile)).toContainEqual({ kind: "idle", ticks: 3, percent: 60 });
    expect(mostlyIdle(profileFromStacks("js:a", "idle:?"))).toBeUndefined();
    const info = {
      ...profile.info,
      libraries: [
        {
          path: "/ntdll.dll",
          buildId: undefined,
          source: undefined,
          symbols: 0,
          problem: { kind: "not-found" as const },
        },
      ],
    };
    expect(unnamedLibraries({ ...profile, info })).toEqual([]);
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
