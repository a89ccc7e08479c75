import type { FunctionIdentity } from "./function-identity.js";
import { changedSource, MergedScripts, type MergedScriptsOptions } from "./merged-scripts.js";
import type { Diagnostic, LibraryInfo, Profile, ProfileInfo, RangeRows, SourceText } from "./profile.js";
import { mergeSampling } from "./sampling.js";
import { StackMerger } from "./stacks.js";
import { nameThreads } from "./threads.js";
import { distinctVersions } from "./v8-version.js";
import { sumOfWaits } from "./waited.js";

/** Merges profiles: stacks are merged, ticks are summed, and the facts about each log are listed. */
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
  #threads = 0;

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
    return { ...this.#stacks.finish(), sources, scripts, identities, info: mergeInfos(this.#infos) };
  }

  #put(profile: Profile): void {
    const { sources, scripts: _, identities, info, ...stacks } = this.#scripts.renamed(profile);
    this.#stacks.add(stacks, this.#threads);
    this.#threads += info.threads.length;
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

/** Returns the facts about several profiles together; their threads follow each other. */
export function mergeInfos(infos: readonly ProfileInfo[]): ProfileInfo {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const states = infos.reduce((most, { ticksByState }) => Math.max(most, ticksByState.length), 0);
  return {
    title: joinTitles(infos.map(({ title }) => title)),
    logs: Array.from(new Set(infos.flatMap(({ logs }) => logs))), // A file can have several runs.
    threads: nameThreads(infos.flatMap(({ threads }) => threads)),
    v8: distinctVersions(infos.flatMap(({ v8 }) => v8)),
    isUnversioned: infos.some(({ isUnversioned }) => isUnversioned),
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

function mergeTimes(infos: readonly ProfileInfo[]): Pick<RangeRows, "times"> {
  const all = infos.flatMap(({ rangeRows }) => (rangeRows.times === undefined ? [] : [rangeRows.times]));
  if (all.length === 0) return {};
  return {
    times: all.reduce(([first, last], [from, to]) => [Math.min(first, from), Math.max(last, to)] as const),
  };
}

/** The most titles that are listed in full. */
const TITLES_LIMIT = 10;
/** The number of titles that are named if there are more. */
const TITLES_NAMED = 3;

/** Returns a title for several logs or folders of logs. */
export function joinTitles(titles: readonly string[]): string {
  if (titles.length <= TITLES_LIMIT) return titles.join(", ");
  return `${titles.slice(0, TITLES_NAMED).join(", ")} and ${titles.length - TITLES_NAMED} more`;
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
