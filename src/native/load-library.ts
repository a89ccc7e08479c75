import { statSync } from "node:fs";
import { basename, isAbsolute, join, win32 } from "node:path";
import type { Address, LinkAddress } from "../base/units.js";
import { withRegularFile } from "../io/regular-file.js";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";
import type { LibraryInfo } from "../profile/profile.js";
import { type BinaryFile, readElfFile, type Segment, toLinkAddress } from "./binary-file.js";
import { type BinaryTrustOptions, codeProblem, isMappingOf, versionProblem } from "./binary-trust.js";
import type { BuiltinLibrary, FramesByBuiltin } from "./builtin-frames.js";
import { foreignSystem, isWindowsPath, platformOf } from "./platform.js";
import type { RecordedSymbols } from "./recorded-symbols.js";
import { type AssignedSymbols, findAssigned, type SavedFunctions } from "./saved-symbols.js";
import type { Library, LibraryFile, SymbolSource } from "./symbol-source.js";
import { findSymbol, type SymbolTable } from "./symbol-table.js";

/** The format of a system's libraries; undefined if the system is not known. */
const FORMATS: Readonly<Record<LogPlatform, BinaryFile["format"] | undefined>> = {
  linux: "elf",
  macos: "mach-o",
  windows: "pe",
  unknown: undefined,
};

/** The first four bytes of Mach-O files, in either byte order, and of universal files. */
const MACH_MAGICS: readonly number[] = [
  0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf,
];
const ELF = 0x7f454c46;
const MZ = 0x4d5a;
const PDB = Buffer.from("Microsoft C/C++ MSF 7.00");
/** The stub before a PE file's own header. */
const HEAD_BYTES = 64;

/** What the log states of a library. */
interface ReadBinaryOptions {
  /** The system of the log. */
  readonly platform: LogPlatform;
  /** Bytes of what it logs of the file: on macOS, that is the size of its code. */
  readonly size: number;
}

/**
 * Reads the headers of a library's file. Returns a problem if it is not a readable
 * file of that system's format. Loads the readers of other formats than ELF only when they are needed.
 */
export async function readBinary(
  path: string,
  { platform, size }: ReadBinaryOptions,
): Promise<BinaryFile | LibraryProblem> {
  const expected = FORMATS[platform];
  const elf = expected === undefined || expected === "elf" ? readElfFile(path) : undefined;
  if (elf !== undefined) return elf;
  switch (expected ?? formatOf(path)) {
    case "mach-o": {
      const { readMachOFile } = await import("./mach-o.js");
      return readMachOFile(path, size) ?? { kind: "damaged", format: "Mach-O" };
    }
    case "pe": {
      const { readPeFile } = await import("./pe.js");
      return readPeFile(path) ?? { kind: "damaged", format: "PE" };
    }
    default:
      return { kind: "not-elf" };
  }
}

/** Returns the format of a file, by its first bytes; undefined for any other file. */
export function formatOf(path: string): BinaryFile["format"] | undefined {
  const head = withRegularFile(path, (file) => file.read(0, HEAD_BYTES) ?? file.read(0, 4));
  const magic = head?.readUInt32BE(0) ?? 0;
  if (magic === ELF) return "elf";
  if (MACH_MAGICS.includes(magic)) return "mach-o";
  return magic >>> 16 === MZ && head?.includes(0) ? "pe" : undefined; // Text has no NUL.
}

/** Returns whether a file is a PDB, by its first bytes. */
export function isPdb(path: string): boolean {
  return withRegularFile(path, (file) => file.read(0, PDB.length))?.equals(PDB) ?? false;
}

export interface LoadOptions extends LocateOptions, BinaryTrustOptions {
  /** Where names come from, most trusted first. The first source that knows a library names it. */
  readonly sources: readonly SymbolSource[];
  /** Symbols saved for this log, trusted more than anything on this machine. */
  readonly recorded?: RecordedSymbols | undefined;
  /** Symbols given for single libraries, trusted more than all others. */
  readonly assigned?: readonly AssignedSymbols[] | undefined;
}

/** The functions of a library, mapped to the addresses of the process. */
export interface LoadedLibrary {
  readonly info: LibraryInfo;
  /** Undefined if nothing names the library. */
  readonly symbols: MappedSymbols | undefined;
  /** Where its builtins are described; undefined if nothing is known. */
  readonly builtins?: BuiltinSource | undefined;
}

