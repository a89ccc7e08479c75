import { compareTexts } from "../base/sorted.js";
import { topBuiltin } from "../infer/call-evidence.js";
import { copiedBuiltins, loadBuiltinFrames, loadLibraries } from "../infer/symbolize.js";
import type { BuiltinFrames, FramesByBuiltin } from "../native/builtin-frames.js";
import {
  isOtherFile,
  type LoadedLibrary,
  type LoadOptions,
  type MappedSymbols,
} from "../native/load-library.js";
import type { MappedCode } from "../native/process-map.js";
import { readableNames } from "../native/readable-names.js";
import type { RecordedLibrary } from "../native/recorded-symbols.js";
import type { SymbolCache } from "../native/symbol-cache.js";
import type { SymbolTable } from "../native/symbol-table.js";
import { LibraryLoader } from "../replay/libraries.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import { readLog, sampledRuns } from "./read-log.js";

export interface RecordSymbolsOptions extends LoadOptions {
  /** What error messages call the log. */
  readonly name: string;
  /** What the process had mapped at its end: names ticks outside of the log's libraries. Default: unknown. */
  readonly mapped?: readonly MappedCode[] | undefined;
  /** Whether to take every function of a library, not only those with frames in the log. Default: false. */
  readonly all?: boolean | undefined;
  /** Called with each library that has a problem, of which nothing is saved. Default: none. */
  readonly onProblem?: ((info: LoadedLibrary["info"]) => void) | undefined;
}

/**
 * Collects the symbols that a log needs, with readable names, so that it can be processed on a machine
 * without its binaries. Libraries are in the order of the log; a library without symbols is skipped.
 */
export async function recordSymbols(
  log: AsyncIterable<Uint8Array>,
  options: RecordSymbolsOptions,
): Promise<RecordedLibrary[]> {
  const runs = await readLog(log, {
    name: options.name,
    mapped: options.mapped,
    range: {},
    inferred: true,
    openLoader: () => new LibraryLoader(options),
  });
  /** By path and the addresses of the functions: two runs can have a library at the same place or at another. */
  const found = new Map<string, UsedLibrary>();
  /** By path: the build ids of libraries without functions, by which one with functions can be known. */
  const nameless = new Map<string, string>();
  for (const { replayed, loader } of sampledRuns(runs)) {
    for (const [index, library] of await loadLibraries(replayed, { loader })) {
      const { info, symbols } = library;
      if (info.problem !== undefined) options.onProblem?.(info);
      if (symbols === undefined) {
        // The id of another file says nothing about that of the log.
        const isKnown =
          info.buildId !== undefined && (!isOtherFile(info.problem) || info.problem?.kind === "other-id");
        if (isKnown) nameless.set(info.path, info.buildId!);
        continue;
      }
      const builtins = builtinFrames(replayed, new Map([[index, library]]), options);
      // Functions are numbered alike in all runs: the table is that of the file.
      const key = `${info.path}\n${symbols.buildId} ${symbols.table.length}`;
      const known = found.get(key);
      const wanted = known ?? { path: info.path, symbols, used: new Set(), builtins: new Map() };
      if (known === undefined) found.set(key, wanted);
      for (const [name, frames] of builtins) wanted.builtins.set(name, frames);
      for (const frame of replayed.frames) {
        if (frame.kind === "pending" && frame.library === index) wanted.used.add(symbols.find(frame.address));
      }
    }
  }
  const recorded: RecordedLibrary[] = [];
  for (const { path, symbols, used, builtins } of found.values()) {
    used.delete(-1);
    const functions = options.all
      ? Array.from({ length: symbols.table.length }, (_, i) => i)
      : Array.from(used).sort((a, b) => a - b);
    recorded.push({
      path,
      buildId: symbols.buildId,
      segments: symbols.segments,
      table: await readableTable(symbols, functions, options.cache),
      builtins: builtins.size === 0 ? undefined : builtins,
    });
  }
  for (const { path } of recorded) nameless.delete(path);
  for (const [path, buildId] of nameless) recorded.push({ path, buildId, segments: [], table: NO_FUNCTIONS });
  return recorded;
}

const NO_FUNCTIONS: SymbolTable = {
  length: 0,
  starts: new Float64Array(),
  ends: new Float64Array(),
  name: () => "",
};

/** A library, and what the runs of a log use of it. */
interface UsedLibrary {
  readonly path: string;
  readonly symbols: MappedSymbols;
  /** Numbers of functions. */
  readonly used: Set<number>;
  readonly builtins: Map<string, BuiltinFrames>;
}

/** Returns where the builtins that are in stacks of a log, or all, have no frame. */
function builtinFrames(
  replayed: ReplayedLog,
  libraries: ReadonlyMap<number, LoadedLibrary>,
  { all }: Pick<RecordSymbolsOptions, "all">,
): FramesByBuiltin {
  const wanted = new Set<string>();
  if (all) for (const { name } of replayed.builtins.named()) wanted.add(name);
  const found = copiedBuiltins(replayed);
  const copy = found === "refuted" ? undefined : found;
  for (const frame of replayed.frames) {
    const top = topBuiltin(frame, copy);
    if (top !== undefined) wanted.add(top.name);
  }
  const frames = loadBuiltinFrames(replayed, libraries, wanted);
  return new Map(Array.from(frames).sort(([a], [b]) => compareTexts(a, b)));
}

/** Returns a table of the functions at some indices, with readable names. */
async function readableTable(
  symbols: MappedSymbols,
  indices: readonly number[],
  cache: SymbolCache | undefined,
): Promise<SymbolTable> {
  const { table } = symbols;
  const names = await readableNames(
    indices.map((index) => ({ symbols, index })),
    { cache, asNm: true }, // The reader of the log reads the rest, unless it wants to know what nm says.
  );
  return {
    length: indices.length,
    starts: Float64Array.from(indices, (index) => table.starts[index]!),
    ends: Float64Array.from(indices, (index) => table.ends[index]!),
    name: (index) => names[index]!,
  };
}
