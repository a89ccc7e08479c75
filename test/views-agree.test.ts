import { describe, expect, it } from "vitest";
import type { Profile } from "../src/profile/profile.ts";
import { threadsJson } from "../src/reporters/threads/json.ts";
import { timelineJson } from "../src/reporters/timeline/json.ts";
import { topJson } from "../src/reporters/top/json.ts";
import { filterProfile, type ProfileFilter } from "../src/views/filter-profile.ts";
import { spikesOf } from "../src/views/spikes.ts";
import { threadTimelines } from "../src/views/thread-timelines.ts";
import { topOf } from "../src/views/top.ts";
import { FIXTURE_NAMES, fixtureProfile } from "./helpers/fixtures.ts";
import { expectValid } from "./helpers/schema.ts";

const FILTERS: readonly ProfileFilter[] = [{}, { only: ["js"] }, { only: ["deps"] }, { states: ["gc"] }];

type Counts = Readonly<Record<string, number>>;

const parse = (lines: Iterable<string>) => JSON.parse(Array.from(lines).join("\n"));

/** The ticks of each category by what each command prints of a profile. */
function categoriesBy(profile: Profile): Record<string, Counts> {
  const top = parse(topJson({ profile, top: topOf(profile, 10), limit: 10, logs: ["log"] }));
  const threads = threadTimelines(profile, { most: 70 });
  const timeline = parse(
    timelineJson({ profile, threads, spikes: spikesOf(profile, threads, { spikes: 5, functions: 3 }) }),
  );
  const list = parse(threadsJson.report(profile, {}));
  expectValid("timeline", timeline);
  expectValid("threads", list);
  const rows: { category: string; ticks: number }[] = top.breakdown;
  return {
    top: nonzero(rows.map(({ category, ticks }) => [category, ticks])),
    "timeline lanes": nonzero(
      timeline.threads.flatMap(({ lanes }: { lanes: Record<string, number[]> }) =>
        Object.entries(lanes).map(([lane, ticks]) => [lane, ticks.reduce((sum, count) => sum + count, 0)]),
      ),
    ),
    "threads of timeline": nonzero(timeline.threads.flatMap(categoriesOf)),
    threads: nonzero(list.threads.flatMap(categoriesOf)),
    "threads of top": nonzero(top.threads.flatMap(categoriesOf)),
  };
}

const categoriesOf = ({ categories }: { categories: Counts }) => Object.entries(categories);

/** Sums by name, without names that have nothing. */
function nonzero(counts: readonly (readonly [string, number])[]): Counts {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts) if (count > 0) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

describe("every view has the same ticks in each category", () => {
  for (const name of FIXTURE_NAMES) {
    it(`of ${name}`, async () => {
      const whole = await fixtureProfile(name, { timeline: true, inlines: true, deopts: true });
      for (const filter of FILTERS) {
        const { top, ...others } = categoriesBy(filterProfile(whole, filter));
        for (const [view, counts] of Object.entries(others)) expect(counts, view).toEqual(top);
      }
    });
  }
});
