import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import { roundedWeight } from "./clamped-numbers.js";
import { changedPositions, renameDeopts } from "./deopt.js";
import type { Frame } from "./frame.js";
import type { FunctionIdentity } from "./function-identity.js";
import { renameIcs } from "./inline-caches.js";
import { inScript, parseFrameName, parseLoggedName, scriptName, splitScriptName } from "./logged-name.js";
import type { NameChanges } from "./name-changes.js";
import type {
  Diagnostic,
  LibraryInfo,
  Profile,
  ProfileInfo,
  RangeRows,
  ScriptHashes,
  SourceText,
} from "./profile.js";
import { allTicks } from "./sample-table.js";
import { mergeSampling } from "./sampling.js";
import { StackMerger } from "./stacks.js";
import { arrangeThreads, nameThreads } from "./threads.js";
import { joinTitles } from "./titles.js";
import { distinctVersions } from "./v8-version.js";
import { VM_STATES } from "./vm-state.js";
import { sumOfWaits } from "./waited.js";

/** The scripts of one name, or those without one. */
interface Texts {
  /** By hash of the text. */
  readonly files: Map<string, string>;
  readonly numbers: Set<number>;
  /** All smaller numbers are taken. */
  next: number;
}

/** The options of {@link MergedScripts}. */
interface MergedScriptsOptions {
  /** Whether files of one name are one whatever their texts are, as two releases of it. Default: false. */
  readonly byName?: boolean | undefined;
}

/**
 * Names the scripts of several profiles. Those with one name and text are one script, and so are nameless ones with one text.
 * Another text gets another number, as within one log: `mod.js<2>`, `<eval #3>`.
 */
class MergedScripts {
  readonly #byName: boolean;
  /** By name, undefined for all scripts without one. */
  readonly #texts = new Map<string | undefined, Texts>();
  readonly #hashes = new Map<string, string>();

  constructor({ byName = false }: MergedScriptsOptions = {}) {
    this.#byName = byName;
  }

  /** The hashes of all scripts so far; undefined if none is known. */
  get hashes(): ScriptHashes | undefined {
    return this.#hashes.size > 0 ? { byFile: this.#hashes } : undefined;
  }

  /** Returns a profile with its scripts named as here. */
  renamed(profile: Profile): Profile {
    const renames = new Map<string, string>();
    for (const [file, hash] of profile.scripts?.byFile ?? []) {
      const name = this.#nameOf(file, hash);
      if (name !== file) renames.set(file, name);
      this.#hashes.set(name, hash);
    }
    return renames.size === 0 ? profile : renamedBy(profile, renames);
  }

  #nameOf(file: string, hash: string): string {
    const { base, number: own } = splitScriptName(file);
    if (this.#byName && base !== undefined) return file;
    const texts = valueAt(this.#texts, base, () => ({
      files: new Map(),
      numbers: new Set<number>(),
      next: 1,
    }));
    const known = texts.files.get(hash);
    if (known !== undefined) return known;
    while (texts.numbers.has(texts.next)) texts.next++;
    const number = texts.numbers.has(own) ? texts.next : own;
    texts.numbers.add(number);
    const name = scriptName({ base, number });
    texts.files.set(hash, name);
    return name;
  }
}

function renamedBy(profile: Profile, renames: ReadonlyMap<string, string>): Profile {
  const fileName = (file: string) => renames.get(file) ?? file;
  const inFile = (name: string, file: string | undefined) =>
    file !== undefined && renames.has(file) ? inScript(name, file, fileName(file)) : name;
  const changes: NameChanges = {
    functionName: (name) => inFile(name, parseLoggedName(name).file),
    file: fileName,
    position: (position) =>
      changedPositions(position, ({ file, line, column }) => `${fileName(file)}:${line}:${column}`),
    word: (_, text) => text,
  };
  const frameName = (frame: Frame): Frame => {
    if (frame.kind !== "js") return frame;
    const name = inFile(frame.name, parseFrameName(frame).file);
    return name === frame.name ? frame : { ...frame, name };
  };
  return {
    ...profile,
    frames: profile.frames.map(frameName),
    deopts: profile.deopts && renameDeopts(profile.deopts, changes),
    ics: profile.ics && renameIcs(profile.ics, changes),
    sources: profile.sources.map((source) =>
      renames.has(source.file) ? changedSource(source, { file: fileName(source.file) }) : source,
    ),
    identities:
      profile.identities &&
      new Map(Array.from(profile.identities, ([name, identity]) => [changes.functionName(name), identity])),
  };
}

