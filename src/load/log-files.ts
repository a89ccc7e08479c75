import { dirname } from "node:path";
import { printable } from "../base/shown-text.js";
import { fileTimes, type OpenLogOptions, openLog } from "../io/input.js";
import type { LogChunks } from "../io/log-chunks.js";
import { originOfLog } from "../io/log-origin.js";
import { readSymbolsBeside, symbolsFileOf } from "../io/symbols-file.js";
import { type MappedCode, mappedBeside } from "../native/process-map.js";
import { type RecordedSymbols, readRecordedSymbols } from "../native/recorded-symbols.js";
import type { FileTimes } from "../profile/log-start.js";
import { infosByThread, ProfileMerger, pickThreads } from "../profile/merge.js";
import type { Profile, ProfileInfo, ThreadInfo, ThreadOrigin } from "../profile/profile.js";
import { nameThreads, threadOrder } from "../profile/threads.js";
import { processWith, programOf, type RecordFacts, readRecordFile } from "../record/recording-file.js";

/** A log that is open, and what was saved beside it. */
export interface LogFile {
  readonly origin: ThreadOrigin;
  readonly fileTimes: FileTimes | undefined;
  readonly chunks: LogChunks;
  /** What the process had mapped at its end, if that was saved. */
  readonly mapped: readonly MappedCode[];
  readonly recorded: RecordedSymbols | undefined;
}

/** Opens a log. `recorded` are symbols to use in place of those that were saved beside it. */
export async function openLogFile(
  path: string,
  { recorded, ...options }: OpenLogOptions & Partial<Pick<LogFile, "recorded">>,
): Promise<LogFile> {
  const origin = originOfLog(path);
  return {
    origin,
    fileTimes: fileTimes(path),
    chunks: openLog(path, options),
    mapped: mappedBeside(path, origin.pid),
    recorded: recorded ?? (await symbolsBeside(path)),
  };
}

async function symbolsBeside(path: string): Promise<RecordedSymbols | undefined> {
  const file = symbolsFileOf(path);
  if (file === undefined) return undefined;
  return readRecordedSymbols(await readSymbolsBeside(file, printable(file)), printable(file));
}

/** Logs that were read and merged. */
export interface MergedLogs {
  /** Undefined if no log could be read. */
  readonly profile: Profile | undefined;
  /** The details of each thread that was read, in the order of the logs. */
  readonly infos: readonly ProfileInfo[];
  /** The logs of {@link infos}, by their numbers among those given: one can have several runs. */
  readonly read: readonly number[];
}

/**
 * Reads logs one after the other with `read`, which returns a profile for each run. `onError` is called with each
 * error, and throws it if the log must not be left out.
 */
export async function mergeLogs<Log>(
  logs: readonly Log[],
  read: (log: Log) => Promise<readonly Profile[]>,
  onError: (error: unknown, log: Log) => void,
): Promise<MergedLogs> {
  const merger = new ProfileMerger();
  const infos: ProfileInfo[] = [];
  const numbers: number[] = [];
  for (const [number, log] of logs.entries()) {
    try {
      for (const profile of await read(log)) {
        const ofThreads = infosByThread(profile);
        merger.add(profile, ofThreads);
        for (const info of ofThreads) {
          infos.push(info);
          numbers.push(number);
        }
      }
    } catch (error) {
      onError(error, log);
    }
  }
  return { profile: infos.length === 0 ? undefined : merger.finish(), infos, read: numbers };
}

/** Returns threads with what `ticks record` noted of their programs. `paths` are those of the logs that were given, by thread. */
function withPrograms(threads: readonly ThreadInfo[], paths: readonly string[]): readonly ThreadInfo[] {
  const folders = new Map<string, RecordFacts | undefined>();
  return threads.map((thread, i) => {
    const path = paths[i];
    if (path === undefined || thread.pid === undefined) return thread;
    const folder = dirname(path);
    if (!folders.has(folder)) folders.set(folder, readRecordFile(folder));
    const facts = folders.get(folder);
    const process = facts && processWith(facts, thread.pid);
    if (facts === undefined || process === undefined) return thread;
    const worker = process.workers.find((one) => one.thread === thread.number);
    return { ...thread, program: programOf(facts, process, folder), workerName: worker?.name };
  });
}

/** How {@link arrangeLogs} knows and picks threads. */
interface ArrangedLogs {
  /** The details of each thread. */
  readonly infos: readonly ProfileInfo[];
  /** By thread: the path of its log. */
  readonly paths: readonly string[];
  /** Returns the places of the threads to keep. Default: all. */
  readonly pick?: ((threads: readonly ThreadInfo[]) => readonly number[]) | undefined;
}

/**
 * Sorts the threads of a profile as in reports, and keeps those that are picked. `order` has, by new thread, the old one.
 */
export function arrangeLogs(
  profile: Profile,
  { infos, paths, pick }: ArrangedLogs,
): { readonly profile: Profile; readonly order: readonly number[] } {
  const all = withPrograms(profile.info.threads, paths);
  const whole = threadOrder(all);
  const threads = nameThreads(whole.map((thread) => all[thread]!));
  const picked = pick?.(threads) ?? Array.from(whole.keys());
  const order = picked.map((i) => whole[i]!);
  if (order.length === all.length && order.every((thread, i) => thread === i))
    return { profile: { ...profile, info: { ...profile.info, threads } }, order };
  // The name of a thread must not depend on the selection.
  const named = (info: ProfileInfo): ProfileInfo => ({
    ...info,
    threads: picked.map((i, at) => ({ ...threads[i]!, ticks: info.threads[at]!.ticks })),
  });
  return { profile: pickThreads(profile, order, infos, named), order };
}
