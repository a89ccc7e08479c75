import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TicksError } from "../base/errors.js";
import { refuseMixed } from "../inputs/inputs.js";
import { defaultCacheFolder } from "../io/cache-file.js";
import { allLogsIn, isFolder } from "../io/find-logs.js";
import { type SourceFiles, type SourceRoot, sourceFilesUnder } from "../io/source-files.js";
import { type AnalyzeOptions, analyzeRuns } from "../load/analyze.js";
import { arrangeLogs, mergeLogs, openLogFile } from "../load/log-files.js";
import { defaultSources } from "../native/sources.js";
import { SymbolCache } from "../native/symbol-cache.js";
import type { Profile } from "../profile/profile.js";
import { type StackOptions, shownStacks } from "../profile/shown-stacks.js";

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
  let unreadable: TicksError | undefined;
  const { profile, infos, read } = await mergeLogs(
    logs,
    async ({ log, isFound }) => {
      const { chunks, ...file } = await openLogFile(log, { isFound, recorded: options.recorded });
      const mapped = options.mapped ?? file.mapped;
      return analyzeRuns(chunks, { ...shared, ...file, name: log, mapped });
    },
    (error, { log }) => {
      if (!(error instanceof TicksError) || onUnreadable === undefined) throw error;
      unreadable ??= error;
      onUnreadable(log, error);
    },
  );
  await cache.settled();
  if (profile === undefined) throw unreadable!;
  refuseMixed(infos);
  return shownStacks(arrangeLogs(profile, { infos, paths: read.map((i) => logs[i]!.log) }).profile, options);
}

/**
 * Opens the cache of what was learned from binaries, which makes the next log of the same binary faster. Await
 * its `settled()` at the end. Default: the folder of the command line, or memory only on a machine without one.
 */
export function openSymbolCache(folder: string | undefined = defaultCacheFolder("symbols")): SymbolCache {
  return new SymbolCache(folder);
}

/**
 * Reads source maps wherever a log says that they are: `readSourceMap: readMapFile`. Only for logs that you
 * trust, such as your own: a log can name any file. For others use `sourceFilesUnder`. A map is a regular file
 * of a sane size; undefined if there is none.
 */
export const readMapFile: SourceFiles["readMap"] = (file, isNamed) => {
  const path = pathOf(file);
  return path === undefined
    ? Promise.resolve(undefined)
    : sourceFilesUnder([resolve(path, "..")]).readMap(path, isNamed);
};

function pathOf(file: string): string | undefined {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : resolve(file);
  } catch {
    return undefined; // It is a URL of another machine.
  }
}
