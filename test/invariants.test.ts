import { describe, expect, it } from "vitest";
import { CODE_KINDS, filterProfile, type ProfileFilter } from "../src/facts/filter-profile.ts";
import { totaledRows } from "../src/facts/flat.ts";
import { matchesFrame } from "../src/facts/frame-pattern.ts";
import { StackLabels } from "../src/facts/stack-labels.ts";
import { threadTotals } from "../src/facts/thread-totals.ts";
import { totals } from "../src/facts/totals.ts";
import { stackOf } from "../src/profile/call-tree.ts";
import { mergeProfiles } from "../src/profile/merge.ts";
import type { Profile } from "../src/profile/profile.ts";
import { GC } from "../src/profile/vm-state.ts";
import { jsonLines } from "../src/reports/json.ts";
import { processData } from "../src/reports/process.ts";
import { FIXTURE_NAMES, fixtureLog, fixtureProfile, WHOLE } from "./helpers/fixtures.ts";
import { expectValidReport } from "./helpers/schema.ts";

/** The rows of ticks, but not the line that a function of test/programs/odd-names.js has in its name. */
const TICK = /^tick,(?!0x1000,1,0,0x0,0,0x2000).*\n/gm;

/** The ticks of some rows of a profile's samples. */
function sumOf({ samples }: Profile, isCounted: (sample: number) => boolean): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) if (isCounted(i)) sum += samples.ticks[i]!;
  return sum;
}

describe.each(FIXTURE_NAMES)("%s", (name) => {
  const log = fixtureLog(name);
  let read: Promise<Profile> | undefined;
  /** The profile without options, read once. */
  const whole = () => {
    read ??= fixtureProfile(name);
    return read;
  };

  it("shares out every tick of the log", async () => {
    const profile = await whole();
    const ticks = log.toString("latin1").match(TICK)?.length ?? 0;
    const labels = new StackLabels(profile);
    const rows = totaledRows(profile, labels);
    const sums = totals(profile, labels, rows);
    expect(profile.info.ticks).toBe(ticks);
    expect(profile.info.ticksByState.reduce((a, b) => a + b)).toBe(ticks);
    expect(rows.reduce((sum, { self }) => sum + self, 0)).toBe(ticks);
    expect(sums.js + sums.native + sums.library + sums.unaccounted).toBe(ticks);
    expect(threadTotals(profile).map((thread) => thread.ticks)).toEqual([ticks]);
    expect(rows.every(({ self, total }) => total >= self && total <= ticks)).toBe(true);
  });

  it("doubles when merged with itself", async () => {
    const profile = await whole();
    const labels = new StackLabels(profile);
    const twice = mergeProfiles([profile, profile]);
    const doubled = totaledRows(profile, labels).map((row) => ({
      ...row,
      self: 2 * row.self,
      total: 2 * row.total,
    }));
    expect(totaledRows(twice, new StackLabels(twice))).toEqual(doubled);
  });

  it("keeps the sum of ticks whatever is filtered", async () => {
    const profile = await fixtureProfile(name, WHOLE);
    const { frames, tree, samples } = profile;
    const isMatch = frames.map((frame) => matchesFrame([/e/], frame));
    const stack = (sample: number) => Array.from(stackOf(tree, samples.node[sample]!));
    const withMatch = sumOf(profile, (sample) => stack(sample).some((frame) => isMatch[frame]));
    const allMatch = sumOf(profile, (sample) => stack(sample).every((frame) => isMatch[frame]));
    const withoutJs = sumOf(profile, (sample) =>
      stack(sample).every((frame) => frames[frame]!.kind !== "js"),
    );
    const inGc = sumOf(profile, (i) => samples.vmState[i] === GC);
    const excluded = (filter: ProfileFilter) => {
      const filtered = filterProfile(profile, filter);
      const left = sumOf(filtered, () => true);
      expect(left).toBe(profile.info.ticks - filtered.info.excluded);
      expect(filtered.timeline?.length).toBe(left);
      expect(filtered.info.ticks).toBe(profile.info.ticks);
      return filtered.info.excluded;
    };
    expect(excluded({ states: ["gc"] })).toBe(profile.info.ticks - inGc);
    expect(excluded({ focus: [/e/] })).toBe(profile.info.ticks - withMatch);
    expect(excluded({ ignore: [/e/] })).toBe(withMatch);
    expect(excluded({ hide: [/e/] })).toBe(allMatch);
    expect(excluded({ only: ["js"] })).toBe(withoutJs);
    for (const kind of CODE_KINDS) excluded({ only: [kind], hide: [/e/] });
  });

  it("has a JSON report by the schema, with the sums of the text report", async () => {
    const profile = await whole();
    const document = JSON.parse(Array.from(jsonLines(processData({ profile }))).join("\n"));
    expectValidReport(document);
    const self = document.functions.reduce((sum: number, row: { self: number }) => sum + row.self, 0);
    expect(self).toBe(profile.info.ticks);
  });
});