/** Where V8's builtins in a library have no frame, or the file whose code says so. */
type BuiltinSource =
  | { readonly kind: "saved"; readonly frames: FramesByBuiltin }
  | ({ readonly kind: "file" } & BuiltinLibrary);

/** What is known about the file of some symbols. */
interface SymbolFile {
  readonly segments: readonly Segment[];
  readonly buildId: string | undefined;
}

/** A symbol table, mapped to the addresses of the process by the program headers of its file. */
export class MappedSymbols {
  readonly table: SymbolTable;
  readonly segments: readonly Segment[];
  /** Lower-case hex; undefined if the file has none. */
  readonly buildId: string | undefined;
  /** Whether names are mangled. */
  readonly isMangled: boolean;
  readonly #base: Address;

  /** `base` is the address at which file offset 0 is mapped, or would be. */
  constructor(table: SymbolTable, file: SymbolFile, base: Address, isMangled: boolean) {
    this.table = table;
    this.segments = file.segments;
    this.buildId = file.buildId;
    this.isMangled = isMangled;
    this.#base = base;
  }

  /** Returns the index of the function that contains an address of the process, or -1. */
  find(address: Address): number {
    const link = toLinkAddress(this.segments, address - this.#base);
    return link === undefined ? -1 : findSymbol(this.table, link);
  }

  /**
   * Returns the addresses of the process around one that {@link find} finds the same function at, as far as
   * they are next to each other; undefined if it finds none.
   */
  rangeOf(address: Address): { readonly start: Address; readonly end: Address } | undefined {
    const offset = address - this.#base;
    const link = toLinkAddress(this.segments, offset);
    const index = link === undefined ? -1 : findSymbol(this.table, link);
    if (link === undefined || index < 0) return undefined;
    const { starts, ends, length } = this.table;
    const nested = index + 1 < length ? starts[index + 1]! : Number.POSITIVE_INFINITY;
    const slide = address - link;
    const start = starts[index]! + slide;
    const end = Math.min(ends[index]!, nested) + slide;
    return this.#isInOneSegment(start, end) ? { start, end } : undefined;
  }

  #isInOneSegment(start: Address, end: Address): boolean {
    const [from, to] = [start - this.#base, end - this.#base];
    const first = this.segments.find(({ fileOffset, size }) => from < fileOffset + size && fileOffset < to);
    return first !== undefined && first.fileOffset <= from && to <= first.fileOffset + first.size;
  }

  /**
   * Returns the start of the function that contains an address of the process; the address itself if there is
   * none.
   */
  startOf(address: Address): Address {
    const index = this.find(address);
    return index < 0 ? address : (this.toAddress(this.table.starts[index]!) ?? address);
  }

  /** Returns whether code of the library lies in `[start, end)` of the process. */
  overlaps(start: Address, end: Address): boolean {
    return this.segments.some(({ fileOffset, size }) => {
      const from = this.#base + fileOffset;
      return start < from + size && from < end;
    });
  }

  /** Returns the link address of an address in the process; undefined outside the executable segments. */
  toLink(address: Address): LinkAddress | undefined {
    return toLinkAddress(this.segments, address - this.#base);
  }

  /** Returns the address in the process of a link address; undefined outside the executable segments. */
  toAddress(link: LinkAddress): Address | undefined {
    for (const { linkAddress, fileOffset, size } of this.segments) {
      const into = link - linkAddress;
      if (into >= 0 && into < size) return this.#base + fileOffset + into;
    }
    return undefined;
  }
}

/**
 * Finds the functions of a library: in the symbols given for it, else in those saved beside the log, else in
 * its file on this machine.
 */
export async function loadLibrary(library: Library, options: LoadOptions): Promise<LoadedLibrary> {
  const { path } = library;
  const assigned = findAssigned(options.assigned ?? [], path);
  if (assigned !== undefined && "functions" in assigned) {
    return loadAssigned(library, assigned.functions, options);
  }
  const recorded = options.recorded?.get(path);
  const savedId = recorded?.buildId;
  if (assigned !== undefined) return loadFile(library, { ...options, file: assigned.binary }, savedId);
  // Its file had no functions, only an id, by which one with functions is known.
  const isIdAlone = savedId !== undefined && recorded?.table.length === 0;
  if (isIdAlone) return loadFile(library, options, savedId);
  if (recorded !== undefined) {
    const { segments, table, builtins: frames } = recorded;
    const platform = options.platform ?? platformOf([library]);
    // Those without a build id may be made by hand, with other segments.
    const isFromFile = platform === "linux" && recorded.buildId !== undefined;
    if (isFromFile && !options.forceSymbols && !isMappingOf(segments, library)) {
      return unnamedLibrary(path, { kind: "other-code", buildId: recorded.buildId }, recorded.buildId);
    }
    const base = baseOf(library, segments);
    const symbols = new MappedSymbols(table, recorded, base, false);
    return { ...namedLibrary(path, "recorded", symbols), builtins: frames && { kind: "saved", frames } };
  }
  return loadFile(library, options);
}

const OTHER_FILE: ReadonlySet<LibraryProblem["kind"]> = new Set([
  "other-v8",
  "other-build",
  "other-code",
  "other-id",
]);

/** Returns whether a problem is that the file on this machine is not the one of the log. */
export function isOtherFile(problem: LibraryProblem | undefined): boolean {
  return problem !== undefined && OTHER_FILE.has(problem.kind);
}

/** Reads the functions of a library from its file on this machine, if that has the build id that was saved, if any. */
async function loadFile(library: Library, options: LoadOptions, savedId?: string): Promise<LoadedLibrary> {
  const { path } = library;
  const located = await locateLibrary(library, options);
  if ("problem" in located) return unnamedLibrary(path, located.problem, savedId);
  const { buildId, format } = located.binary;
  if (savedId !== undefined && buildId !== savedId && !options.forceSymbols)
    return unnamedLibrary(path, { kind: "other-id", buildId }, savedId);
  const other = codeProblem(located, options);
  // Of an ELF file the version of its V8 may say more.
  if (other !== undefined && format !== "elf") return unnamedLibrary(path, other, buildId);
  let problem: LibraryProblem = { kind: "no-symbols" };
  for (const source of options.sources) {
    const loaded = await (options.cache?.load(located, source) ?? source.load(located));
    if ("kind" in loaded) {
      if (loaded.kind !== "no-symbols") problem = loaded;
      continue;
    }
    const foreign = versionProblem(located, { table: loaded, source }, options);
    const wrong = foreign ?? other;
    if (wrong !== undefined) return unnamedLibrary(path, wrong, buildId);
    const symbols = new MappedSymbols(loaded, located.binary, located.base, source.isMangled);
    const builtins = { kind: "file", library: located, cache: options.cache } as const;
    return { ...namedLibrary(path, source.name, symbols), builtins };
  }
  return unnamedLibrary(path, other ?? problem, buildId);
}

function namedLibrary(path: string, source: string, symbols: MappedSymbols): LoadedLibrary {
  const { buildId, table } = symbols;
  return { info: { path, buildId, source, symbols: table.length, problem: undefined }, symbols };
}

function unnamedLibrary(
  path: string,
  problem: LibraryProblem | undefined,
  buildId: string | undefined,
): LoadedLibrary {
  return { info: { path, buildId, source: undefined, symbols: 0, problem }, symbols: undefined };
}

/** Maps symbols that were given for a library, using its file if that is on this machine. */
async function loadAssigned(
  library: Library,
  functions: SavedFunctions,
  options: LoadOptions,
): Promise<LoadedLibrary> {
  const located = await locateLibrary(library, options);
  const mapped = functions.mapTo(library, "problem" in located ? undefined : located.binary);
  const { table, segments, buildId, isMangled } = mapped;
  const symbols = new MappedSymbols(table, mapped, baseOf(library, segments), isMangled);
  const isInside = table.starts.some((start) => symbols.toAddress(start) !== undefined);
  const { path } = library;
  return isInside
    ? namedLibrary(path, functions.source, symbols)
    : unnamedLibrary(path, { kind: "elsewhere" }, buildId);
}

export interface LocateOptions {
  /** A folder to search for libraries: first as a root file system, then by base name. */
  readonly target?: string | undefined;
  /** The path of the library on this machine, if the user said. Default: that in the log. */
  readonly file?: string | undefined;
  /** The library to read for one whose path ends in `.apk`. */
  readonly apkEmbeddedLibrary?: string | undefined;
  /** The system of the log. Default: what the library alone shows. */
  readonly platform?: LogPlatform | undefined;
  /** The system of this machine, in Node's words. Default: `process.platform`. */
  readonly host?: NodeJS.Platform | undefined;
}

/** Why a library has no file; the problem is undefined if it does not need one. */
interface NotLocated {
  readonly problem: LibraryProblem | undefined;
}

const PAGE = 4096;
/** `[vdso]` and the like, and anonymous mappings, which V8 up to Node 4 names by their range. */
const NO_FILE = /^(?:\[.*\]|[0-9a-f]+-[0-9a-f]+)$/;

/**
 * Finds the file of a library on this machine. Since the path comes from a log, it opens only regular files,
 * and none at a path of another system. Files of another system may be in the `target` folder.
 */
export async function locateLibrary(
  library: Library,
  options: LocateOptions,
): Promise<LibraryFile | NotLocated> {
  if (NO_FILE.test(library.path)) return { problem: undefined };
  const platform = options.platform ?? platformOf([library]);
  const foreign = foreignSystem(platform, options.host ?? process.platform);
  if (foreign !== undefined && !isElsewhere(library.path, options)) {
    return { problem: { kind: "other-system", system: foreign } };
  }
  const isPlaced = isAbsolute(library.path) || isWindowsPath(library.path) || options.file !== undefined;
  if (!isPlaced) return { problem: { kind: "not-absolute" } };
  const candidates = candidatesOf(library.path, options);
  const problems = candidates.map(problemOf);
  const file = candidates[problems.indexOf(undefined)];
  if (file === undefined) {
    return { problem: problems.find((problem) => problem?.kind !== "not-found") ?? { kind: "not-found" } };
  }
  const binary = await readBinary(file, { platform, size: library.end - library.start });
  if ("kind" in binary) return { problem: binary };
  return { ...library, file, binary, base: mappingOf(library, binary) };
}

/** Returns why a path cannot be opened; undefined for a regular file. */
function problemOf(path: string): LibraryProblem | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "not-found" };
    return stats.isFile() ? undefined : { kind: "not-a-regular-file" };
  } catch (error) {
    return { kind: "not-readable", code: (error as NodeJS.ErrnoException).code ?? "unknown error" };
  }
}

