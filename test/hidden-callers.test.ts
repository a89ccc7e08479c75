import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { collapsed } from "../src/exporters/collapsed.ts";
import { fixtureLog, fixtureProfile } from "./helpers/fixtures.ts";
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

describe.each(["node-20-hidden", "node-26-hidden"])("what is inferred of %s", (name) => {
  const hidden = hiddenCallers(fixtureLog(name).toString("latin1"), symbolsOf(name));
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

  it("is nearly all that the sampler skipped, and nothing else", async () => {
    const { right, wrong } = inferredCallers(
      Buffer.concat(Array.from(collapsed(await fixtureProfile(name, { inlines: true })))).toString(),
    );
    expect(wrong).toEqual([]);
    expect(sum(hidden)).toBeGreaterThan(40);
    expect(sum(right)).toBeGreaterThanOrEqual(0.9 * sum(hidden));
    for (const [worker, ticks] of Object.entries(right)) {
      expect(WORKERS).toContain(worker);
      expect(ticks).toBeLessThanOrEqual(hidden[worker] ?? 0);
    }
  });
});
