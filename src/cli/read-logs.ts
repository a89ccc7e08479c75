import { type AnalyzeOptions, analyze } from "../analyze.js";
import { TicksError } from "../errors.js";
import { logSize } from "../io/input.js";
import type { ReadProgress } from "../log-feeder.js";
import { ProfileMerger } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { isSampled, READS_WITHOUT_TICKS } from "../views/coverage.js";
import { HeapLimits } from "./heap-limits.js";
import { type LogFlags, openLogInput, openSharedInput, warnUnused } from "./log-input.js";
import type { GivenLog } from "./log-paths.js";
import { Progress } from "./progress.js";
import { readEach, warnSkipped } from "./skipped-logs.js";

/** What a command needs from its logs. */
export type LoadOptions = Partial<
  Pick<
    AnalyzeOptions,
    "range" | "timeline" | "inlines" | "inferred" | "identities" | "readSourceMap" | "deopts" | "ics"
  >
> & {
  /** Whether logs that V8 wrote without its sampler are worth reading. Default: false. */
  readonly mayLackTicks?: boolean | undefined;
};

/** Several logs as one profile, and the details of each. */
export interface ReadLogs {
  readonly profile: Profile;
  /** The logs that were read, in the order of the profile's threads. */
  readonly logs: readonly GivenLog[];
  /** The details of each of these logs. */
  readonly infos: readonly ProfileInfo[];
  /** How many logs were skipped because they could not be read. */
  readonly skipped: number;
}

/** A profile numbers its threads with 16 bits. */
const LOGS_LIMIT = 65_535;

/** Reads logs as one profile. Skips unreadable logs with a warning, or throws, like {@link readEach}. */
export async function readLogs(
  logs: readonly GivenLog[],
  flags: LogFlags,
  { mayLackTicks = false, ...options }: LoadOptions,
): Promise<ReadLogs> {
  if (logs.length > LOGS_LIMIT)
    throw new TicksError("BAD_OPTION", `too many logs: at most ${LOGS_LIMIT} at once`);
  const shared = await openSharedInput(flags);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, sizeOf(logs)) : undefined;
  const heapLimits = new HeapLimits();
  const merger = new ProfileMerger();
  let bytesBefore = 0;
  const infos: ProfileInfo[] = [];
  const read: GivenLog[] = [];
  const errors = await readEach(logs, async (log) => {
    const { chunks, ...input } = await openLogInput(log.path, flags, shared);
    const showProgress = progress?.forNextLog();
    let bytes = 0;
    const onProgress = (now: ReadProgress) => {
      bytes = now.bytes;
      heapLimits.note(bytesBefore + bytes);
      showProgress?.(now);
    };
    const profile = await analyze(chunks, { ...input, ...options, onProgress });
    bytesBefore += bytes;
    merger.add(profile);
    infos.push(profile.info);
    read.push(log);
  });
  heapLimits.note(bytesBefore);
  progress?.done();
  warnSkipped(errors);
  const profile = merger.finish();
  if (!mayLackTicks) checkSampled(profile.info.title, infos);
  warnUnused(shared.assigned, profile.info.libraries);
  return { profile, logs: read, infos, skipped: errors.length };
}

/** Throws a {@link TicksError} for logs that V8 wrote for another flag than `--prof`: they have no tick, and no start of the sampler. */
function checkSampled(name: string, infos: readonly ProfileInfo[]): void {
  if (infos.some(isSampled)) return;
  throw new TicksError(
    "NO_TICKS",
    `${name} was recorded without --prof: code, deopts and ICs, no samples`,
    `${READS_WITHOUT_TICKS} For samples, record with: node --prof app.js`,
  );
}

/** Returns the bytes of all logs; undefined if the size of one is not known before it is read. */
function sizeOf(logs: readonly GivenLog[]): number | undefined {
  let sum = 0;
  for (const { path } of logs) {
    const size = logSize(path);
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}
