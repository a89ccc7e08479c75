import { dirname } from "node:path";
import { badOption, TicksError } from "../base/errors.js";
import { amount, UNIT } from "../base/text.js";
import { Analysis } from "../facts/analysis.js";
import { asksCallers, filterProfile } from "../facts/filter-profile.js";
import { printable } from "../facts/label.js";
import { turnsOf } from "../facts/profile-turns.js";
import type { ThreadTurns, TurnOptions } from "../facts/turns.js";
import type { UnmatchedFilter } from "../facts/unmatched-filters.js";
import { refuseMemory } from "../inputs/inputs.js";
import { logsIn } from "../io/find-logs.js";
import { logSize } from "../io/input.js";
import { LARGE_LOG_BYTES } from "../io/log-chunks.js";
import { type LogOrigin, normalAddress, originOfLog } from "../io/log-origin.js";
import { type SourceFiles, sourceFilesUnder } from "../io/source-files.js";
import { arrangeLogs } from "../load/log-files.js";
import type { CpuTime, ProfileInfo, ThreadInfo } from "../profile/profile.js";
import { shownStacks } from "../profile/shown-stacks.js";
import { whatRan } from "../profile/titles.js";
import { readRecordFile } from "../record/recording-file.js";
import { plainly, type Unit } from "../render/spoken.js";
import { table } from "../render/table.js";
import { findUnmatched, profileFilter, refuseEmptyRange, timeRange } from "./filter-options.js";
import type { LoadFlags, LogFlags } from "./log-input.js";
import { countedLogs, type GivenLog, listFor, memoryBeside, shortLogNames, titleOf } from "./log-paths.js";
import type { ViewFlags } from "./options.js";
import type { LoadOptions } from "./read-logs.js";
import { sourceRoots, warnRefused } from "./source-roots.js";
import { warn } from "./terminal.js";
import { warnDiagnostics, warnUnmatched, warnUnnamed } from "./warnings.js";

interface MemoryOption {
  /** Whether the heap profiles beside the logs of a folder are read, too. Default: no. */
  readonly memory?: boolean | undefined;
}

/** The logs of a command line as one profile. */
interface LoadedProfile {
  /** The profile of all logs. */
  readonly profile: Analysis;
  /** The details of each log, in the order of the profile's threads. */
  readonly infos: readonly ProfileInfo[];
  /** How many logs were skipped because they could not be read. */
  readonly skipped: number;
  /** The source maps that may not be read. */
  readonly refusedMaps: ReadonlySet<string>;
}

/**
 * A {@link LoadedProfile} with a reader of the sources that its logs name, and the filters that match nothing.
 */
export interface LoadedView extends LoadedProfile {
  readonly files: SourceFiles;
  readonly unmatched: readonly UnmatchedFilter[];
  /** The profile before filters left out ticks. */
  readonly whole: Analysis;
  /** The turns of all ticks, whatever the filters leave out; only if requested. */
  readonly turns: readonly ThreadTurns[] | undefined;
  /** The heap profiles beside the logs, with the same filters; undefined if not requested, and if there are none. */
  readonly memory: Analysis | undefined;
}

/**
 * Reads the logs and folders that a command line names, or the one run in the current folder, as one profile.
 * Shows its progress on a terminal. Skips unreadable logs in folders with a warning.
 */
export async function loadProfile(
  args: readonly string[],
  flags: LoadFlags,
  { memory, ...options }: LoadOptions & MemoryOption = {},
): Promise<LoadedProfile> {
  const given = await countedLogs(args, listFor(flags), memory);
  const origins = given.map(({ path }) => originOfLog(path));
  const selection = flags.thread && new ThreadSelection(flags.thread, origins);
  const mayMatch = selection?.mayMatch(origins);
  await startThread(given, options);
  const { readLogs } = await import("./read-logs.js"); // Most of the program: help must not load it.
  const read = await readLogs(
    given.filter((_, i) => mayMatch?.[i] ?? true),
    flags,
    options,
  );
  const { profile, order } = arrangeLogs(read.profile, {
    infos: read.infos,
    paths: read.logs.map(({ path }) => path),
    pick: selection && ((threads) => selection.pick(threads, read.profile.info)),
  });
  refuseEmptyRange(profile.info, options.range);
  if (args.length === 0) warnSeveralMains(read.profile.info.threads);
  const kept = new Set(order.map((thread) => read.logs[thread]!));
  const logs = titleOf(
    given,
    (log) => kept.has(log),
    options.isNamedByLog ? undefined : shortLogNames(given),
  );
  const title = (options.isNamedByLog ? undefined : whatRan(profile.info.threads)) ?? logs;
  return {
    profile: Analysis.of({ ...profile, info: { ...profile.info, title } }),
    infos: order.map((thread) => read.infos[thread]!),
    skipped: read.skipped,
    refusedMaps: read.refusedMaps,
  };
}

