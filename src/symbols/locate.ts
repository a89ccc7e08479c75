import { statSync } from "node:fs";
import { basename, isAbsolute, join, win32 } from "node:path";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";
import type { Address } from "../profile/units.js";
import { readBinary } from "./binary.js";
import type { BinaryFile, Segment } from "./binary-file.js";
import { foreignSystem, isWindowsPath, platformOf } from "./platform.js";
import type { Library, LibraryFile } from "./symbol-source.js";

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
export interface NotLocated {
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
