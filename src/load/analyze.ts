import { originalModules } from "../infer/bundled-modules.js";
import { deoptNames, type FunctionSources } from "../infer/function-sources.js";
import type { ColumnsOf, LinesOf } from "../infer/inline-stacks.js";
import type { ReadMapFile } from "../infer/source-maps.js";
import { framesOfMany, symbolize } from "../infer/symbolize.js";
import { type Input, openInput, withinUnpacked } from "../inputs/inputs.js";
import { type LabelFilter, unlabelled } from "../inputs/read-options.js";
import type { CompressionDiagnostic, LogChunks } from "../io/log-chunks.js";
import type { MappedCode } from "../native/process-map.js";
import { type LibraryFunction, readableNames } from "../native/readable-names.js";
import type { RecordedSymbols } from "../native/recorded-symbols.js";
import type { AssignedSymbols } from "../native/saved-symbols.js";
import type { SymbolCache } from "../native/symbol-cache.js";
import type { SymbolSource } from "../native/symbol-source.js";
import { Diagnostics } from "../profile/diagnostics.js";
import type { Frame } from "../profile/frame.js";
import type { FunctionIdentities } from "../profile/function-identity.js";
import { type FileTimes, logStart } from "../profile/log-start.js";
import { mergeLibraries, mergeProfiles } from "../profile/merge.js";
import type { Profile, ThreadOrigin } from "../profile/profile.js";
import { expandStacks, type Stacks } from "../profile/stacks.js";
import { nameThreads } from "../profile/threads.js";
import { hasCrankshaft } from "../profile/v8-era.js";
import { inferWaits } from "../replay/inferred-waits.js";
import { LibraryLoader } from "../replay/libraries.js";
import type { DeoptsForm, IcsForm, ReplayedLog } from "../replay/replayed-log.js";
import type { TickRangeOptions } from "../replay/tick-range.js";
import type { ReadProgress } from "./log-feeder.js";
import { type ReadRun, readLog, sampledRuns } from "./read-log.js";

/** The options of {@link analyze}. */
export interface AnalyzeOptions {
  /** The name of the log in reports. Default: `log`. */
  readonly name: string;
  /** The process and isolate that wrote the log. Default: unknown. */
  readonly origin: ThreadOrigin;
  /** When the file of the log was made and last written. Default: unknown, and so is the date of the ticks. */
  readonly fileTimes: FileTimes | undefined;
  /** Which ticks count. Default: all. */
  readonly range: TickRangeOptions;
  /** Whether the profile has every tick with its time. Default: false. */
  readonly timeline: boolean;
  /** Whether the profile has deoptimizations and their cost; `events` without the cost. Default: false. */
  readonly deopts: DeoptsForm;
  /**
   * Whether the profile has inline caches and the ticks in V8's code for them; `if-logged` only if the log has rows of
   * inline caches. Default: false. Only with `inlines`.
   */
  readonly ics: IcsForm;
  /**
   * Whether frames have lines and inlined functions are frames of their own. Reads the source texts in the
   * log and adds them to the profile. Default: false.
   */
  readonly inlines: boolean;
  /**
   * Whether frames have lines, and the profile the source texts; `program` for all but those of Node's own scripts,
   * `{ named }` for functions whose name and position contain a text, ignoring case. Default: true. Stacks that differ
   * only in lines are one without them. Only with `inlines`.
   */
  readonly lines: LinesOf;
  /**
   * Whether frames with lines have columns too, or only those in `long-lines`: stacks that differ only in them are then
   * several. Default: false. Only with `inlines`.
   */
  readonly columns: ColumnsOf;
  /**
   * Whether to add what the log leaves out but other ticks prove, with a mark: callers that the sampler
   * skipped, and the VM state `idle-inferred` of ticks in which the thread most likely waited. Only with `inlines`.
   * Default: true.
   */
  readonly inferred: boolean;
  /**
   * Whether callers are among what is added, or only the VM state, for who shows no callers. Inline caches need them. Default: true.
   */
  readonly callers: boolean;
  /**
   * Whether the profile says which function is which across logs. Default: false. Only with `inlines`.
   */
  readonly identities: boolean;
  /**
   * Whether the profile says what its log tells about the start of the program, and has a frame at `file:1:1` for
   * the top-level code of each module, also of modules in bundles. Default: false. Only with `inlines`.
   */
  readonly startup: boolean;
  /**
   * Reads the source maps that scripts name, by path or `file:` URL, so that functions and lines are those of
   * the original sources. Inline maps need no reading. A log can name any file: use `sourceFilesUnder`, whose
   * `readMap` reads only in the folders that it is given. Only with `inlines`. Default: none, generated code
   * is shown.
   */
  readonly readSourceMap: ReadMapFile | undefined;
  /**
   * Whether to parse in this thread alone, as is right if several threads read logs. Default: false, a large log
   * is parsed in a second thread.
   */
  readonly inOneThread: boolean;
  /** Which values of a pprof profile count, by their type. Default: those that it shows first, if they are times. */
  readonly sampleType: string | undefined;
  /** Which samples of a pprof profile count, by their labels: other files have none. Default: all. */
  readonly labels: LabelFilter | undefined;
  /** Called with the progress after each chunk. Default: none. */
  readonly onProgress: ((progress: ReadProgress) => void) | undefined;
  /** Where native names come from, most trusted first. Default: none, native code is named by its library. */
  readonly sources: readonly SymbolSource[];
  /** What the process had mapped at its end: names ticks outside of the log's libraries. Default: unknown. */
  readonly mapped: readonly MappedCode[];
  /** Symbols saved for this log; trusted more than all sources. Default: none. */
  readonly recorded: RecordedSymbols | undefined;
  /** Symbols given for single libraries; trusted more than all others. Default: none. */
  readonly assigned: readonly AssignedSymbols[];
  /** A folder to look for libraries in. Default: the paths in the log. */
  readonly target: string | undefined;
  /** Whether to use symbols even if a binary does not match the log's V8. Default: false. */
  readonly forceSymbols: boolean;
  /** Whether C++ names are those of `nm -C`, as in Node's own report. Default: false. */
  readonly asNm: boolean;
  /** Caches symbols of binaries for the next log. Default: no cache. */
  readonly cache: SymbolCache | undefined;
  /** The library to read for a path that ends in `.apk`. */
  readonly apkEmbeddedLibrary: string | undefined;
}

