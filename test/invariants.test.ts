import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/analyze.ts";
import { mergeProfiles } from "../src/profile/merge.ts";
import type { Profile } from "../src/profile/profile.ts";
import { jsonReporter } from "../src/reporters/json.ts";
import { readRecordedSymbols } from "../src/symbolizer/native/recorded.ts";
import { flatRows } from "../src/views/flat.ts";
import { StackLabels } from "../src/views/stack-labels.ts";
import { totals } from "../src/views/totals.ts";
import { chunksOf, parse } from "./helpers/logs.ts";
import { expectValidReport } from "./helpers/schema.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));
const cases = readdirSync(FIXTURES).filter((name) => existsSync(join(FIXTURES, name, "isolate.log.gz")));

/** The rows of ticks, but not the line that a function of test/programs/odd-names.js has in its name. */
const TICK = /^tick,(?!0x1000,1,0,0x0,0,0x2000).*\n/gm;

function logOf(name: string): Buffer {
  return gunzipSync(readFileSync(join(FIXTURES, name, "isolate.log.gz")));
}

function profileOf(name: string, log: Buffer): Promise<Profile> {
  const symbols = readFileSync(join(FIXTURES, name, "isolate.log.symbols"), "utf8");
  return analyze(chunksOf(log), { name, recorded: readRecordedSymbols(symbols, name) });
}

describe.each(cases)("%s", (name) => {
  const log = logOf(name);

  it("shares out every tick of the log", async () => {
    const profile = await profileOf(name, log);
    const ticks = log.toString("latin1").match(TICK)?.length ?? 0;
    const labels = new StackLabels(profile);
    const rows = flatRows(profile, labels);
    const sums = totals(profile, labels, rows);
    expect(profile.info.ticks).toBe(ticks);
    expect(profile.info.ticksByState.reduce((a, b) => a + b)).toBe(ticks);
    expect(rows.reduce((sum, { self }) => sum + self, 0)).toBe(ticks);
    expect(sums.js + sums.cpp + sums.library + sums.unaccounted).toBe(ticks);
    expect(rows.every(({ self, total }) => total >= self && total <= ticks)).toBe(true);
  });

  it("doubles when merged with itself", async () => {
    const profile = await profileOf(name, log);
    const labels = new StackLabels(profile);
    const twice = mergeProfiles([profile, profile]);
    const doubled = flatRows(profile, labels).map((row) => ({
      ...row,
      self: 2 * row.self,
      total: 2 * row.total,
    }));
    expect(flatRows(twice, new StackLabels(twice))).toEqual(doubled);
  });

  it("is the same fed a few bytes at a time, its first part a byte at a time", () => {
    const digest = (bytes: Buffer, chunkSize: number) => JSON.stringify(parse(bytes, chunkSize));
    const first = log.subarray(0, 150_000);
    expect(digest(first, 1) === digest(first, first.length)).toBe(true);
    expect(digest(log, 61) === digest(log, log.length)).toBe(true);
  });

  it("has a JSON report by the schema, with the sums of the text report", async () => {
    const profile = await profileOf(name, log);
    const document = JSON.parse(Array.from(jsonReporter.report(profile, {})).join("\n"));
    expectValidReport(document);
    const self = document.functions.reduce((sum: number, row: { self: number }) => sum + row.self, 0);
    expect(self).toBe(profile.info.ticks);
  });

  it("never throws, cut anywhere", () => {
    const step = Math.ceil(log.length / 20);
    for (let end = 0; end < log.length; end += step)
      expect(() => parse(log.subarray(0, end), 1 << 16)).not.toThrow();
  });
});
