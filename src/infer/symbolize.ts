import { marksOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Address, Ticks } from "../base/units.js";
import {
  type BuiltinFrames,
  cachedFrames,
  type FramesByBuiltin,
  findBuiltins,
  type LinkedBuiltin,
} from "../native/builtin-frames.js";
import type { LoadedLibrary } from "../native/load-library.js";
import type { LibraryFunction } from "../native/readable-names.js";
import { ROOT } from "../profile/call-tree.js";
import { Diagnostics } from "../profile/diagnostics.js";
import type { CodeFrame, Frame } from "../profile/frame.js";
import type { Ics } from "../profile/inline-caches.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { Diagnostic, LibraryInfo, MissingCallers } from "../profile/profile.js";
import type { BuiltinCopy } from "../replay/builtins.js";
import type { LibraryLoader, WholeLogFacts } from "../replay/libraries.js";
import type { Code, OffsetFrame, ReplayedFrame } from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import type { ManyPlaces } from "../replay/resolver.js";
import { FunctionSources } from "./function-sources.js";
import { addHiddenCallers } from "./hidden-callers.js";
import { InlineStacks, type InlineStacksOptions } from "./inline-stacks.js";
import { loadSourceMaps, type ReadMapFile, type SourceMapFault } from "./source-maps.js";

/** The first V8 that logs native callbacks as the program counter: before, the walk of a stack can begin in it. */
const FIRST_EXACT_WALK = 12;
/** Ends the name of a function of the runtime: Node's own since Node 16, the first with a snapshot of them, and Deno's. */
const RUNTIME = / (?:node|ext):[^ ]*$/;

/** What is known about the callers on the stacks of a log. */
interface CallerCounts {
  readonly missing: MissingCallers;
  /** The ticks with a frame whose position is lost. */
  readonly lost: Ticks;
}

type CountedStacks = Pick<ReplayedLog, "tree" | "samples">;

/**
 * Counts the callers that are outside all code of the log, such as the functions of Node's startup snapshot.
 * `frames` are the final frames of each replayed frame, and `isLost` tells of which one the position is lost. Inferred
 * callers are not in the log, so the replayed log is that without them.
 *
 * Before V8 12, a tick in native code that JavaScript called can have a word of the stack for its innermost
 * caller: that one does not count.
 */
export function callerCounts(
  replayed: CountedStacks & Pick<ReplayedLog, "v8">,
  frames: readonly (readonly Frame[])[],
  isLost: (number: number) => boolean,
): CallerCounts {
  const isExact = (replayed.v8?.major ?? 0) >= FIRST_EXACT_WALK;
  /** By name: many frames share it. */
  const ofRuntime = new Map<string, boolean>();
  const isOfRuntime = (name: string) => valueAt(ofRuntime, name, () => RUNTIME.test(name));
  const mark = (isMarked: (frame: Frame, number: number) => boolean) =>
    marksOf(frames, ([frame], number) => isMarked(frame!, number));
  return sumsOnPaths(replayed, {
    isOutside: mark((frame) => frame.kind === "unknown" && frame.reason === "unmapped"),
    isNative: mark(({ kind }) => !isExact && (kind === "native" || kind === "unknown")),
    isHandler: mark((frame) => frame.kind === "code" && frame.type === "BytecodeHandler"),
    isLost: mark((_, number) => isLost(number)),
    isProgram: mark((frame) => frame.kind === "js" && !isOfRuntime(frame.name)),
  });
}

/** By frame: what is to be known of it, 1 if it is so. */
interface FrameMarks {
  /** It is outside all code of the log. */
  readonly isOutside: Uint8Array;
  /** It may have a word of the stack for its caller. */
  readonly isNative: Uint8Array;
  /** It is a handler of the interpreter. */
  readonly isHandler: Uint8Array;
  /** Its position is lost. */
  readonly isLost: Uint8Array;
  /** It is JavaScript, but none of the runtime. */
  readonly isProgram: Uint8Array;
}

