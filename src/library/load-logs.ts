import { type AnalyzeOptions, analyzeRuns } from "../analyze.js";
import { TicksError } from "../errors.js";
import { allLogsIn, isFolder } from "../io/find-logs.js";
import { fileTimes, type OpenLogOptions, openLog } from "../io/input.js";
import { originOfLog } from "../io/log-origin.js";
import { type SourceRoot, sourceFilesUnder } from "../io/source-files.js";
import { readSymbolsBeside, symbolsFileOf } from "../io/symbols-file.js";
import { mergeInfos, ProfileMerger } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { type StackOptions, shownStacks } from "../profile/shown-stacks.js";
import { arrangeThreads, nameThreads, threadOrder } from "../profile/threads.js";
import { mappedBeside } from "../symbols/process-map.js";
import { type RecordedSymbols, readRecordedSymbols } from "../symbols/recorded-symbols.js";
import { defaultSources } from "../symbols/sources.js";
import { openSymbolCache } from "./open-symbol-cache.js";

/** The options of {@link loadLogs}. Those of `analyze` have its defaults but where it says otherwise. */
export interface LoadLogsOptions
  extends Partial<Omit<AnalyzeOptions, "name" | "origin" | "fileTimes">>,
    StackOptions {
  /** The folders in which source maps and sources may be read. Default: none. */
  readonly sourceRoots?: readonly (string | SourceRoot)[] | undefined;
  /**
   * Called with each log that cannot be read; the others are read. Default: the first such log is an error.
   */
  readonly onUnreadable?: ((path: string, error: TicksError) => void) | undefined;
}

/**
 * Reads logs, and the logs in folders, as one profile, as the commands do: threads are named and in order, with
 * inlined functions and lines, C++ functions from the binaries on this machine or from the symbols saved beside
 * a log, source maps below `sourceRoots`, through the cache of the command line, and without unknown addresses
 * among callers. Throws a {@link TicksError} if there is no log, or none that can be read.
 */
export async function loadLogs(
  paths: string | readonly string[],
  { sourceRoots = [], onUnreadable, ...options }: LoadLogsOptions = {},
): Promise<Profile> {
  const logs = (typeof paths === "string" ? [paths] : paths).flatMap((path) =>
    isFolder(path) ? allLogsIn(path).map((log) => ({ log, isFound: true })) : [{ log: path, isFound: false }],
  );
  if (logs.length === 0) throw new TicksError("NO_LOG", "no logs to read");
  const cache = options.cache ?? openSymbolCache();
  const shared = {
    sources: defaultSources(),
    inlines: true,
    identities: true,
    readSourceMap: sourceFilesUnder(sourceRoots).readMap,
    ...options,
    cache,
  };
  const merger = new ProfileMerger();
  const infos: ProfileInfo[] = [];
  let unreadable: TicksError | undefined;
  for (const { log, isFound } of logs) {
    try {
      for (const profile of await loadLog(log, { isFound }, shared)) {
        infos.push(profile.info);
        merger.add(profile);
      }
    } catch (error) {
      if (!(error instanceof TicksError) || onUnreadable === undefined) throw error;
      unreadable ??= error;
      onUnreadable(log, error);
    }
  }
  await cache.settled();
  if (infos.length === 0) throw unreadable!;
  return shownStacks(inOrder(merger.finish(), infos), options);
}

async function loadLog(
  log: string,
  { isFound }: OpenLogOptions,
  options: Partial<AnalyzeOptions>,
): Promise<readonly Profile[]> {
  const recorded = options.recorded ?? (await symbolsBeside(log));
  const [origin, times] = [originOfLog(log), fileTimes(log)];
  const mapped = options.mapped ?? mappedBeside(log, origin.pid);
  return analyzeRuns(openLog(log, { isFound }), {
    ...options,
    name: log,
    origin,
    fileTimes: times,
    mapped,
    recorded,
  });
}

async function symbolsBeside(log: string): Promise<RecordedSymbols | undefined> {
  const file = symbolsFileOf(log);
  if (file === undefined) return undefined;
  return readRecordedSymbols(await readSymbolsBeside(file, file), file);
}

/** Returns the profile with its threads in the order of reports; `infos` are those of its logs. */
function inOrder(profile: Profile, infos: readonly ProfileInfo[]): Profile {
  const all = profile.info.threads;
  const order = threadOrder(all);
  if (order.every((thread, i) => thread === i)) return profile;
  const threads = nameThreads(order.map((thread) => all[thread]!));
  const info = { ...mergeInfos(order.map((thread) => infos[thread]!)), threads };
  return arrangeThreads(profile, order, info);
}
