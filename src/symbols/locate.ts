import { statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";
import type { Address } from "../profile/units.js";
import { readElfFile, type Segment } from "./elf/file.js";
import { foreignSystem, platformOf } from "./platform.js";
import type { Library, LibraryFile } from "./symbol-source.js";

export interface LocateOptions {
  /** A folder to look for libraries in: as a root file system first, then by their base names. */
  readonly target?: string | undefined;
  /** The library to read for one whose path ends in `.apk`. */
  readonly apkEmbeddedLibrary?: string | undefined;
  /** The system that the log is from. Default: what the library alone tells. */
  readonly platform?: LogPlatform | undefined;
  /** The system of this machine, as Node calls it. Default: what Node says. */
  readonly host?: NodeJS.Platform | undefined;
}

/** Why a library has no names; undefined where it is no file and needs none. */
export interface NotLocated {
  readonly problem: LibraryProblem | undefined;
}

const PAGE = 4096;
/** `[vdso]` and its like, and anonymous maps, which V8 to Node 4 names by their range. */
const NO_FILE = /^(?:\[.*\]|[0-9a-f]+-[0-9a-f]+)$/;

/**
 * Finds the file of a library on this machine. The path comes from a log: only a regular file is opened, and none at
 * a path of another system. ELF files of another system can be in the folder of `target`.
 */
export function locateLibrary(library: Library, options: LocateOptions): LibraryFile | NotLocated {
  if (NO_FILE.test(library.path)) return { problem: undefined };
  const platform = options.platform ?? platformOf([library]);
  const foreign = foreignSystem(platform, options.host ?? process.platform);
  const hasElf = platform === "linux" || platform === "unknown";
  if (foreign !== undefined && !(hasElf && isElsewhere(library.path, options))) {
    return { problem: { kind: "other-system", system: foreign } };
  }
  if (!isAbsolute(library.path)) return { problem: { kind: "not-absolute" } };
  const candidates = candidatesOf(library.path, options);
  const problems = candidates.map(problemOf);
  const file = candidates[problems.indexOf(undefined)];
  if (file === undefined) {
    return { problem: problems.find((problem) => problem?.kind !== "not-found") ?? { kind: "not-found" } };
  }
  const elf = readElfFile(file);
  if (elf === undefined) return { problem: { kind: "not-elf" } };
  return { ...library, file, elf, base: baseOf(library, elf.segments) };
}

/** Why a path is none to open; undefined for that of a regular file. */
function problemOf(path: string): LibraryProblem | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "not-found" };
    return stats.isFile() ? undefined : { kind: "not-a-regular-file" };
  } catch (error) {
    return { kind: "not-readable", code: (error as NodeJS.ErrnoException).code ?? "unknown error" };
  }
}

/** Whether the user says where the library is. */
function isElsewhere(path: string, { target, apkEmbeddedLibrary }: LocateOptions): boolean {
  return target !== undefined || (apkEmbeddedLibrary !== undefined && path.endsWith(".apk"));
}

function candidatesOf(path: string, { target, apkEmbeddedLibrary }: LocateOptions): string[] {
  const file = apkEmbeddedLibrary !== undefined && path.endsWith(".apk") ? apkEmbeddedLibrary : path;
  return target === undefined ? [file] : [join(target, file), join(target, basename(file))];
}

/**
 * Where file offset 0 is mapped. Logs of Node 10 and later say just that; older ones say where the executable
 * segment is, which shows in a range that is as long as that segment and no longer.
 *
 * Source: V8, src/base/platform/platform-linux.cc, `GetSharedLibraryAddresses`.
 */
export function baseOf({ start, end }: Library, segments: readonly Segment[]): Address {
  const length = end - start;
  for (const { fileOffset, size } of segments) {
    const mapped = Math.ceil(((fileOffset % PAGE) + size) / PAGE) * PAGE;
    if (fileOffset >= PAGE && Math.abs(length - mapped) <= PAGE && length < fileOffset + size) {
      return start - Math.floor(fileOffset / PAGE) * PAGE;
    }
  }
  return start;
}