/** Adds up what the ticks of stacks say. */
function sumsOnPaths(
  { tree, samples }: CountedStacks,
  { isOutside, isNative, isHandler, isLost, isProgram }: FrameMarks,
): CallerCounts {
  const { length, parent, frame } = tree;
  const depth = new Int32Array(length);
  /** By node: the callers outside. */
  const found = new Int32Array(length);
  const hasLost = new Uint8Array(length);
  /** By node: the callers outside that are below a function of the program; -1 if there is no such function. */
  const below = new Int32Array(length);
  below[ROOT] = -1;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const number = frame[node]!;
    depth[node] = depth[caller]! + 1;
    const count = found[caller]! + isOutside[number]!;
    if (count > 0) found[node] = count; // Memory that is never written to takes no room.
    if (hasLost[caller] === 1 || isLost[number] === 1) hasLost[node] = 1;
    const inProgram = below[caller]!;
    below[node] = inProgram < 0 ? isProgram[number]! - 1 : inProgram + isOutside[number]!;
  }
  const { length: rows, node: nodes, ticks: counts } = samples;
  let [callers, missing, incomplete, belowProgram, interpreted, lost] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < rows; i++) {
    const node = nodes[i]!;
    if (node === ROOT) continue;
    const caller = parent[node]!;
    const ticks = counts[i]!;
    callers += depth[caller]! * ticks;
    if (hasLost[node] === 1) lost += ticks;
    let lacking = found[caller]!;
    let inProgram = below[caller]!;
    if (lacking === 0) continue;
    if (isOutside[frame[caller]!] === 1) {
      const leaf = frame[node]!;
      lacking -= isNative[leaf]!;
      inProgram -= isNative[leaf]!;
      if (isHandler[leaf] === 1) interpreted += ticks;
    }
    missing += lacking * ticks;
    if (lacking > 0) incomplete += ticks;
    if (inProgram > 0) belowProgram += ticks;
  }
  return { missing: { callers, missing, ticks: incomplete, belowProgram, interpreted }, lost };
}

/** Returns whether a frame is in baseline code without positions, of a function whose bytecode has some. */
function lacksPositions({ code }: { readonly code: Code }): boolean {
  const { tier, source, function: logged } = code;
  return tier === "^" && source?.positions === "" && logged !== undefined && logged.bytecodePositions !== "";
}

/** The options of {@link symbolize}. With `inferred`, callers are added that the sampler skipped, for which the log must be replayed with it. */
interface SymbolizeOptions extends Omit<InlineStacksOptions, "replayed" | "sources"> {
  /** Whether callers are shown, and so worth adding. */
  readonly callers: boolean;
  /** Whether callers outside the log, and lost lines, are told: only views do. */
  readonly callerCounts: boolean;
  /** Loads the functions of libraries. */
  readonly loader: LibraryLoader;
  /** Returns the readable names of functions, one for each. */
  readonly readNames: (functions: readonly LibraryFunction[]) => Promise<readonly string[]>;
  /** Reads the source maps of scripts; undefined for positions as logged. */
  readonly readSourceMap: ReadMapFile | undefined;
}