/**
 * Reads a log and returns its profile. If the file has several runs, each is a thread of the profile.
 *
 * Chunks may be cut anywhere and are not kept. Throws a `TicksError` if the log is empty (`EMPTY`) or is
 * something else (`NOT_A_LOG`). Faults inside a log are counted in `info.diagnostics`.
 */
export async function analyze(log: LogChunks, options: Partial<AnalyzeOptions> = {}): Promise<Profile> {
  const [first, ...others] = await analyzeRuns(log, options);
  if (others.length === 0) return first!;
  const profile = mergeProfiles([first!, ...others]);
  return { ...profile, info: { ...profile.info, title: first!.info.title } };
}

/** Reads a log like {@link analyze}, and returns a profile for each of its runs: one, but for files with several. */
export async function analyzeRuns(
  log: LogChunks,
  options: Partial<AnalyzeOptions> = {},
): Promise<readonly Profile[]> {
  const { input, chunks } = await openInput(log);
  if (options.labels !== undefined && input?.kind !== "pprof") throw unlabelled(nameOf(options));
  if (input !== undefined) return readProfiles(input, chunks, options);
  const inferred = infers(options);
  const found = await readLog(chunks, {
    name: nameOf(options),
    mapped: options.mapped,
    range: options.range ?? {},
    timeline: options.timeline,
    deopts: options.deopts,
    ics: options.ics,
    inlines: options.inlines,
    inferred,
    identities: options.identities,
    startup: options.startup,
    openLoader: () => new LibraryLoader({ ...options, sources: options.sources ?? [] }),
    inOneThread: options.inOneThread,
    onProgress: options.onProgress,
    onManyPlaces: async (places, loader) => places.use(await framesOfMany(places, loader)),
  });
  const runs = sampledRuns(found);
  const profiles: Profile[] = [];
  const isOnly = runs.length === 1; // The times of the file are those of all its runs.
  for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
    profiles.push(await analyzeRun(run, { ...options, fileTimes: isOnly ? options.fileTimes : undefined }));
  }
  return profiles;
}

function hasColumns({ frames }: Profile): boolean {
  return frames.some((frame) => frame.kind === "js" && frame.column !== undefined);
}

/** Returns profiles of which the first tells what was wrong with the compression of their file. */
function withDamage(
  [first, ...others]: readonly Profile[],
  fault: CompressionDiagnostic | undefined,
): readonly Profile[] {
  if (first === undefined) return [];
  if (fault === undefined) return [first, ...others];
  const found = new Diagnostics();
  found.add(fault, 1);
  const diagnostics = [...first.info.diagnostics, ...found.list()];
  return [{ ...first, info: { ...first.info, diagnostics } }, ...others];
}