/** Returns a script's text with another name or count. The text is not read before it is asked for. */
function changedSource(
  source: SourceText,
  change: Partial<Pick<SourceText, "file" | "scripts">>,
): SourceText {
  const changed: SourceText = Object.create(null, Object.getOwnPropertyDescriptors(source));
  return Object.assign(changed, change);
}

/**
 * Merges profiles: stacks are merged, ticks are summed, and the facts about each log are listed. Of none it returns a profile without
 * ticks. Do not merge logs with profiles that are none (`info.input`): a tick of one is no tick of the other.
 */
export function mergeProfiles(profiles: readonly Profile[]): Profile {
  const merger = new ProfileMerger();
  for (const profile of profiles) merger.add(profile);
  return merger.finish();
}

/**
 * Merges profiles one after the other. Of each added profile only its new parts and the few facts about its
 * log stay in memory.
 */
export class ProfileMerger {
  readonly #stacks = new StackMerger();
  readonly #sources = new Map<string, SourceText>();
  readonly #identities = new Map<string, FunctionIdentity>();
  readonly #scripts: MergedScripts;
  readonly #infos: ProfileInfo[] = [];
  /** The only profile so far: it is not taken apart before a second one comes. */
  #first: Profile | undefined;
  /** By thread: what a tick takes or weighs in its profile. */
  readonly #tickTimes: (number | undefined)[] = [];

  constructor(options: MergedScriptsOptions = {}) {
    this.#scripts = new MergedScripts(options);
  }

