import { compareRuns } from "../../src/compare/diff.ts";
import type { Diff } from "../../src/compare/diff-model.ts";
import type { RunGroup } from "../../src/compare/run-groups.ts";
import { runSummary } from "../../src/compare/run-summary.ts";
import { type FlamePageDiff, flamePageDiff, runStacks } from "../../src/exports/flame/diff-page-data.ts";
import { PAGE_LIMITS, type PageLimits } from "../../src/exports/flame/page-data.ts";
import { type Model, readModel } from "../../src/flame-page/model.ts";
import type { FlamePageData } from "../../src/flame-page/page-data.ts";
import type { Profile } from "../../src/profile/profile.ts";

/** Two sets of runs. */
export type Runs = readonly [readonly Profile[], readonly Profile[]];

/** The rows of two sets of runs. */
export function diffOf([before, after]: Runs, by: RunGroup = "function"): Diff {
  const summaries = (side: readonly Profile[]) => side.map((profile) => runSummary(profile, by));
  return compareRuns(summaries(before), summaries(after), { scale: { name: "share" } })!;
}

/** The data of the page that compares two sets of runs. */
export function sidePage(
  runs: Runs,
  limits: Partial<PageLimits> = {},
  changes: Partial<FlamePageDiff> = {},
): FlamePageData {
  const page: FlamePageDiff = {
    diff: diffOf(runs),
    categories: diffOf(runs, "category"),
    stacks: [runs[0].map(runStacks), runs[1].map(runStacks)],
    titles: ["before", "after"],
    summary: ["what changed"],
    causesOf: ({ causes }) => causes.map(({ kind }) => kind),
    ...changes,
  };
  return flamePageDiff(page, { ...PAGE_LIMITS, ...limits });
}

/** What that page knows: through JSON, as in the page. */
export function sideModelOf(runs: Runs, limits: Partial<PageLimits> = {}): Model {
  return readModel(JSON.parse(JSON.stringify(sidePage(runs, limits))));
}

/** A stack as often as its ticks. */
export function repeated(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([stack, count]) => new Array<string>(count).fill(stack));
}
