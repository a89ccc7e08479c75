import { describe, expect, it } from "vitest";
import { breakdown } from "../../src/views/breakdown.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const rows = (...stacks: string[]) =>
  breakdown(profileFromStacks(...stacks))
    .filter(({ ticks }) => ticks > 0)
    .map(({ category, ticks, percent }) => `${category} ${ticks} ${percent}`);

describe("a breakdown", () => {
  it("has each tick once: by what V8 did, else by the code that ran", () => {
    expect(
      rows("js:a", "js:a", "js:a", "js:a cpp:f", "builtin:B", "?", "gc:js:a", "gc:?", "gc:cpp:f"),
    ).toEqual(["js 3 33.4", "gc 3 33.3", "builtins 1 11.1", "native 1 11.1", "unknown 1 11.1"]);
  });

  it("spreads JavaScript over its tiers, the slowest first", () => {
    const [javascript, ...others] = breakdown(profileFromStacks("js:~a", "js:*a", "js:*b", "gc:js:^a"));
    expect(javascript?.tiers).toEqual([
      { tier: "~", ticks: 1 },
      { tier: "*", ticks: 2 },
    ]);
    expect(others.every(({ tiers }) => tiers.length === 0)).toBe(true);
  });

  it("is all zeros without ticks", () => {
    expect(breakdown(profileFromStacks()).every(({ ticks, percent }) => ticks === 0 && percent === 0)).toBe(
      true,
    );
  });
});
