import { availableParallelism } from "node:os";
import { TicksError } from "../base/errors.js";
import type { RunGroup } from "../compare/run-groups.js";
import { type RunSummary, runSummary } from "../compare/run-summary.js";
import { type SelectedRun, type Selector, selectRun } from "../compare/selections.js";
import type { RunStacks } from "../exports/flame/diff-page-data.js";
import { TURNS } from "../facts/turns.js";
import type { UnmatchedFilter } from "../facts/unmatched-filters.js";
import { refuseMixed } from "../inputs/inputs.js";
import { logSize } from "../io/input.js";
import { withRegularFile } from "../io/regular-file.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { loadView } from "./load-profile.js";
import type { ViewFlags } from "./options.js";
import { Progress } from "./progress.js";
import type { RedactFlags } from "./redact-options.js";
import type { GivenRun } from "./sides.js";
import { isErrorOfLog, warnSkipped } from "./skipped-logs.js";
import { warnRefused } from "./source-roots.js";
import { warnDiagnostics, warnUnmatched } from "./warnings.js";
import type { SharedWork } from "./workers.js";

/** Fewer bytes of logs are read as fast by one thread. */
const LARGE_BYTES = 12e6;
/** More threads take more memory than they save time. */
const MOST_THREADS = 8;
/** As many rows of code are read at a time: what a run of very many functions takes of memory goes by them. */
const MOST_CODE = 60_000;

/** As many pieces of a log tell how many rows of code it has. */
const PIECES = 16;
const PIECE_BYTES = 65_536;
const CODE_ROW = "\ncode-creation,";

/**
 * Reads the runs of several sides, and returns them by side. Skips unreadable logs of folders with a warning. Throws a {@link TicksError} for another unreadable log, or a side
 * without any.
 */
