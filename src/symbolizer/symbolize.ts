import { Diagnostics } from "../diagnostics.js";
import type { Frame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { Diagnostic, LibraryInfo } from "../profile/profile.js";
import type { Address } from "../profile/units.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import type { LibraryLoader } from "../recorder/library-loader.js";
import type { RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import type { LoadedLibrary } from "../symbols/load-library.js";
import type { LibraryFunction } from "../symbols/readable-names.js";
import { FunctionSources } from "./function-sources.js";
import { InlineStacks } from "./inline-stacks.js";
import type { ReadMapFile, SourceMapFault } from "./source-maps.js";

export interface SymbolizeOptions {
  /** Where the functions of libraries come from. */
  readonly loader: LibraryLoader;
  /** The names of functions, one for one. */
  readonly readNames: (functions: readonly LibraryFunction[]) => Promise<readonly string[]>;
  /** Reads the source maps of scripts. Default: none, functions are where the log says. */
  readonly readSourceMap?: ReadMapFile | undefined;
}

/** The frames of a recording with their names, by the number they had, outermost first, and how each library got its names. */
export interface Symbolized {
  readonly frames: readonly (readonly Frame[])[];
  readonly libraries: readonly LibraryInfo[];
  /** Where the functions of the frames come from. */
  readonly functions: FunctionSources;
  /** What the log's addresses contradict. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Names every frame that waits for its name. Reads only libraries that own such frames. */
export async function symbolize(recording: Recording, options: SymbolizeOptions): Promise<Symbolized> {
  const libraries = await loadLibraries(recording, options);
  const names = await namePending(recording.frames, libraries, options);
  const diagnostics = new Diagnostics();
  const found = copiedBuiltins(recording);
  if (found === "refuted") diagnostics.add("builtins-copy", 1);
  const copy = found === "refuted" ? undefined : found;
  const functions = await functionSources(recording, options, diagnostics);
  const inlineStacks = new InlineStacks(functions);
  const frames = recording.frames.map((frame, i): Frame[] => {
    if (frame.kind === "offset") return inlineStacks.frames(frame);
    if (frame.kind !== "pending") return [frame];
    if (frame.library < 0) return [frameInCopy(copy, frame.address)];
    const { path } = recording.libraries.libraries[frame.library]!;
    return [{ kind: "native", library: path, symbol: names.get(i) }];
  });
  return {
    frames,
    libraries: Array.from(libraries.values(), ({ info }) => info),
    functions,
    diagnostics: diagnostics.list(),
  };
}

/** Where the functions of places come from, by the source maps of their scripts. */
async function functionSources(
  { frames, scripts, deopts }: Recording,
  { readSourceMap: read }: SymbolizeOptions,
  diagnostics: Diagnostics,
): Promise<FunctionSources> {
  const ids = new Set<number>();
  for (const frame of frames) {
    if (frame.kind !== "offset") continue;
    const { function: own, source } = frame.code;
    for (const logged of [own, ...(source?.functions ?? [])])
      if (logged !== undefined) ids.add(logged.script);
  }
  for (const name of deopts?.functions() ?? []) ids.add(scripts.idOf(parseLoggedName(name).file ?? ""));
  if (read === undefined || ids.size === 0) return new FunctionSources(scripts, new Map());
  const { loadSourceMaps } = await import("./source-maps.js"); // Few reports need the library behind it.
  const onFault = (fault: SourceMapFault, id: number) => diagnostics.add(fault, scripts.get(id)!.row);
  return new FunctionSources(scripts, await loadSourceMaps(scripts, ids, { read, onFault }));
}

/** The libraries that own pending frames, by their index, in the order of the log. */
export async function loadLibraries(
  recording: Recording,
  { loader }: Pick<SymbolizeOptions, "loader">,
): Promise<Map<number, LoadedLibrary>> {
  const { frames } = recording;
  const wanted = new Set<number>();
  for (const frame of frames) if (frame.kind === "pending" && frame.library >= 0) wanted.add(frame.library);
  const loaded = Array.from(wanted)
    .sort((a, b) => a - b)
    .map(async (index) => [index, await loader.loadTrusted(index, recording)] as const);
  return new Map(await Promise.all(loaded));
}

/** The names of the pending frames that have one, by the frame's number. */
async function namePending(
  frames: readonly RecordedFrame[],
  libraries: ReadonlyMap<number, LoadedLibrary>,
  { readNames }: SymbolizeOptions,
): Promise<Map<number, string>> {
  const numbers: number[] = [];
  const functions: LibraryFunction[] = [];
  for (const [i, frame] of frames.entries()) {
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

/** The copy of the builtins that ticks of the recording were taken in. */
function copiedBuiltins({
  frames,
  tree,
  samples,
  builtins,
  libraries,
}: Recording): BuiltinCopy | "refuted" | undefined {
  const isOutside = frames.map((frame) => frame.kind === "pending" && frame.library < 0);
  if (!isOutside.includes(true)) return undefined;
  const ticks = new Map<Address, number>();
  for (let i = 0; i < samples.length; i++) {
    const number = tree.frame[samples.node[i]!]!;
    const frame = isOutside[number] ? frames[number]! : undefined;
    if (frame?.kind === "pending") {
      ticks.set(frame.address, (ticks.get(frame.address) ?? 0) + samples.ticks[i]!);
    }
  }
  return builtins.locateCopy(ticks, (address) => libraries.find(address) >= 0);
}

function frameInCopy(copy: BuiltinCopy | undefined, address: Address): Frame {
  if (copy === undefined || !copy.includes(address)) return { kind: "unknown", reason: "unmapped" };
  return copy.find(address) ?? { kind: "unknown", reason: "builtin-gap" };
}