/** The stacks of a replayed log with named frames. */
interface Symbolized extends Pick<ReplayedLog, "tree" | "samples"> {
  /** By replayed frame number: the frames that it stands for, outermost first. */
  readonly frames: readonly (readonly Frame[])[];
  /** How each library got its names. */
  readonly libraries: readonly LibraryInfo[];
  readonly functions: FunctionSources;
  /** The ticks with a caller whose position is lost; 0 without `callerCounts`. */
  readonly lostLines: Ticks;
  /** Undefined without `callerCounts`. */
  readonly missingCallers: MissingCallers | undefined;
  /** Only if the log has them, with the samples of the replayed log. */
  readonly ics: Ics | undefined;
  /** Contradictions found in the log's addresses. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Names all pending frames. Reads only libraries that own such frames. */
export async function symbolize(replayed: ReplayedLog, options: SymbolizeOptions): Promise<Symbolized> {
  const libraries = await loadLibraries(replayed, options);
  const found = copiedBuiltins(replayed);
  const copy = found === "refuted" ? undefined : found;
  const diagnostics = new Diagnostics();
  if (found === "refuted") diagnostics.add("builtins-copy", 1);
  const functions = await functionSources(replayed, options, diagnostics);
  const inlineStacks = new InlineStacks({ ...options, replayed, sources: functions });
  const load = (wanted: ReadonlySet<string>) => loadBuiltinFrames(replayed, libraries, wanted);
  const { inferred } = options;
  const isAsked = replayed.ics !== undefined; // Only one report needs them.
  const stacks =
    inferred && (options.callers || isAsked)
      ? addHiddenCallers({ replayed, copy, inlineStacks, load })
      : replayed;
  const complete = { ...replayed, ...stacks };
  const lines =
    inferred && options.lines !== false ? await inferredLines(complete, functions, inlineStacks) : undefined;
  const ics = isAsked
    ? (await import("./ic-ticks.js")).icTicks({
        replayed,
        stacks,
        copy,
        inlineStacks,
        functions,
        inferred,
        load,
      })
    : undefined;
  const names = await namePending(complete.frames, libraries, options);
  const frames = complete.frames.map((frame, i): readonly Frame[] => {
    if (frame.kind === "offset") return inlineStacks.frames(frame, lines?.get(i));
    if (frame.kind === "builtin") return [complete.frames[frame.whole] as CodeFrame];
    if (frame.kind === "hidden") return inlineStacks.hidden(frame);
    if (frame.kind !== "pending") return [frame.kind === "js" ? inlineStacks.located(frame) : frame];
    if (frame.library < 0) return [frameInCopy(copy, frame.address)];
    const { path } = complete.libraries.libraries[frame.library]!;
    return [{ kind: "native", library: path, symbol: names.get(i) }];
  });
  const isLost = (number: number) => {
    const frame = complete.frames[number]!;
    return frame.kind === "offset" && inlineStacks.isLost(frame);
  };
  const counts = options.callerCounts ? callerCounts(replayed, frames, isLost) : undefined;
  return {
    frames,
    tree: complete.tree,
    samples: complete.samples,
    libraries: Array.from(libraries.values(), ({ info }) => info),
    functions,
    lostLines: counts?.lost ?? 0,
    missingCallers: counts?.missing,
    ics,
    diagnostics: diagnostics.list(),
  };
}

/** Returns the lines of frames in code without positions, by frame number. */
async function inferredLines(
  replayed: ReplayedLog,
  functions: FunctionSources,
  inlineStacks: InlineStacks,
): Promise<ReadonlyMap<number, number> | undefined> {
  const isWanted = (frame: OffsetFrame) =>
    lacksPositions(frame) && inlineStacks.hasLines(frame.code.function);
  if (!replayed.frames.some((frame) => frame.kind === "offset" && isWanted(frame))) return undefined;
  const { baselineLines } = await import("./baseline-lines.js"); // Few logs need it and its dependency.
  return baselineLines({ replayed, sources: functions, isWanted });
}

/** Returns, while a log is read, where the builtins with many places have frames. */
export async function framesOfMany(places: ManyPlaces, loader: LibraryLoader): Promise<FramesByBuiltin> {
  return loadBuiltinFrames(places, await loadLibraries(places, { loader }), places.wanted);
}

/** Loads the source maps of all scripts with frames or deoptimizations. */
async function functionSources(
  { frames, scripts, deopts, ics }: ReplayedLog,
  { readSourceMap: read, modules }: SymbolizeOptions,
  diagnostics: Diagnostics,
): Promise<FunctionSources> {
  if (read === undefined) return new FunctionSources(scripts, new Map(), { modules });
  const ids = new Set<number>();
  const seen = new Set<Code>();
  // A plain loop: this is cold code, and many frames share their code.
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind !== "offset" || seen.has(frame.code)) continue;
    seen.add(frame.code);
    const { function: own, source } = frame.code;
    if (own !== undefined) ids.add(own.script);
    for (const logged of source?.functions ?? []) if (logged !== undefined) ids.add(logged.script);
  }
  for (const { name, script } of deopts?.functions() ?? [])
    ids.add(script >= 0 ? script : scripts.idOf(parseLoggedName(name).file ?? ""));
  for (const { script } of ics?.functions() ?? []) ids.add(script);
  if (ids.size === 0) return new FunctionSources(scripts, new Map(), { modules });
  const onFault = (fault: SourceMapFault, id: number) => diagnostics.add(fault, scripts.get(id)!.row);
  return new FunctionSources(scripts, await loadSourceMaps(scripts, ids, { read, onFault }), { modules });
}

