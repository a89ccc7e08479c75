import type { RunGroup } from "../../compare/run-groups.js";
import { type RunSummary, runSummary } from "../../compare/run-summary.js";
import { type SelectedRun, type Selector, selectRun } from "../../compare/selections.js";
import type { RunStacks } from "../../exporters/flame/diff-page-data.js";
import type { Profile, ProfileInfo } from "../../profile/profile.js";
import type { UnmatchedFilter } from "../../views/unmatched-filters.js";
import { loadView } from "../load-profile.js";
import type { ViewFlags } from "../options.js";
import type { RedactFlags } from "../redact-options.js";

/** What is wanted of each run. It can be sent to another thread. */
export interface RunOptions {
  readonly flags: ViewFlags;
  /** One summary for each. */
  readonly groups: readonly RunGroup[];
  /** What to measure beside. Default: nothing. */
  readonly selectors?: readonly Selector[] | undefined;
  /** Whether to measure how much the ticks of a run tell, which needs the time of each. */
  readonly hasEffects: boolean;
  /** Whether to return the stacks too. Default: no. */
  readonly hasStacks?: boolean | undefined;
  /** Hashes names before anything is measured, if they say so. All runs need the same key. Default: do not. */
  readonly redact?: RedactFlags | undefined;
  /** Whether some runs have no texts of sources, so that lines are named without. Default: false. */
  readonly lacksTexts?: boolean | undefined;
  /** Whether the stacks are wanted too. Default: false. */
  readonly hasProfile?: boolean | undefined;
  /** Whether other threads read runs at the same time. Default: false. */
  readonly inOneThread?: boolean | undefined;
}

/** A run that was read. */
export interface ReadRun {
  /** By group that was asked for. */
  readonly summaries: readonly RunSummary[];
  readonly selected: SelectedRun;
  /** Only if requested. */
  readonly stacks: RunStacks | undefined;
  /** Its stacks without times, if they were asked for. */
  readonly profile: Profile | undefined;
  readonly infos: readonly ProfileInfo[];
  readonly unmatched: readonly UnmatchedFilter[];
  /** The files that the logs name and that were not read. */
  readonly refused: { readonly maps: ReadonlySet<string>; readonly sources: ReadonlySet<string> };
}

/** Reads the logs of a run. */
export async function readRun(
  paths: readonly string[],
  {
    flags,
    groups,
    selectors = [],
    hasEffects,
    hasStacks = false,
    hasProfile = false,
    redact,
    lacksTexts = false,
    inOneThread = false,
  }: RunOptions,
): Promise<ReadRun> {
  const { infos, unmatched, files, refusedMaps, ...view } = await loadView(paths, flags, {
    identities: true,
    deopts: true,
    timeline: hasEffects,
    tables: true,
    inOneThread,
  });
  const profile = await redacted(view.profile, redact);
  const grouped = lacksTexts ? { ...profile, sources: [] } : profile;
  return {
    summaries: groups.map((by) => runSummary(grouped, by)),
    selected: selectRun(profile, selectors),
    stacks: hasStacks ? await stacksOf(profile) : undefined,
    profile: hasProfile ? { ...profile, sources: [], timeline: undefined, deopts: undefined } : undefined,
    infos,
    unmatched,
    refused: { maps: refusedMaps, sources: files.refused.sources },
  };
}

async function redacted(profile: Profile, flags: RedactFlags | undefined): Promise<Profile> {
  if (flags?.redact !== true) return profile;
  const { redactedBy } = await import("../redact-options.js"); // Most runs do not need it.
  return redactedBy(profile, flags);
}

async function stacksOf(profile: Profile): Promise<RunStacks> {
  const { runStacks } = await import("../../exporters/flame/diff-page-data.js"); // Only a page needs it.
  return runStacks(profile);
}
