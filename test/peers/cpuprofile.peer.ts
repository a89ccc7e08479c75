import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { CASES, exported, OUT, ticksOf } from "./fixture.ts";
import { npmPeer } from "./peer.ts";

const TSC = join(import.meta.dirname, "../../node_modules/.bin/tsc");
const types = npmPeer("devtools-protocol@0.0.1734725");
const flamebearer = npmPeer("flamebearer@2.1.0");

/** What flamebearer reads: for each sample its time in µs and its function. */
interface Thread {
  readonly busy: number;
  readonly idle: number;
  readonly sampleIds: readonly number[];
  readonly sampleFrames: readonly { readonly functionName: string }[];
  readonly sampleTimes: readonly number[];
}

async function read(file: string): Promise<{ readonly threads: readonly Thread[] }> {
  const { parseInput } = await import(
    pathToFileURL(join(flamebearer.folder, "node_modules/flamebearer/index.js")).href
  );
  return parseInput(readFileSync(file), file);
}

describe("a CPU profile", () => {
  it("has the types of the DevTools protocol", async () => {
    const profile = readFileSync(await exported("node-26-guide", "cpuprofile"), "utf8");
    const module = join(OUT, "profile.ts");
    const protocol = join(types.folder, "node_modules/devtools-protocol/types/protocol.js");
    const check = (json: string) => {
      writeFileSync(
        module,
        `import type { Protocol } from ${JSON.stringify(protocol)};\nexport const profile: Protocol.Profiler.Profile = ${json};\n`,
      );
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", ""];
      execFileSync(TSC, [...options, module], { cwd: OUT, stdio: "pipe" });
    };
    check(profile);
    // A proof that could not fail would be none.
    expect(() => check(profile.replaceAll('"hitCount"', '"hits"'))).toThrow();
  });

  it.each(CASES)("%s: flamebearer reads its ticks, and gaps as idle", async (name) => {
    const file = await exported(name, "cpuprofile");
    const [{ sampleIds, sampleTimes, busy, idle }, ...others] = (await read(file)).threads as [Thread];
    expect(others).toEqual([]);
    const { nodes, startTime } = JSON.parse(readFileSync(file, "utf8"));
    const between = nodes.at(-1).id;
    expect(sampleIds.filter((id) => id !== between)).toHaveLength(await ticksOf(name));
    expect(busy).toBeGreaterThan(0);
    expect(busy + idle).toBe(sampleTimes.at(-1)! - startTime);
    const gaps = sampleTimes.filter((time, i) => i > 0 && time - sampleTimes[i - 1]! > 10_000);
    if (gaps.length > 0) expect(idle).toBeGreaterThan(0);
  });

  it.each(CASES)("%s: flamebearer reads the same in a trace", async (name) => {
    const [a] = (await read(await exported(name, "cpuprofile"))).threads;
    const [b] = (await read(await exported(name, "trace.json"))).threads;
    expect(b!.sampleTimes).toEqual(a!.sampleTimes);
    expect(b!.sampleFrames).toEqual(a!.sampleFrames);
    expect([b!.busy, b!.idle]).toEqual([a!.busy, a!.idle]);
  });
});
