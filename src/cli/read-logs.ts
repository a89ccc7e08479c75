import { TicksError } from "../errors.js";
import type { SourceRoot } from "../io/source-files.js";
import type { ReadProgress } from "../log-feeder.js";
import { ProfileMerger } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { isSampled, READS_WITHOUT_TICKS } from "../views/coverage.js";
import { planBlocks } from "./log-blocks/block-plan.js";
import { type BlockOptions, type ReadBlock, type ReadOptions, readBlock } from "./log-blocks/read-block.js";
import type { ReadPiece } from "./log-blocks/read-piece.js";
import { type LogFlags, openSharedInput, warnUnused } from "./log-input.js";
import type { GivenLog } from "./log-paths.js";
import { Progress } from "./progress.js";
import { refuseAll, type SkippedLog, warnSkipped } from "./skipped-logs.js";

/** What a command needs from its logs. */
export type LoadOptions = ReadOptions & {
  /** The folders with source maps that may be read. Default: source maps are not used. */
  readonly mapRoots?: readonly SourceRoot[] | undefined;
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
  { mayLackTicks = false, mapRoots, ...options }: LoadOptions,
): Promise<ReadLogs> {
  if (logs.length > LOGS_LIMIT)
    throw new TicksError("BAD_OPTION", `too many logs: at most ${LOGS_LIMIT} at once`);
  const shared = await openSharedInput(flags);
  const plan = planBlocks(logs, options.inOneThread ? 1 : undefined);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, plan.bytes) : undefined;
  const merger = new ProfileMerger();
  const infos: ProfileInfo[] = [];
  const read: GivenLog[] = [];
  const errors: SkippedLog[] = [];
  const refusedMaps = new Set<string>();
  const take = (found: ReadBlock, firstBlock: number) => {
    const firstLog = plan.blocks.slice(0, firstBlock).reduce((sum, { length }) => sum + length, 0);
    for (const info of found.infos) infos.push(info);
    for (const log of found.read) read.push(logs[firstLog + log]!);
    for (const error of found.errors) errors.push(error);
    for (const map of found.refusedMaps) refusedMaps.add(map);
  };
  const showProgress = (now: ReadProgress) => progress?.update(now);
  const blockOptions: BlockOptions = { flags, options, mapRoots, logs: logs.length };
  if (plan.threads < 2) {
    take(await readBlock(logs, blockOptions, { shared, merger, onProgress: showProgress }), 0);
  } else {
    const { readBlocks } = await import("./log-blocks/read-blocks.js"); // Few runs read so many logs.
    const takePiece = ({ profile, ...found }: ReadPiece, firstBlock: number) => {
      if (profile !== undefined) merger.add(profile, found.infos);
      take(found, firstBlock);
    };
    await readBlocks(plan, blockOptions, { shared, merger, take: takePiece, onRead: addUp(showProgress) });
  }
  progress?.done();
  if (infos.length === 0) refuseAll(errors);
  warnSkipped(errors);
  const profile = merger.finish();
  if (!mayLackTicks) checkSampled(profile.info.title, infos);
  warnUnused(shared.assigned, profile.info.libraries);
  return { profile, logs: read, infos, skipped: errors.length, refusedMaps };
}

/** Returns a function that takes the progress of one block after the other, and passes on that of all. */
function addUp(onProgress: (progress: ReadProgress) => void): (progress: ReadProgress) => void {
  let [bytes, ticks] = [0, 0];
  return (block) => {
    bytes += block.bytes;
    ticks += block.ticks;
    onProgress({ bytes, ticks });
  };
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