export async function readSides(
  sides: readonly (readonly GivenRun[])[],
  options: RunOptions,
): Promise<readonly (readonly ReadRun[])[]> {
  const runs = sides.flat();
  const sizes = runs.map((run) => run.reduce((sum, { path }) => sum + (logSize(path) ?? 0), 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, total) : undefined;
  const paths = runs.map((run) => run.map(({ path }) => path));
  const threads = total >= LARGE_BYTES ? threadsFor(runs) : { threads: 1 };
  let bytes = 0;
  const results: (ReadRun | TicksError)[] = [];
  for await (const result of readAll(paths, options, threads)) {
    bytes += sizes[results.push(result) - 1]!;
    progress?.update({ bytes, ticks: 0 });
  }
  progress?.done();
  const errors: TicksError[] = [];
  const good: ReadRun[] = [];
  let at = 0;
  const found = sides.map((side) => {
    const ofSide = results.slice(at, at + side.length);
    at += side.length;
    const readable = ofSide.flatMap((result, i) => {
      if (!(result instanceof TicksError)) return [result];
      if (!isErrorOfLog(result) || side[i]!.some(({ folder, isNamed }) => folder === undefined || isNamed))
        throw result;
      errors.push(result);
      return [];
    });
    if (readable.length === 0)
      throw new TicksError("NO_LOG", `cannot read any of the ${side.length} runs of a side`);
    for (const one of readable) good.push(one);
    return readable;
  });
  warnSkipped(errors);
  const infos = good.flatMap((one) => one.infos);
  refuseMixed(infos);
  warnProblems(good);
  return found;
}

/** The threads that read runs, and whether this one is only one of them if no other runs. */
type ReadingThreads = Pick<SharedWork<unknown, unknown>, "threads" | "isHereLast">;

/**
 * Returns which threads read runs. What a thread took of memory is free again when it ends, so that of very many functions one
 * run is read at a time, by one beside this one.
 */
export function threadsFor(runs: readonly GivenRun[]): ReadingThreads {
  const code = runs.map((run) => run.reduce((sum, { path }) => sum + aboutCodeRows(path), 0));
  const largest = code.reduce((most, rows) => Math.max(most, rows), 1);
  const most = Math.max(1, Math.floor(MOST_CODE / largest));
  if (most === 1 && runs.length > 1) return { threads: 2, isHereLast: true };
  return { threads: Math.min(availableParallelism(), runs.length, MOST_THREADS, most) };
}

/** Returns about how many rows of code a log has, by pieces of it; 0 for one that is packed or no file. */
function aboutCodeRows(path: string): number {
  return (
    withRegularFile(path, ({ size, readInto }) => {
      const bytes = Buffer.alloc(Math.min(PIECE_BYTES, Math.floor(size / PIECES)));
      let rows = 0;
      for (let piece = 0; piece < PIECES; piece++) {
        if (!readInto(bytes, Math.floor((size / PIECES) * piece))) return 0;
        for (let at = bytes.indexOf(CODE_ROW); at >= 0; at = bytes.indexOf(CODE_ROW, at + 1)) rows++;
      }
      return bytes.length === 0 ? 0 : (rows * size) / (PIECES * bytes.length);
    }) ?? 0
  );
}

/** Yields the runs, in their order, each or the error of its logs. */
async function* readAll(
  runs: readonly (readonly string[])[],
  options: RunOptions,
  threads: ReadingThreads,
): AsyncIterable<ReadRun | TicksError> {
  const { answersOf } = await import("./workers.js");
  const inside = { ...options, inOneThread: options.inOneThread || threads.threads > 1 };
  yield* answersOf({
    ...threads,
    questions: runs,
    answerHere: (paths: readonly string[]) => readRun(paths, inside),
    workerData: { runs: inside },
  });
}

/** Warns of what is wrong with the runs. A filter that matches in some run is right. */
function warnProblems(runs: readonly ReadRun[]): void {
  const everywhere = (runs[0]?.unmatched ?? []).filter(({ option, value }) =>
    runs.every(({ unmatched }) => unmatched.some((one) => one.option === option && one.value === value)),
  );
  warnUnmatched(everywhere, runs[0]?.infos[0] ?? {});
  warnDiagnostics(runs.flatMap(({ infos }) => infos));
  warnRefused({
    maps: new Set(runs.flatMap(({ refused }) => Array.from(refused.maps))),
    sources: new Set(runs.flatMap(({ refused }) => Array.from(refused.sources))),
  });
}

/** What is wanted of each run. It can be sent to another thread. */
export interface RunOptions {
  readonly flags: ViewFlags;
  /** One summary for each. */
  readonly groups: readonly RunGroup[];
  /** What to measure beside. Default: nothing. */
  readonly selectors?: readonly Selector[] | undefined;
  /** Whether to measure how much the ticks of a run tell, which needs the time of each. */
  readonly hasEffects: boolean;
  /** Whether to return the stacks too. Default: no. */
  readonly hasStacks?: boolean | undefined;
  /** Hashes names before anything is measured, if they say so. All runs need the same key. Default: do not. */
  readonly redact?: RedactFlags | undefined;
  /** Whether the stacks are wanted too. Default: false. */
  readonly hasProfile?: boolean | undefined;
  /** Whether other threads read runs at the same time. Default: false. */
  readonly inOneThread?: boolean | undefined;
}

export interface ReadRun {
  /** By group that was asked for. */
  readonly summaries: readonly RunSummary[];
  readonly selected: SelectedRun;
  /** Only if requested. */
  readonly stacks: RunStacks | undefined;
  /** Its stacks without times, if they were asked for. */
  readonly profile: Profile | undefined;
  readonly infos: readonly ProfileInfo[];
  readonly unmatched: readonly UnmatchedFilter[];
  /** The files that the logs name and that were not read. */
  readonly refused: { readonly maps: ReadonlySet<string>; readonly sources: ReadonlySet<string> };
}

export async function readRun(
  paths: readonly string[],
  {
    flags,
    groups,
    selectors = [],
    hasEffects,
    hasStacks = false,
    hasProfile = false,
    redact,
    inOneThread = false,
  }: RunOptions,
): Promise<ReadRun> {
  const limitsTurns = selectors.some(({ kind }) => kind === "run");
  const { infos, unmatched, files, refusedMaps, turns, ...view } = await loadView(paths, flags, {
    identities: true,
    deopts: true,
    timeline: hasEffects || limitsTurns,
    turns: limitsTurns ? TURNS : undefined,
    inOneThread,
  });
  const profile = await redacted(view.profile, redact);
  return {
    summaries: groups.map((by) => runSummary(profile, by)),
    selected: selectRun(profile, selectors, turns),
    stacks: hasStacks ? await stacksOf(profile) : undefined,
    profile: hasProfile ? { ...profile, sources: [], timeline: undefined, deopts: undefined } : undefined,
    infos,
    unmatched,
    refused: { maps: refusedMaps, sources: files.refused.sources },
  };
}

async function redacted(profile: Profile, flags: RedactFlags | undefined): Promise<Profile> {
  if (flags?.redact !== true) return profile;
  const { redactedBy } = await import("./redact-options.js"); // Most runs do not need it.
  return redactedBy(profile, flags);
}

async function stacksOf(profile: Profile): Promise<RunStacks> {
  const { runStacks } = await import("../exports/flame/diff-page-data.js"); // Only a page needs it.
  return runStacks(profile);
}