/** Starts the second thread of a large log, so that it runs once the program is loaded and the log is open. */
async function startThread(
  [log, ...others]: readonly GivenLog[],
  { inOneThread }: LoadOptions,
): Promise<void> {
  if (log === undefined || others.length > 0 || inOneThread) return;
  if ((logSize(log.path) ?? 0) < LARGE_LOG_BYTES) return;
  const { startThreadAhead } = await import("../log/parser-thread.js"); // Small logs do not need it.
  startThreadAhead();
}

/** Warns of logs that were taken for one run by their PID, which the system had given to several. */
function warnSeveralMains(threads: readonly ThreadInfo[]): void {
  const mains = new Set(threads.filter(({ kind }) => kind === "main").map(({ log }) => log));
  if (mains.size < 2) return;
  warn(
    `these logs are of ${mains.size} runs: each has a main thread. Name the logs of one run to see it alone`,
  );
}

/**
 * Loads a profile like {@link loadProfile}, and applies the filters of the view flags. `hasAllStacks`: with callers that people are
 * not shown.
 */
export async function loadView(
  args: readonly string[],
  flags: ViewFlags,
  {
    turns,
    memory,
    ...options
  }: LoadOptions & MemoryOption & { readonly turns?: TurnOptions | undefined } = {},
  hasAllStacks = false,
): Promise<LoadedView> {
  const roots = sourceRoots(args, flags);
  const files = sourceFilesUnder(roots);
  const range = { ...options.range, ...timeRange(flags) };
  const inside = {
    inlines: true,
    inferred: flags.inferred,
    mapRoots: flags.sourceMaps ? roots : undefined,
  };
  const filter = profileFilter(flags);
  const callers = options.callers !== false || asksCallers(filter);
  const isWhole = flags.thread === undefined && range.from === undefined && range.to === undefined;
  const hasMemory = memory === true && isWhole;
  const given = { ...inside, ...options, callers, range, memory: hasMemory };
  const loaded = await loadProfile(args, flags, given);
  if (flags.state !== undefined)
    refuseMemory(loaded.infos, "Leave out --state: it is of what V8 did over time.");
  const profile = Analysis.of(hasAllStacks ? loaded.profile : shownStacks(loaded.profile, flags));
  const unmatched = await findUnmatched(profile, filter);
  const filtered = filterProfile(profile, filter);
  const cpu = isWhole ? cpuOf(filtered.info) : undefined;
  return {
    ...loaded,
    files,
    unmatched,
    whole: profile,
    turns: turns && turnsOf(profile, turns),
    memory: hasMemory ? await loadMemory(memoryBeside(args), flags, filter) : undefined,
    profile: Analysis.of({ ...filtered, info: { ...filtered.info, cpu } }),
  };
}

/** Returns heap profiles as one profile; undefined for none, and after a warning for those that cannot be read together. */
async function loadMemory(
  profiles: readonly GivenLog[],
  flags: LogFlags,
  filter: Parameters<typeof filterProfile>[1],
): Promise<Analysis | undefined> {
  if (profiles.length === 0) return undefined;
  const { readLogs } = await import("./read-logs.js");
  try {
    const { profile } = await readLogs(profiles, flags, {});
    const shown = Analysis.of(filterProfile(profile, filter));
    return shown.ticks > 0 ? shown : undefined;
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    warn(error.message);
    return undefined;
  }
}

/** Returns the CPU time of the processes of the logs; undefined if that of one is not known, or if one has more logs. */
function cpuOf({ threads, ticks, waited, sampling }: ProfileInfo): CpuTime | undefined {
  if (waited === undefined || sampling.got === undefined) return undefined;
  let [all, ofThreads, counted] = [0, 0, 0];
  let isWhole = true;
  const logs = new Set(threads.map(({ log }) => log));
  for (const folder of new Set(Array.from(logs, dirname))) {
    const { processes = [], outcome } = readRecordFile(folder) ?? {};
    isWhole &&= outcome?.status !== undefined && outcome.stoppedBy === undefined;
    const pids = new Set(threads.flatMap(({ log, pid }) => (dirname(log) === folder ? [pid] : [])));
    if (logsIn(folder).some((log) => pids.has(originOfLog(log).pid) && !logs.has(log))) return undefined;
    for (const pid of pids) {
      const found = processes.filter((one) => one.pid === pid);
      if (found.length === 0) return undefined;
      for (const { cpu = Number.NaN, threadCpu } of found) {
        all += cpu * 1000;
        counted += threadCpu.length;
        ofThreads += threadCpu.reduce((sum, time) => sum + time * 1000, 0);
      }
    }
  }
  // Ticks say less: on a busy machine the time between two is not all the thread's own.
  const sampled = Math.min(all, counted === logs.size ? ofThreads : (ticks - waited.ticks) * sampling.got);
  return all >= 0 && all < MOST_CPU ? { all, sampled, isWhole } : undefined;
}

