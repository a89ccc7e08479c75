import { type LogOrigin, originOfLog } from "../io/log-origin.js";
import type { SourceFiles } from "../io/source-files.js";
import { mergeInfos } from "../profile/merge.js";
import type { Profile, ProfileInfo, ThreadInfo } from "../profile/profile.js";
import { arrangeThreads, nameThreads, threadOrder } from "../profile/threads.js";
import { dropUnknownCallers } from "../profile/unknown-callers.js";
import { filterProfile } from "../views/filter-profile.js";
import { profileFilter, timeRange } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import { countedLogs, titleOf } from "./log-paths.js";
import type { ViewFlags } from "./options.js";
import type { LoadOptions, ReadLogs } from "./read-logs.js";
import { openSourceFiles, warnRefused } from "./source-roots.js";
import { warn } from "./terminal.js";
import type { ThreadSelection } from "./thread-selection.js";
import { warnFaults, warnUnnamed } from "./warnings.js";

/** The logs of a command line, read. */
export interface LoadedProfile {
  /** Of all logs together. */
  readonly profile: Profile;
  /** What is known of each log, in the order of the profile's threads. */
  readonly infos: readonly ProfileInfo[];
  /** How many logs of folders could not be read. */
  readonly skipped: number;
}

/** As {@link LoadedProfile}, with the reader of the sources that its logs name. */
export interface LoadedView extends LoadedProfile {
  readonly files: SourceFiles;
}

/**
 * Reads the logs that a command line names, those in its folders too, or the one run of the current folder, as one
 * profile. Shows on a terminal how far it is. Logs in folders that cannot be read are skipped with a warning.
 */
export async function loadProfile(
  args: readonly string[],
  flags: LoadFlags,
  options: LoadOptions = {},
): Promise<LoadedProfile> {
  const given = await countedLogs(args);
  const origins = given.map(({ path }) => originOfLog(path));
  const selection = flags.thread && (await selectThreads(flags.thread, origins));
  const isWanted = selection?.wanted(origins);
  const { readLogs } = await import("./read-logs.js"); // The larger part of the program: help does without.
  const read = await readLogs(
    given.filter((_, i) => isWanted?.[i] ?? true),
    flags,
    options,
  );
  const { profile, order } = arrange(read, selection);
  if (args.length === 0) warnSeveralMains(read.profile.info.threads);
  const kept = new Set(order.map((thread) => read.logs[thread]!));
  const title = titleOf(given, (log) => kept.has(log));
  return {
    profile: { ...profile, info: { ...profile.info, title } },
    infos: order.map((thread) => read.infos[thread]!),
    skipped: read.skipped,
  };
}

/** Warns of logs that were taken for one run by their PID, which the system had given to several. */
function warnSeveralMains(threads: readonly ThreadInfo[]): void {
  const mains = threads.filter(({ kind }) => kind === "main").length;
  if (mains < 2) return;
  warn(`these logs are of ${mains} runs: each has a main thread. Name the logs of one run to see it alone`);
}

async function selectThreads(texts: readonly string[], origins: readonly LogOrigin[]) {
  const { ThreadSelection } = await import("./thread-selection.js"); // Most runs do without.
  return new ThreadSelection(texts, origins);
}

/** Puts the threads into order, and keeps those that are picked. `order` has the numbers that they had. */
function arrange({ profile, infos }: ReadLogs, selection: ThreadSelection | undefined) {
  const all = profile.info.threads;
  const whole = threadOrder(all);
  const threads = nameThreads(whole.map((thread) => all[thread]!));
  const picked = selection?.pick(threads) ?? Array.from(whole.keys());
  const order = picked.map((i) => whole[i]!);
  if (order.length === all.length && order.every((thread, i) => thread === i)) return { profile, order };
  const info = mergeInfos(order.map((thread) => infos[thread]!));
  // A thread is called the same whatever others are picked.
  const named = { ...info, threads: picked.map((i) => threads[i]!) };
  return { profile: arrangeThreads(profile, order, named), order };
}

/** As {@link loadProfile}, for the commands that look inside: they share their flags, and what these filter is gone. */
export async function loadView(
  args: readonly string[],
  flags: ViewFlags,
  options: LoadOptions = {},
): Promise<LoadedView> {
  const files = openSourceFiles(flags);
  const range = { ...options.range, ...timeRange(flags) };
  const inside = { inlines: true, readSourceMap: flags.sourceMaps ? files.readMap : undefined };
  const loaded = await loadProfile(args, flags, { ...inside, ...options, range });
  return {
    ...loaded,
    files,
    profile: filterProfile(dropUnknownCallers(loaded.profile), profileFilter(flags)),
  };
}

/** What {@link warnProblems} looks into. */
type Warned = Pick<LoadedView, "profile" | "infos" | "files">;

/** Warns, after the report, of what is wrong in the logs, which sources were not read, and which libraries have no names. */
export function warnProblems({ profile, infos, files }: Warned): void {
  warnFaults(infos);
  warnRefused(files);
  warnUnnamed(profile);
}
