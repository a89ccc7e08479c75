import { type AnalyzeOptions, analyze } from "../analyze.js";
import { logSize } from "../io/input.js";
import { mergeProfiles } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import type { ReadProgress } from "../read-log.js";
import { filterProfile } from "../views/filter-profile.js";
import { profileFilter, timeRange } from "./filter-options.js";
import { type LogFlags, logsOrDefault, openLogInput, tellUnused } from "./log-input.js";
import { Progress } from "./progress.js";
import type { ViewFlags } from "./view-options.js";
import { tellFaults, tellUnnamed } from "./warnings.js";

/** What a command wants to know of its logs. */
export type LoadOptions = Partial<Pick<AnalyzeOptions, "range" | "timeline" | "inlines">>;

/** The logs of a command line, read. */
export interface LoadedProfile {
  /** Of all logs together. */
  readonly profile: Profile;
  /** What is known of each log. */
  readonly infos: readonly ProfileInfo[];
}

/**
 * Reads the logs that a command line names, or the one log of the current folder, as one profile. Shows on a terminal how
 * far it is.
 */
export async function loadProfile(
  args: readonly string[],
  flags: LogFlags,
  options: LoadOptions = {},
): Promise<LoadedProfile> {
  const profiles: Profile[] = [];
  for (const log of await logsOrDefault(args)) {
    const { chunks, ...input } = await openLogInput(log, flags);
    const progress = process.stderr.isTTY ? new Progress(process.stderr, logSize(log)) : undefined;
    const onProgress = progress && ((state: ReadProgress) => progress.update(state));
    const profile = await analyze(chunks, { ...input, ...options, onProgress });
    progress?.done();
    tellUnused(input.assigned, profile.info.libraries);
    profiles.push(profile);
  }
  return { profile: mergeProfiles(profiles), infos: profiles.map(({ info }) => info) };
}

/** As {@link loadProfile}, for the commands that look inside: they share their flags, and what these filter is gone. */
export async function loadView(
  args: readonly string[],
  flags: ViewFlags,
  options: LoadOptions = {},
): Promise<LoadedProfile> {
  const range = { ...options.range, ...timeRange(flags) };
  const { profile, infos } = await loadProfile(args, flags, { inlines: true, ...options, range });
  return { profile: filterProfile(profile, profileFilter(flags)), infos };
}

/** Tells, after the report, what is wrong in the logs and which libraries have no names. */
export function tellProblems({ profile, infos }: LoadedProfile): void {
  tellFaults(infos);
  tellUnnamed(profile);
}