/** Reads a file that is no log but has stacks with weights. */
async function readProfiles(
  input: Input,
  chunks: LogChunks,
  options: Partial<AnalyzeOptions>,
): Promise<readonly Profile[]> {
  const given = await input.read(withinUnpacked(chunks, nameOf(options)), {
    name: nameOf(options),
    origin: options.origin,
    fileTimes: options.fileTimes,
    timeline: Boolean(options.timeline),
    range: options.range,
    sampleType: options.sampleType,
    labels: options.labels,
  });
  const profiles = withDamage(given, chunks.diagnostic?.());
  const { readSourceMap, columns } = options;
  const isDone = columns || !profiles.some(hasColumns);
  if (readSourceMap === undefined && isDone) return profiles;
  const { withoutColumns, withSources } = await import("../infer/profile-sources.js"); // Logs have their texts.
  const read: Profile[] = [];
  for (const profile of profiles) {
    const mapped = readSourceMap === undefined ? profile : await withSources(profile, readSourceMap);
    read.push(isDone ? mapped : withoutColumns(mapped));
  }
  return read;
}

function nameOf({ name }: Partial<AnalyzeOptions>): string {
  return name ?? "log";
}

function infers({ inlines, inferred }: Partial<AnalyzeOptions>): boolean {
  return inlines === true && inferred !== false;
}

/** The options of {@link analyzeRun}. */
export interface AnalyzeRunOptions extends Partial<AnalyzeOptions> {
  /** Returns the readable names of functions, one for each. Default: {@link readableNames}. */
  readonly readNames?: ((functions: readonly LibraryFunction[]) => Promise<readonly string[]>) | undefined;
}

/** Returns the profile of a run that was read. The times of a file are those of a run only if it has no other. */
export async function analyzeRun(
  { replayed: given, diagnostics: faults, loader }: ReadRun,
  options: AnalyzeRunOptions,
): Promise<Profile> {
  const name = nameOf(options);
  const inferred = infers(options);
  const replayed = inferred ? inferWaits(given) : given;
  const { frames, tree, samples, libraries, functions, lostLines, missingCallers, ics, diagnostics } =
    await symbolize(replayed, {
      loader,
      inferred,
      callers: options.callers ?? true,
      callerCounts: options.inlines ?? false,
      lines: options.lines ?? true,
      columns: options.columns ?? false,
      modules: options.startup ?? false,
      readSourceMap: options.readSourceMap,
      readNames:
        options.readNames ??
        ((functions) => readableNames(functions, { cache: options.cache, asNm: options.asNm })),
    });
  const deopts = replayed.deopts?.finish((number) => frames[number]!.at(-1)!, deoptNames(functions));
  const {
    v8,
    isUnversioned,
    threadKind,
    threadNumber: number,
    sampling,
    rangeRows,
    ticks,
    excluded,
    ticksByState,
  } = replayed;
  const { pid, isolate } = options.origin ?? {};
  // In a file that all isolates share, each starts it over: the start of the main isolate is gone, its ticks
  // remain.
  const kind = threadKind === "worker" && isolate === undefined ? undefined : threadKind;
  const { span } = sampling;
  const start = options.fileTimes ? logStart(options.fileTimes, span) : undefined;
  const startup = replayed.startup && originalModules(replayed.startup, functions.modules);
  const thread = { name, log: name, pid, isolate, kind, number, ticks, span, start, sampling, startup };
  const named = { tree, samples, deopts, ics, frames };
  const stacks = expandStacks({ ...replayed, ...named });
  const sources = await functions.texts(options.readSourceMap); // Before functions without ticks are looked up.
  const scripts = functions.scripts();
  const isOld = hasCrankshaft({ v8: v8 === undefined ? [] : [v8], isUnversioned });
  return {
    ...stacks,
    frames: isOld ? stacks.frames.map(ofOldCompilers) : stacks.frames,
    sources,
    scripts,
    identities: options.identities ? await identify(replayed, functions, stacks) : undefined,
    info: {
      title: name,
      logs: [name],
      threads: nameThreads([thread]),
      v8: v8 === undefined ? [] : [v8],
      isUnversioned,
      sampling,
      rangeRows,
      ticks,
      excluded,
      ticksByState,
      lostLines,
      missingCallers,
      libraries: mergeLibraries(libraries),
      diagnostics: [...faults, ...diagnostics],
    },
  };
}

function ofOldCompilers(frame: Frame): Frame {
  return frame.kind === "js" ? { ...frame, byOldCompilers: true } : frame;
}

/** Returns the identities of the functions of a log. */
async function identify(
  { functions, scripts }: ReplayedLog,
  sources: FunctionSources,
  { frames }: Stacks,
): Promise<FunctionIdentities> {
  const { functionIdentities } = await import("../infer/function-identities.js"); // Few reports need them.
  return functionIdentities({ logged: functions, scripts, sources, frames });
}
