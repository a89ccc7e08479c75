import { type AnalyzeOptions, analyzeRuns } from "../../analyze.js";
import { isTableName } from "../../io/find-logs.js";
import { type SourceRoot, sourceFilesUnder } from "../../io/source-files.js";
import type { ReadProgress } from "../../log-feeder.js";
import type { ProfileMerger } from "../../profile/merge.js";
import type { Profile, ProfileInfo } from "../../profile/profile.js";
import { type LogFlags, openLogInput, type SharedInput } from "../log-input.js";
import type { GivenLog } from "../log-paths.js";
import { readTableAt } from "../runs/read-table.js";
import { maySkip, type SkippedLog } from "../skipped-logs.js";

/** What is wanted of each log. */
export type ReadOptions = Partial<
  Pick<
    AnalyzeOptions,
    | "range"
    | "timeline"
    | "inlines"
    | "inferred"
    | "lines"
    | "columns"
    | "identities"
    | "deopts"
    | "startup"
    | "ics"
    | "asNm"
    | "inOneThread"
  >
> & {
  /** Whether Parquet files that `ticks export` wrote are read too. Default: false. */
  readonly tables?: boolean | undefined;
};

/** How the logs of all blocks are read. It can be sent to another thread. */
export interface BlockOptions {
  readonly flags: LogFlags;
  readonly options: ReadOptions;
  /** The folders with source maps that may be read; undefined if none are used. */
  readonly mapRoots: readonly SourceRoot[] | undefined;
  /** The number of logs in all blocks. */
  readonly logs: number;
}

/** Logs that were read and merged. */
export interface ReadBlock {
  /** The details of each run that was read, in the order of the logs. */
  readonly infos: readonly ProfileInfo[];
  /** The logs of {@link infos}, by their numbers among those given: one can have several runs. */
  readonly read: readonly number[];
  /** Why the others could not be read. */
  readonly errors: readonly SkippedLog[];
  /** The source maps that may not be read. */
  readonly refusedMaps: ReadonlySet<string>;
  readonly progress: ReadProgress;
}

/** Called with the progress in the logs given. */
export type OnBlockProgress = (progress: ReadProgress) => void;

/** What {@link readBlock} works with. */
export interface BlockTools {
  /** That of this thread. */
  readonly shared: SharedInput;
  /** Takes the profile of each log. */
  readonly merger: ProfileMerger;
  readonly onProgress: OnBlockProgress;
}

/** Reads logs one after the other. Throws a {@link TicksError} if one of them must not be skipped. */
export async function readBlock(
  logs: Iterable<GivenLog> | AsyncIterable<GivenLog>,
  { flags, options, mapRoots, logs: count }: BlockOptions,
  { shared, merger, onProgress }: BlockTools,
): Promise<ReadBlock> {
  const maps = mapRoots && sourceFilesUnder(mapRoots);
  const infos: ProfileInfo[] = [];
  const read: number[] = [];
  const errors: SkippedLog[] = [];
  const profilesOf = async (
    { path, folder }: GivenLog,
    onRead: OnBlockProgress,
  ): Promise<readonly Profile[]> => {
    if (options.tables && isTableName(path)) return [await readTableAt(path, options)];
    const { chunks, ...input } = await openLogInput(path, flags, shared, {
      isFound: folder !== undefined,
    });
    return analyzeRuns(chunks, {
      ...input,
      ...options,
      readSourceMap: maps?.readMap,
      onProgress: onRead,
    });
  };
  let done: ReadProgress = { bytes: 0, ticks: 0 };
  let number = 0;
  for await (const log of logs) {
    let now: ReadProgress = { bytes: 0, ticks: 0 };
    try {
      const profiles = await profilesOf(log, (progress) => {
        now = progress;
        onProgress({ bytes: done.bytes + now.bytes, ticks: done.ticks + now.ticks });
      });
      for (const profile of profiles) {
        merger.add(profile);
        infos.push(profile.info);
        read.push(number);
      }
    } catch (error) {
      if (!maySkip(error, log, count)) throw error;
      errors.push({ message: error.message });
    }
    number++;
    done = { bytes: done.bytes + now.bytes, ticks: done.ticks + now.ticks };
  }
  return { infos, read, errors, refusedMaps: maps?.refused.maps ?? new Set(), progress: done };
}
