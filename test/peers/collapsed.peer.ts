import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CASES, exported, ticksOf } from "./fixture.ts";
import { cargoPeer } from "./peer.ts";

const inferno = cargoPeer("inferno", "0.12.8");
const ALL = ["--countname", "ticks", "--minwidth", "0"];

describe("collapsed, drawn by inferno", () => {
  it.each(CASES)("%s: a flame graph of all its ticks", async (name) => {
    const file = await exported(name, "folded");
    const svg = execFileSync(join(inferno, "inferno-flamegraph"), [...ALL, file], {
      maxBuffer: 1 << 28,
    }).toString();
    const all = /<title>all \(([\d,]+) ticks, 100%\)<\/title>/.exec(svg)?.[1];
    expect(Number(all?.replaceAll(",", ""))).toBe(await ticksOf(name));
    // Each stack has a box for its leaf, and "all" has one.
    const stacks = readFileSync(file, "utf8").split("\n").length - 1;
    expect(svg.split("<title>").length - 2).toBeGreaterThanOrEqual(stacks);
  });
});