/** Returns whether the user said where the library is. */
function isElsewhere(path: string, { target, file, apkEmbeddedLibrary }: LocateOptions): boolean {
  return (
    target !== undefined || file !== undefined || (apkEmbeddedLibrary !== undefined && path.endsWith(".apk"))
  );
}

function candidatesOf(path: string, options: LocateOptions): string[] {
  const { target, apkEmbeddedLibrary } = options;
  if (options.file !== undefined) return [options.file];
  const file = apkEmbeddedLibrary !== undefined && path.endsWith(".apk") ? apkEmbeddedLibrary : path;
  if (target === undefined) return [file];
  if (!isWindowsPath(file)) return [join(target, file), join(target, basename(file))];
  // Without a drive, or a server and its share.
  const { root, base } = win32.parse(win32.normalize(file));
  const inside = win32.normalize(file).slice(root.length).replaceAll("\\", "/");
  return [join(target, inside), join(target, base)];
}

/** Returns where offset 0 of the segments of a library's file is mapped. */
function mappingOf(library: Library, { format, segments }: BinaryFile): Address {
  return format === "elf" ? baseOf(library, segments) : library.start;
}

/**
 * Returns the address at which file offset 0 is mapped. Node 10 and later log exactly that. Older versions
 * log where the executable segment is, which shows in a range no longer than that segment.
 *
 * Source: V8, src/base/platform/platform-linux.cc, `GetSharedLibraryAddresses`.
 */
function baseOf({ start, end }: Library, segments: readonly Segment[]): Address {
  const length = end - start;
  for (const { fileOffset, size } of segments) {
    const mapped = Math.ceil(((fileOffset % PAGE) + size) / PAGE) * PAGE;
    if (fileOffset >= PAGE && Math.abs(length - mapped) <= PAGE && length < fileOffset + size) {
      return start - Math.floor(fileOffset / PAGE) * PAGE;
    }
  }
  return start;
}