/** A longer time is no measured one, in microseconds. */
const MOST_CPU = 1e15;

/** The input of {@link warnProblems}. */
type Warned = Pick<LoadedView, "profile" | "infos" | "files" | "refusedMaps" | "unmatched">;

/**
 * Warns, after the report, about filters that match nothing, errors in the logs, sources that were not read and
 * libraries without names.
 */
export function warnProblems({ profile, infos, files, refusedMaps, unmatched }: Warned): void {
  warnUnmatched(unmatched, profile.info);
  warnDiagnostics(infos);
  warnRefused({ maps: refusedMaps, sources: files.refused.sources });
  warnUnnamed(profile);
}

/** One word of `--thread`. */
interface Selector {
  readonly text: string;
  /** Whether the name of a log allows it to have such a thread. */
  readonly mayMatch: (origin: LogOrigin) => boolean;
  /** Whether a thread matches; `index` is its number among all threads, from 0. */
  readonly matches: (thread: ThreadInfo, index: number) => boolean;
}

/** How many threads are listed; more are only counted. */
const LIST_LIMIT = 20;
const ADDRESS = /^(?:0x([0-9a-f]+)|([0-9a-f]{16}))$/i;

class ThreadSelection {
  readonly #selectors: readonly Selector[];

  /** `texts` are the values of the flag, with commas between words; `origins` belong to all logs. */
  constructor(texts: readonly string[], origins: readonly LogOrigin[]) {
    const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
    this.#selectors = words.filter((word) => word !== "").map((word) => selectorOf(word, origins));
    if (this.#selectors.length === 0) throw badOption("--thread: no thread given");
  }

  /**
   * Returns for each log whether to read it: whether its name allows it to have a selected thread. If a word
   * matches no log, all are read, to list their threads in the error.
   */
  mayMatch(origins: readonly LogOrigin[]): boolean[] {
    const isKnown = this.#selectors.every(({ mayMatch }) => origins.some(mayMatch));
    return origins.map((origin) => !isKnown || this.#selectors.some(({ mayMatch }) => mayMatch(origin)));
  }

  /**
   * Returns the numbers of the selected threads. Throws a {@link TicksError} that lists all threads if a word
   * matches none.
   */
  pick(threads: readonly ThreadInfo[], unit: Unit): number[] {
    for (const { text, matches } of this.#selectors) {
      if (!threads.some((thread, i) => matches(thread, i))) throw noSuchThread(text, threads, unit);
    }
    return Array.from(threads.keys()).filter((i) =>
      this.#selectors.some(({ matches }) => matches(threads[i]!, i)),
    );
  }
}

function selectorOf(text: string, origins: readonly LogOrigin[]): Selector {
  const any = () => true;
  const address = ADDRESS.exec(text);
  if (address !== null) {
    const wantedIsolate = normalAddress(address[1] ?? address[2]!);
    const hasAddress = ({ isolate }: LogOrigin) => isolate === wantedIsolate;
    return { text, mayMatch: hasAddress, matches: hasAddress };
  }
  if (/^\d+$/.test(text)) {
    const hasNumber = ({ pid }: LogOrigin) => pid === Number(text);
    if (origins.some(hasNumber)) return { text, mayMatch: hasNumber, matches: hasNumber };
    return { text, mayMatch: any, matches: (_, index) => index + 1 === Number(text) };
  }
  const name = text.toLowerCase();
  if (name === "main" || name === "worker")
    return { text, mayMatch: any, matches: ({ kind }) => kind === name };
  const process = /^pid (\d+)\b/.exec(name)?.[1];
  const matches = ({ name: own, workerName = "" }: ThreadInfo) =>
    `${own.toLowerCase()} `.startsWith(`${name} `) || workerName.toLowerCase() === name;
  return { text, mayMatch: ({ pid }) => process === undefined || pid === Number(process), matches };
}

function noSuchThread(text: string, threads: readonly ThreadInfo[], unit: Unit): TicksError {
  const rows = threads
    .slice(0, LIST_LIMIT)
    .map(({ name, ticks }, i) => [String(i + 1), printable(name), plainly(amount(ticks), unit)]);
  const columns = [
    { title: "#", align: "right" },
    { title: "thread" },
    { title: plainly(UNIT, unit), align: "right" },
  ] as const;
  const list = table(columns, rows).map((line) => `  ${line}`);
  const more = threads.length - rows.length;
  if (more > 0) list.push(`  and ${more} more; run ticks threads to list them`);
  return badOption(
    `--thread ${printable(text)}: no such thread; the threads are:\n${list.join("\n")}`,
    "Select threads by #, name, PID or isolate, or with main or worker.",
  );
}
