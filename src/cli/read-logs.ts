import { availableParallelism } from "node:os";
import { badOption, TicksError } from "../base/errors.js";
import { isSampled, READS_WITHOUT_TICKS, WITHOUT_PROF } from "../facts/coverage.js";
import { printable } from "../facts/label.js";
import { INPUT_NAMES, refuseMemory, refuseMixed } from "../inputs/inputs.js";
import { logSize } from "../io/input.js";
import { type SourceRoot, sourceFilesUnder } from "../io/source-files.js";
import { type AnalyzeOptions, analyzeRuns } from "../load/analyze.js";
import type { ReadProgress } from "../load/log-feeder.js";
import { type MergedLogs, mergeLogs } from "../load/log-files.js";
import { hasMixedTimes, ProfileMerger } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { labelFilter } from "./filter-options.js";
import { type LogFlags, openLogInput, openSharedInput, type SharedInput, warnUnused } from "./log-input.js";
import type { GivenLog } from "./log-paths.js";
import { Progress } from "./progress.js";
import { maySkip, refuseAll, type SkippedLog, warnSkipped } from "./skipped-logs.js";
import { warn } from "./terminal.js";

/** What a command needs from its logs. */
export type LoadOptions = ReadOptions & {
  /** The folders with source maps that may be read. Default: source maps are not used. */
  readonly mapRoots?: readonly SourceRoot[] | undefined;
  /** Whether the title is the name of the log, as in Node's own report, not what ran. Default: false. */
  readonly isNamedByLog?: boolean | undefined;
  /** Whether logs that V8 wrote without its sampler are worth reading. Default: false. */
  readonly mayLackTicks?: boolean | undefined;
  /** What only logs have, and the command that records one. Default: profiles have all that is wanted. */
  readonly onlyInLogs?: { readonly what: string; readonly record: string } | undefined;
};

/** Several logs as one profile, and the details of each. */
interface ReadLogs {
  readonly profile: Profile;
  /** The logs that were read, in the order of the profile's threads. */
  readonly logs: readonly GivenLog[];
  /** The details of each of these logs. */
  readonly infos: readonly ProfileInfo[];
  /** How many logs were skipped because they could not be read. */
  readonly skipped: number;
  /** The source maps that may not be read. */
  readonly refusedMaps: ReadonlySet<string>;
}

/** A profile numbers its threads with 16 bits. */
const LOGS_LIMIT = 65_535;

/**
 * Reads logs as one profile, in several threads if there are many. Skips unreadable logs of folders with a warning. Throws a
 * {@link TicksError} if a log that the user named cannot be read, or if no log can.
 */
export async function readLogs(
  logs: readonly GivenLog[],
  flags: LogFlags,
  { mayLackTicks = false, mapRoots, onlyInLogs, ...options }: LoadOptions,
): Promise<ReadLogs> {
  if (logs.length > LOGS_LIMIT) throw badOption(`too many logs: at most ${LOGS_LIMIT} at once`);
  const shared = await openSharedInput(flags);
  const plan = planBlocks(logs, options.inOneThread ? 1 : undefined);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, plan.bytes) : undefined;
  const merger = new ProfileMerger();
  const infos: ProfileInfo[] = [];
  const read: GivenLog[] = [];
  const errors: SkippedLog[] = [];
  const refusedMaps = new Set<string>();
  let done: ReadProgress = { bytes: 0, ticks: 0 };
  const onProgress = (now: ReadProgress) =>
    progress?.update({ bytes: done.bytes + now.bytes, ticks: done.ticks + now.ticks });
  const blockOptions: BlockOptions = { flags, options, mapRoots, logs: logs.length };
  for await (const [block, found] of readBlocks(plan, blockOptions, { shared, onProgress })) {
    if (found.profile !== undefined) merger.add(found.profile, found.infos);
    for (const info of found.infos) infos.push(info);
    for (const log of found.read) read.push(block[log]!);
    for (const error of found.errors) errors.push(error);
    for (const map of found.refusedMaps) refusedMaps.add(map);
    done = { bytes: done.bytes + found.progress.bytes, ticks: done.ticks + found.progress.ticks };
    progress?.update(done);
  }
  progress?.done();
  if (infos.length === 0) refuseAll(errors);
  warnSkipped(errors);
  refuseMixed(infos);
  if (hasMixedTimes(infos)) {
    const untimed = infos.filter(({ tickTime }) => tickTime === undefined).length;
    warn(
      `${untimed} of ${infos.length} threads have no times: samples are counted, and their times are not used`,
    );
  }
  if (options.startup) refuseMemory(infos, "Record a log, which has times: ticks record -- node app.js");
  if (onlyInLogs !== undefined) refuseProfiles(infos, onlyInLogs);
  const profile = merger.finish();
  if (!mayLackTicks) checkSampled(profile.info.title, infos);
  warnUnused(shared.assigned, profile.info);
  return { profile, logs: read, infos, skipped: errors.length, refusedMaps };
}

/**
 * Yields the blocks of a plan, each with what was read of it, in their order. Throws the {@link TicksError} of the first that has one.
 */