  /** Adds a profile. `infos` are the facts about each of its logs, if it was merged itself. */
  add(profile: Profile, infos: readonly ProfileInfo[] = [profile.info]): void {
    const isFirst = this.#infos.length === 0;
    for (const info of infos) this.#infos.push(info);
    if (isFirst) {
      this.#first = profile;
      return;
    }
    if (this.#first !== undefined) this.#put(this.#first);
    this.#first = undefined;
    this.#put(profile);
  }

  /** Returns the merged profile. Call it once. A single profile is returned unchanged. */
  finish(): Profile {
    if (this.#first !== undefined) return this.#first;
    const sources = Array.from(this.#sources.values());
    const identities = this.#identities.size > 0 ? this.#identities : undefined;
    const scripts = this.#scripts.hashes;
    const stacks = this.#stacks.finish();
    const facts = { sources, scripts, identities };
    if (hasMixedTimes(this.#infos)) {
      const counted = inSamples(stacks);
      return { ...counted, ...facts, info: mergeInfos(infosInSamples(this.#infos, counted.samples)) };
    }
    const info = mergeInfos(this.#infos);
    const factors = this.#tickTimes.map((tickTime) => tickFactor(tickTime, info));
    return withSum({ ...scaleStacks(stacks, factors), ...facts, info });
  }

  #put(profile: Profile): void {
    const { sources, scripts: _, identities, info, ...stacks } = this.#scripts.renamed(profile);
    this.#stacks.add(stacks, this.#tickTimes.length);
    for (const _ of info.threads) this.#tickTimes.push(tickSize(info));
    for (const [name, identity] of identities ?? []) {
      if (!this.#identities.has(name)) this.#identities.set(name, identity);
    }
    for (const source of sources) {
      const known = this.#sources.get(source.file);
      const scripts = scriptsOf(known, source);
      this.#sources.set(
        source.file,
        scripts === undefined ? (known ?? source) : changedSource(known ?? source, { scripts }),
      );
    }
  }
}

/** Returns how many scripts texts of two profiles stand for; undefined if nothing is to be changed. */
function scriptsOf(known: SourceText | undefined, source: SourceText): number | undefined {
  if (known === undefined || (known.scripts ?? source.scripts) === undefined) return undefined;
  return (known.scripts ?? 1) + (source.scripts ?? 1);
}

/**
 * Returns the facts about each thread of a profile, which together are those of the profile: a pprof profile has the samples of many
 * threads. Faults and what belongs to no thread are among the facts of the first.
 */
export function infosByThread({ info, samples }: Pick<Profile, "info" | "samples">): ProfileInfo[] {
  if (info.threads.length < 2) return [info];
  const states = info.threads.map(() => new Float64Array(info.ticksByState.length));
  for (let i = 0; i < samples.length; i++)
    states[samples.thread[i]!]![samples.vmState[i]!]! += samples.ticks[i]!;
  return info.threads.map((thread, i) => {
    const ticksByState = Array.from(states[i]!);
    const kept = ticksByState.reduce((sum, ticks) => sum + ticks, 0);
    return {
      ...info,
      threads: [thread],
      ticks: thread.ticks,
      sampling: thread.sampling ?? info.sampling,
      ticksByState,
      excluded: thread.ticks - kept,
      ...(i > 0 && { diagnostics: [], lostLines: 0, missingCallers: undefined }),
    };
  });
}

/** Returns the facts about several profiles together; their threads follow each other. */
export function mergeInfos(given: readonly ProfileInfo[]): ProfileInfo {
  const size = meanTickSize(given);
  const memory = (given.find((one) => (one.memory?.is ?? "unknown") !== "unknown") ?? given[0])?.memory;
  const sized =
    size === undefined
      ? {}
      : memory === undefined
        ? { tickTime: size }
        : { memory: { ...memory, tick: size } };
  const infos = given.map((info) => scaleInfo(info, tickFactor(tickSize(info), sized)));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const states = infos.reduce((most, { ticksByState }) => Math.max(most, ticksByState.length), 0);
  return {
    title: joinTitles(Array.from(new Set(infos.map(({ title }) => title)))), // So can a file have several threads.
    input: infos[0]?.input,
    ...sized,
    logs: Array.from(new Set(infos.flatMap(({ logs }) => logs))), // A file can have several runs.
    threads: nameThreads(infos.flatMap(({ threads }) => threads)),
    v8: distinctVersions(infos.flatMap(({ v8 }) => v8)),
    isUnversioned: infos.some(({ isUnversioned }) => isUnversioned),
    ...(infos.some(({ isCountUnknown }) => isCountUnknown) && { isCountUnknown: true }),
    sampling: mergeSampling(infos.map(({ sampling }) => sampling)),
    rangeRows: {
      currentTime: sum(infos.map(({ rangeRows }) => rangeRows.currentTime)),
      runtimeTimers: sum(infos.map(({ rangeRows }) => rangeRows.runtimeTimers)),
      ...mergeTimes(infos),
    },
    ticks: sum(infos.map(({ ticks }) => ticks)),
    excluded: sum(infos.map(({ excluded }) => excluded)),
    waited: sumOfWaits(infos.map(({ waited }) => waited)),
    hasChosenStates: infos.some(({ hasChosenStates }) => hasChosenStates) || undefined,
    lostLines: sum(infos.map(({ lostLines = 0 }) => lostLines)),
    missingCallers: {
      callers: sum(infos.map(({ missingCallers }) => missingCallers?.callers ?? 0)),
      missing: sum(infos.map(({ missingCallers }) => missingCallers?.missing ?? 0)),
      ticks: sum(infos.map(({ missingCallers }) => missingCallers?.ticks ?? 0)),
      belowProgram: sum(infos.map(({ missingCallers }) => missingCallers?.belowProgram ?? 0)),
      interpreted: sum(infos.map(({ missingCallers }) => missingCallers?.interpreted ?? 0)),
    },
    hasShownStacks: infos.every(({ hasShownStacks = false }) => hasShownStacks),
    ticksByState: Array.from({ length: states }, (_, i) =>
      sum(infos.map((info) => info.ticksByState[i] ?? 0)),
    ),
    libraries: mergeLibraries(infos.flatMap(({ libraries }) => libraries)),
    diagnostics: mergeDiagnostics(infos.flatMap(({ diagnostics }) => diagnostics)),
  };
}

/** Returns whether samples of some threads weigh their time, and those of others have none: they are counted then, all of them. */
export function hasMixedTimes(infos: readonly Pick<ProfileInfo, "tickTime">[]): boolean {
  const timed = infos.filter(({ tickTime }) => tickTime !== undefined);
  return timed.length > 0 && timed.length < infos.length;
}

/** Returns stacks in which each sample is a tick. */
function inSamples<Of extends Pick<Profile, "samples" | "timeline">>({ samples, timeline, ...stacks }: Of) {
  const { count, ...columns } = samples;
  return {
    ...stacks,
    samples: { ...columns, ticks: count ?? columns.ticks },
    // Each of its entries is a sample.
    timeline: timeline && { ...timeline, ticks: undefined },
  };
}

/** Returns facts about the threads of a profile, whose samples are counted. */
function infosInSamples(infos: readonly ProfileInfo[], samples: Profile["samples"]): ProfileInfo[] {
  const states = infos.map(() => new Float64Array(VM_STATES.length));
  for (let i = 0; i < samples.length; i++) {
    const ofThread = states[samples.thread[i]!];
    if (ofThread !== undefined) ofThread[samples.vmState[i]!]! += samples.ticks[i]!;
  }
  return infos.map((info, i) => {
    const ticksByState = Array.from(states[i]!);
    const excluded = Math.round(info.excluded);
    const ticks = ticksByState.reduce((sum, ticks) => sum + ticks, excluded);
    const threads = info.threads.map((thread) => ({ ...thread, ticks }));
    return { ...info, tickTime: undefined, ticks, excluded, ticksByState, threads };
  });
}

/** What says what a tick takes or weighs. */
type Sized = Pick<ProfileInfo, "tickTime" | "memory">;

/** Returns the time of a tick, or its bytes or objects; undefined if each is a sample. */
function tickSize({ tickTime, memory }: Sized): number | undefined {
  return memory?.tick ?? tickTime;
}

/** Returns the mean of a sample of several profiles; undefined if one of them does not tell. */
function meanTickSize(infos: readonly ProfileInfo[]): number | undefined {
  let [sum, ticks] = [0, 0];
  for (const info of infos) {
    const size = tickSize(info);
    if (size === undefined) return undefined;
    sum += info.ticks * size;
    ticks += info.ticks;
  }
  return ticks > 0 ? sum / ticks : infos[0] && tickSize(infos[0]);
}

/** Returns by what ticks are multiplied to become those of a profile whose ticks take or weigh something else. */
function tickFactor(size: number | undefined, of: Sized): number {
  const to = tickSize(of);
  return size === undefined || to === undefined ? 1 : size / to;
}

function scaleInfo(info: ProfileInfo, factor: number): ProfileInfo {
  if (factor === 1) return info;
  const scaled = (ticks: Ticks) => roundedWeight(ticks * factor);
  return {
    ...info,
    ticks: scaled(info.ticks),
    excluded: scaled(info.excluded),
    waited: info.waited && {
      ...info.waited,
      ticks: scaled(info.waited.ticks),
      byState: info.waited.byState.map(scaled),
    },
    ticksByState: info.ticksByState.map(scaled),
    threads: info.threads.map((thread) => ({ ...thread, ticks: scaled(thread.ticks) })),
  };
}

/** Returns a profile with only some of its threads, in their order. `infos` are the facts of all; `name` changes those that are left. */
export function pickThreads(
  profile: Profile,
  order: readonly number[],
  infos: readonly ProfileInfo[],
  name: (info: ProfileInfo) => ProfileInfo,
): Profile {
  const known = hasMixedTimes(infos) ? infosInSamples(infos, profile.samples) : infos;
  const info = name(mergeInfos(order.map((thread) => known[thread]!)));
  const factor = tickFactor(tickSize(profile.info), info);
  const factors = profile.info.threads.map(() => factor);
  return withSum(arrangeThreads(scaleStacks(profile, factors), order, info));
}

/** Returns a profile whose ticks are the exact sum of its samples and those left out: rounded parts sum to a little more or less. */
function withSum(profile: Profile): Profile {
  const { info, samples } = profile;
  if (tickSize(info) === undefined) return profile;
  return { ...profile, info: { ...info, ticks: allTicks(samples) + info.excluded } };
}

/**
 * Returns a profile whose samples weigh their time with ticks of a microsecond, or memory with ticks of a byte, all of them whole: for
 * files that have no fractions. What a number loses the next one gets. Others stay as they are.
 */
export function inWholeUnits(profile: Profile): Profile {
  const { memory } = profile.info;
  const size = tickSize(profile.info);
  if (size === undefined) return profile;
  const whole = (ticks: Float64Array) => {
    let [exact, given] = [0, 0];
    return ticks.map((one) => {
      exact += one;
      const rounded = Math.round(exact) - given;
      given += rounded;
      return rounded;
    });
  };
  const { samples, timeline } = scaleStacks(
    profile,
    profile.info.threads.map(() => size),
  );
  return withSum({
    ...profile,
    samples: { ...samples, ticks: whole(Float64Array.from(samples.ticks)) },
    timeline: timeline && { ...timeline, ticks: timeline.ticks && whole(timeline.ticks) },
    info: {
      ...scaleInfo(profile.info, size),
      ...(memory === undefined ? { tickTime: 1 } : { memory: { ...memory, tick: 1 } }),
    },
  });
}

/** Returns stacks with the ticks of each thread multiplied by its factor. */
function scaleStacks<Of extends Pick<Profile, "samples" | "timeline">>(
  stacks: Of,
  factors: readonly number[],
): Of {
  if (factors.every((factor) => factor === 1)) return stacks;
  const { samples, timeline } = stacks;
  const scaled = (ticks: Ticks, sample: number) => roundedWeight(ticks * factors[samples.thread[sample]!]!);
  return {
    ...stacks,
    samples: { ...samples, ticks: Float64Array.from(samples.ticks.subarray(0, samples.length), scaled) },
    timeline: timeline && {
      length: timeline.length,
      sample: timeline.sample,
      timestamp: timeline.timestamp,
      ticks: timeline.ticks?.map((ticks, i) => scaled(ticks, timeline.sample[i]!)),
    },
  };
}

function mergeTimes(infos: readonly ProfileInfo[]): Pick<RangeRows, "times"> {
  const all = infos.flatMap(({ rangeRows }) => (rangeRows.times === undefined ? [] : [rangeRows.times]));
  if (all.length === 0) return {};
  return {
    times: all.reduce(([first, last], [from, to]) => [Math.min(first, from), Math.max(last, to)] as const),
  };
}

/** Returns each library once, by path: one can have several mappings, and be in several logs. */
export function mergeLibraries(libraries: readonly LibraryInfo[]): LibraryInfo[] {
  const byPath = new Map<string, LibraryInfo>();
  for (const library of libraries) {
    const known = byPath.get(library.path);
    if (known === undefined || known.source === undefined) byPath.set(library.path, library);
  }
  return Array.from(byPath.values());
}

/** Returns each kind of fault once. */
export function mergeDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byCode = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const known = byCode.get(diagnostic.code);
    byCode.set(
      diagnostic.code,
      known === undefined ? diagnostic : { ...known, count: known.count + diagnostic.count },
    );
  }
  return Array.from(byCode.values());
}
