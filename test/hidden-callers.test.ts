import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Analysis } from "../src/facts/analysis.ts";
import { labelOf } from "../src/facts/label.ts";
import { isInferred } from "../src/profile/frame.ts";
import type { Profile } from "../src/profile/profile.ts";
import { fixtureLog, fixtureProfile, WHOLE } from "./helpers/fixtures.ts";
import { hiddenCallers, inferredCallers } from "./oracle/hidden-callers.mjs";

const symbolsOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/${name}/isolate.log.symbols`, import.meta.url)), "utf8");

/** Those that builtins call do nothing that a builtin without a frame would do. */
const WORKERS = [
  "calls",
  "compares",
  "constructs",
  "filters",
  "getters",
  "joins",
  "loads",
  "looks",
  "sorts",
  "stores",
  "traps",
];

/** Returns a profile's stacks as lines, `outer;inner 3`, with the mark of what is inferred. */
function stacksOf({ frames, tree, samples }: Profile): string {
  return Array.from({ length: samples.length }, (_, row) => {
    const labels: string[] = [];
    for (let node = samples.node[row]!; node !== 0; node = tree.parent[node]!) {
      labels.unshift(labelOf(frames[tree.frame[node]!]!));
    }
    return `${labels.join(";")} ${samples.ticks[row]}`;
  }).join("\n");
}

describe.each(["node-20-hidden", "node-26-hidden"])("what is inferred of %s", (name) => {
  const hidden = hiddenCallers(fixtureLog(name).toString("latin1"), symbolsOf(name));
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

  it("lacks callers if none are shown, and has the same ticks of the same leaves", async () => {
    const all = await fixtureProfile(name, WHOLE);
    const without = await fixtureProfile(name, { ...WHOLE, callers: false });
    const leavesOf = (profile: Profile) => {
      const { frames, leaves } = Analysis.of(profile);
      return frames.flatMap((frame, i) => (leaves.all[i]! > 0 ? [`${labelOf(frame)} ${leaves.all[i]}`] : []));
    };
    expect(all.frames.some(isInferred)).toBe(true);
    expect(without.frames.some(isInferred)).toBe(false);
    expect(leavesOf(without).sort()).toEqual(leavesOf(all).sort());
  });

  it("is nearly all that the sampler skipped, and nothing else", async () => {
    const { right, entered, wrong } = inferredCallers(stacksOf(await fixtureProfile(name, WHOLE)));
    expect(wrong).toEqual([]);
    // Only `filters` calls `isOdd`, and its driver has the same name.
    expect(Object.keys(entered)).toEqual(name === "node-20-hidden" ? ["filters → filters → isOdd"] : []);
    expect(sum(hidden)).toBeGreaterThan(40);
    expect(sum(right)).toBeGreaterThanOrEqual(0.9 * sum(hidden));
    for (const [worker, ticks] of Object.entries(right)) {
      expect(WORKERS).toContain(worker);
      expect(ticks).toBeLessThanOrEqual(hidden[worker] ?? 0);
    }
  });
});