export async function* readBlocks(
  { blocks, threads }: BlockPlan,
  options: BlockOptions,
  tools: BlockTools,
): AsyncIterable<readonly [readonly GivenLog[], ReadBlock]> {
  if (threads < 2) {
    for (const block of blocks) yield [block, await readBlock(block, options, tools)];
    return;
  }
  const { answersOf } = await import("./workers.js"); // Few runs read so many logs.
  const inside = { ...options, options: { ...options.options, inOneThread: true } };
  const answers = answersOf({
    questions: blocks,
    threads,
    answerHere: (block: readonly GivenLog[]) => readBlock(block, inside, tools),
    workerData: { blocks: inside },
  });
  let number = 0;
  for await (const answer of answers) {
    if (answer instanceof TicksError) throw answer;
    yield [blocks[number++]!, answer];
  }
}

/** Throws a {@link TicksError} for logs that V8 wrote for another flag than `--prof`: they have no tick, and no start of the sampler. */
function checkSampled(name: string, infos: readonly ProfileInfo[]): void {
  if (infos.some(isSampled)) return;
  throw new TicksError("NO_TICKS", `${name} was ${WITHOUT_PROF}`, READS_WITHOUT_TICKS);
}

/** Throws a {@link TicksError} for profiles, which do not have what is wanted. */
function refuseProfiles(
  infos: readonly ProfileInfo[],
  { what, record }: NonNullable<LoadOptions["onlyInLogs"]>,
): void {
  const found = infos.find(({ input }) => input !== undefined);
  if (found === undefined) return;
  throw new TicksError(
    "NOT_A_LOG",
    `${printable(found.title)} is ${INPUT_NAMES[found.input!]}, without ${what}`,
    `Record a log, which has them: ${record}`,
  );
}

/** Fewer bytes of logs are read as fast by one thread. */
const LARGE_BYTES = 12e6;
/** More threads take more memory than they save time. */
const MOST_THREADS = 8;
/** The bytes of a block: so little that all threads are busy to the end. */
const BLOCK_BYTES = 2e6;

/** The logs of a command, cut into blocks. */
interface BlockPlan {
  /** Logs that follow each other; one thread reads all of a block. */
  readonly blocks: readonly (readonly GivenLog[])[];
  readonly threads: number;
  /** The bytes of all logs; undefined if the size of one is not known before it is read. */
  readonly bytes: number | undefined;
}

/** Returns one block for one thread if several would not be faster. */
export function planBlocks(logs: readonly GivenLog[], processors = availableParallelism()): BlockPlan {
  const sizes = logs.map(({ path }) => logSize(path));
  const bytes = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  const alone = { blocks: [logs], threads: 1, bytes };
  if (bytes === undefined || bytes < LARGE_BYTES || processors < 2) return alone;
  const most = Math.min(processors, MOST_THREADS);
  // The others would wait for the thread with the long log, and its reader has a second thread of its own.
  if (sizes.some((size) => size! > bytes / 2)) return alone;
  const blocks: GivenLog[][] = [];
  let left = 0;
  for (const [i, log] of logs.entries()) {
    if (left <= 0) {
      blocks.push([]);
      left = BLOCK_BYTES;
    }
    blocks.at(-1)!.push(log);
    left -= sizes[i]!;
  }
  const threads = Math.min(most, blocks.length);
  return threads < 2 ? alone : { blocks, threads, bytes };
}

/** What is wanted of each log. */
type ReadOptions = Partial<
  Pick<
    AnalyzeOptions,
    | "range"
    | "timeline"
    | "inlines"
    | "inferred"
    | "callers"
    | "lines"
    | "columns"
    | "identities"
    | "deopts"
    | "startup"
    | "ics"
    | "asNm"
    | "inOneThread"
  >
>;

/** How the logs of all blocks are read. It can be sent to another thread. */
export interface BlockOptions {
  readonly flags: LogFlags;
  readonly options: ReadOptions;
  /** The folders with source maps that may be read; undefined if none are used. */
  readonly mapRoots: readonly SourceRoot[] | undefined;
  /** The number of logs in all blocks. */
  readonly logs: number;
}

export interface ReadBlock extends MergedLogs {
  /** Why the others could not be read. */
  readonly errors: readonly SkippedLog[];
  /** The source maps that may not be read. */
  readonly refusedMaps: ReadonlySet<string>;
  readonly progress: ReadProgress;
}

/** What {@link readBlock} works with. */
interface BlockTools {
  /** That of this thread. */
  readonly shared: SharedInput;
  /** Called with the progress in the logs given. Default: nothing. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

/** Reads logs one after the other. Throws a {@link TicksError} if one of them must not be skipped. */
export async function readBlock(
  logs: readonly GivenLog[],
  { flags, options, mapRoots, logs: count }: BlockOptions,
  { shared, onProgress }: BlockTools,
): Promise<ReadBlock> {
  const maps = mapRoots && sourceFilesUnder(mapRoots);
  const errors: SkippedLog[] = [];
  let done: ReadProgress = { bytes: 0, ticks: 0 };
  const profilesOf = async ({ path, folder }: GivenLog): Promise<readonly Profile[]> => {
    const before = done;
    const { chunks, ...input } = await openLogInput(path, flags, shared, { isFound: folder !== undefined });
    return analyzeRuns(chunks, {
      ...input,
      ...options,
      sampleType: flags.sampleType,
      labels: labelFilter(flags),
      readSourceMap: maps?.readMap,
      onProgress({ bytes, ticks }) {
        done = { bytes: before.bytes + bytes, ticks: before.ticks + ticks };
        onProgress?.(done);
      },
    });
  };
  const merged = await mergeLogs(logs, profilesOf, (error, log) => {
    if (!maySkip(error, log, count)) throw error;
    errors.push({ message: error.message });
  });
  return { ...merged, errors, refusedMaps: maps?.refused.maps ?? new Set(), progress: done };
}
