import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { printable } from "../../src/facts/label.ts";
import { fileName } from "../../src/facts/origin.ts";
import { readTrace } from "../../src/inputs/trace.ts";
import { analyze } from "../../src/load/analyze.ts";
import { ROOT } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import { parseLoggedName } from "../../src/profile/logged-name.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { filePath } from "../../src/profile/stable-files.ts";
import { fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { chunksOf } from "../helpers/logs.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const cases = readdirSync(FIXTURES).filter((name) => existsSync(join(FIXTURES, name, "isolate.log.gz")));

async function bytesOf(name: string, profile: Profile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const exporter = EXPORTERS.find((one) => one.name === name)!;
  for await (const chunk of exporter.export(profile)) chunks.push(Buffer.from(chunk as string));
  return Buffer.concat(chunks);
}

/** A function as all formats have it: columns and folders of libraries are not in each. */
function nameOf(frame: Frame): string {
  if (frame.kind === "unknown") return "unknown";
  if (frame.kind === "native") return `${frame.symbol ?? ""} ${fileName(frame.library)}`;
  if (frame.kind === "code") return `${frame.type}: ${frame.name}`;
  const { name, file, line } = parseLoggedName(frame.name);
  const title = name === "(anonymous)" ? "" : printable(name);
  return JSON.stringify([title, filePath(file ?? "").replaceAll("\\", "/"), line]);
}

/**
 * What formats have in place of a state, and what belongs to the function that it works for. Scripts that have no position are names
 * alone in formats of V8.
 */
const NOT_COMPARED =
  /^\((?:program|idle|garbage collector)\) |^unknown$|^BytecodeHandler: |native symbol\.js/;

/** Returns the samples of each function, its own and in all, in a thread. */
function countsOf({ frames, tree, samples }: Profile): Record<string, { self: number; total: number }> {
  const counts: Record<string, { self: number; total: number }> = Object.create(null);
  for (let i = 0; i < samples.length; i++) {
    const count = (samples.count ?? samples.ticks)[i]!;
    const seen = new Set<string>();
    for (let node = samples.node[i]!; node !== ROOT; node = tree.parent[node]!) {
      const own = nameOf(frames[tree.frame[node]!]!);
      if (NOT_COMPARED.test(own)) continue;
      const name = `${samples.thread[i]} ${own}`;
      counts[name] ??= { self: 0, total: 0 };
      if (seen.size === 0) counts[name].self += count;
      if (!seen.has(name)) counts[name].total += count;
      seen.add(name);
    }
  }
  return counts;
}

async function readBack(format: string, bytes: Buffer): Promise<Profile> {
  const options = { name: `a.${format}`, timeline: true };
  const profiles = format === "chrome-trace" ? await readTrace(chunksOf(bytes), options) : [];
  if (profiles.length > 0) return mergeProfiles(profiles);
  return analyze(chunksOf(format === "pprof" ? gunzipSync(bytes) : bytes), options);
}

describe("what this program exports and reads has each sample at its function", () => {
  it.each(cases)("%s", async (name) => {
    const profile = await fixtureProfile(name, WHOLE);
    for (const format of ["cpuprofile", "chrome-trace", "pprof"]) {
      const again = await readBack(format, await bytesOf(format, profile));
      expect([format, countsOf(again)]).toEqual([format, countsOf(profile)]);
    }
  });
});