/** Loads the libraries that own pending frames, by index, in the order of the log. */
export async function loadLibraries(
  replayed: WholeLogFacts & Pick<ReplayedLog, "frames">,
  { loader }: Pick<SymbolizeOptions, "loader">,
): Promise<Map<number, LoadedLibrary>> {
  const { frames } = replayed;
  const indices = new Set<number>();
  for (const frame of frames) if (frame.kind === "pending" && frame.library >= 0) indices.add(frame.library);
  const loaded = Array.from(indices)
    .sort((a, b) => a - b)
    .map(async (index) => [index, await loader.loadTrusted(index, replayed)] as const);
  return new Map(await Promise.all(loaded));
}

/** Returns the names of the pending frames that have one, by frame number. */
async function namePending(
  frames: readonly ReplayedFrame[],
  libraries: ReadonlyMap<number, LoadedLibrary>,
  { readNames }: SymbolizeOptions,
): Promise<Map<number, string>> {
  const numbers: number[] = [];
  const functions: LibraryFunction[] = [];
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind !== "pending") continue;
    const symbols = libraries.get(frame.library)?.symbols;
    const index = symbols?.find(frame.address) ?? -1;
    if (symbols === undefined || index < 0) continue;
    numbers.push(i);
    functions.push({ symbols, index });
  }
  const names = await readNames(functions);
  return new Map(numbers.map((number, i) => [number, names[i]!]));
}

/** Returns the copy of the builtins that ticks of the log are in. */
export function copiedBuiltins({
  frames,
  tree,
  samples,
  builtins,
  libraries,
}: ReplayedLog): BuiltinCopy | "refuted" | undefined {
  const isOutside = marksOf(frames, (frame) => frame.kind === "pending" && frame.library < 0);
  if (!isOutside.includes(1)) return undefined;
  const ticks = new Map<Address, number>();
  const { length, node, ticks: counts } = samples;
  const { frame: frameOf } = tree;
  for (let i = 0; i < length; i++) {
    const number = frameOf[node[i]!]!;
    if (isOutside[number] !== 1) continue;
    const frame = frames[number]!;
    if (frame.kind === "pending") ticks.set(frame.address, (ticks.get(frame.address) ?? 0) + counts[i]!);
  }
  return builtins.locateCopy(ticks, (address) => libraries.find(address) >= 0);
}

function frameInCopy(copy: BuiltinCopy | undefined, address: Address): Frame {
  if (copy === undefined || !copy.includes(address)) return { kind: "unknown", reason: "unmapped" };
  return copy.find(address) ?? { kind: "unknown", reason: "builtin-gap" };
}

/**
 * Returns what the libraries of a log say of the frames of builtins. Leaves out those whose size differs from
 * the log's.
 */
export function loadBuiltinFrames(
  { builtins, libraries: { libraries } }: Pick<ReplayedLog, "builtins" | "libraries">,
  loaded: ReadonlyMap<number, LoadedLibrary>,
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const logged = Array.from(builtins.all()).sort((a, b) => a.start - b.start);
  const sizes = new Map(logged.map(({ name, size }) => [name, size]));
  const frames = new Map<string, BuiltinFrames>();
  for (const [index, library] of loaded) {
    if (libraries[index] === undefined) continue;
    for (const [name, found] of framesIn(library, logged, wanted)) {
      if (wanted.has(name) && sizes.get(name) === found.size) frames.set(name, found);
    }
  }
  return frames;
}

function framesIn(
  { symbols, builtins: source }: LoadedLibrary,
  logged: readonly LinkedBuiltin[],
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const first = logged[0];
  if (symbols === undefined || source === undefined || first === undefined) return new Map();
  if (source.kind === "saved") return source.frames;
  const link = symbols.toLink(first.start);
  const shift =
    link !== undefined
      ? first.start - link
      : findBuiltins(
          logged.map(({ start }) => start),
          symbols.table.starts,
        );
  if (shift === undefined) return new Map();
  const linked = logged.map(({ name, start, size }) => ({ name, start: start - shift, size }));
  return cachedFrames(source, linked, wanted);
}
