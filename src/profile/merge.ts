import type { Diagnostic, LibraryInfo, Profile, SourceText } from "./profile.js";
import { StackMerger } from "./remap.js";
import { mergeSampling } from "./sampling.js";

/** One profile of several: stacks are put together, ticks are summed, what was said of each log is listed. */
export function mergeProfiles(profiles: readonly Profile[]): Profile {
  const [first, ...others] = profiles;
  if (first !== undefined && others.length === 0) return first;
  const merger = new StackMerger();
  let threads = 0;
  for (const profile of profiles) {
    merger.add(profile, threads);
    threads += profile.info.threads.length;
  }
  const stacks = merger.finish();
  const infos = profiles.map(({ info }) => info);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const states = Math.max(0, ...infos.map(({ ticksByState }) => ticksByState.length));
  return {
    ...stacks,
    sources: mergeSources(profiles.flatMap(({ sources }) => sources)),
    info: {
      logs: infos.flatMap(({ logs }) => logs),
      threads: infos.flatMap((info) => info.threads),
      v8: infos.find(({ v8 }) => v8 !== undefined)?.v8,
      sampling: mergeSampling(infos.map(({ sampling }) => sampling)),
      rangeRows: {
        currentTime: sum(infos.map(({ rangeRows }) => rangeRows.currentTime)),
        runtimeTimers: sum(infos.map(({ rangeRows }) => rangeRows.runtimeTimers)),
      },
      ticks: sum(infos.map(({ ticks }) => ticks)),
      excluded: sum(infos.map(({ excluded }) => excluded)),
      ticksByState: Array.from({ length: states }, (_, i) =>
        sum(infos.map((info) => info.ticksByState[i] ?? 0)),
      ),
      libraries: mergeLibraries(infos.flatMap(({ libraries }) => libraries)),
      diagnostics: mergeDiagnostics(infos.flatMap(({ diagnostics }) => diagnostics)),
    },
  };
}

/** One text a file, the first. */
function mergeSources(sources: readonly SourceText[]): SourceText[] {
  return Array.from(
    new Map(sources.toReversed().map((source) => [source.file, source])).values(),
  ).toReversed();
}

function mergeLibraries(libraries: readonly LibraryInfo[]): LibraryInfo[] {
  const byPath = new Map<string, LibraryInfo>();
  for (const library of libraries) {
    const known = byPath.get(library.path);
    if (known === undefined || known.source === undefined) byPath.set(library.path, library);
  }
  return Array.from(byPath.values());
}

function mergeDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
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
