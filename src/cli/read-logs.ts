import { type AnalyzeOptions, analyze } from "../analyze.js";
import { TicksError, type TicksErrorCode } from "../errors.js";
import { logSize } from "../io/input.js";
import { ProfileMerger } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { printable } from "../views/label.js";
import type { GivenLog } from "./given-logs.js";
import { type LogFlags, openLogInput, openSharedInput, tellUnused } from "./log-input.js";
import { Progress } from "./progress.js";
import { warn } from "./terminal.js";

/** What a command wants to know of its logs. */
export type LoadOptions = Partial<Pick<AnalyzeOptions, "range" | "timeline" | "inlines" | "readSourceMap">>;

/** Logs as one profile, and what is known of each. */
export interface ReadLogs {
  readonly profile: Profile;
  /** The logs that were read: those of the profile's threads, in the order of their numbers. */
  readonly logs: readonly GivenLog[];
  /** What is known of each of them. */
  readonly infos: readonly ProfileInfo[];
  /** How many others could not be read. */
  readonly leftOut: number;
}

/** A profile numbers its threads with 16 bits. */
const LOGS_LIMIT = 65_535;
/** More logs that cannot be read are counted, not listed. */
const TOLD_LIMIT = 5;
/** What is wrong with a log itself, so that the others of its folder are still worth reading. */
const FAULTS_OF_LOGS: readonly TicksErrorCode[] = [
  "EMPTY",
  "NOT_A_LOG",
  "NOT_FOUND",
  "NOT_READABLE",
  "BAD_COMPRESSION",
];

/**
 * Reads logs one after the other. One in a folder that cannot be read is told and left out; throws a {@link TicksError}
 * where one that was named itself cannot be read, or none at all.
 */
export async function readLogs(
  logs: readonly GivenLog[],
  flags: LogFlags,
  options: LoadOptions,
): Promise<ReadLogs> {
  if (logs.length > LOGS_LIMIT) throw new TicksError("BAD_OPTION", `more than ${LOGS_LIMIT} logs at once`);
  const shared = await openSharedInput(flags);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, sizeOf(logs)) : undefined;
  const merger = new ProfileMerger();
  const infos: ProfileInfo[] = [];
  const read: GivenLog[] = [];
  const faults: TicksError[] = [];
  for (const log of logs) {
    try {
      const { chunks, ...input } = await openLogInput(log.path, flags, shared);
      const profile = await analyze(chunks, { ...input, ...options, onProgress: progress?.forNextLog() });
      merger.add(profile);
      infos.push(profile.info);
      read.push(log);
    } catch (error) {
      if (!(error instanceof TicksError) || !FAULTS_OF_LOGS.includes(error.code)) throw error;
      if (log.folder === undefined || logs.length === 1) throw error;
      faults.push(error);
    }
  }
  progress?.done();
  tellLeftOut(faults);
  if (read.length === 0) throw new TicksError("NO_LOG", `none of ${faults.length} logs can be read`);
  const profile = merger.finish();
  tellUnused(shared.assigned, profile.info.libraries);
  return { profile, logs: read, infos, leftOut: faults.length };
}

function tellLeftOut(faults: readonly TicksError[]): void {
  for (const { message } of faults.slice(0, TOLD_LIMIT)) warn(`left out: ${printable(message)}`);
  const more = faults.length - TOLD_LIMIT;
  if (more > 0) warn(`left out: ${more} more logs that cannot be read`);
}

/** The bytes of all logs; undefined where those of one are not known before it is read. */
function sizeOf(logs: readonly GivenLog[]): number | undefined {
  let sum = 0;
  for (const { path } of logs) {
    const size = logSize(path);
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}
