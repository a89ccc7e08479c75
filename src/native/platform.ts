import type { LogPlatform } from "../profile/library-problem.js";
import type { Library } from "./symbol-source.js";

const WINDOWS_PATH = /^[A-Za-z]:[\\/]|^\\\\/;
/** Paths that only the Linux kernel maps, and the loaders of its C libraries. */
const LINUX_PATH = /^\[v(?:dso|syscall)\]$|^linux-(?:gate|vdso)\.so|\/ld-(?:linux|musl)[^/]*$/;
const MACOS_PATH = /^\/usr\/lib\/dyld$|^\/System\/|\.dylib$/;
const SHARED_OBJECT = /\.so(?:\.[\d.]+)?$/;

export function isWindowsPath(path: string): boolean {
  return WINDOWS_PATH.test(path);
}

/** V8's words for systems, in its row `v8-platform`. */
const SYSTEMS: ReadonlyMap<string, LogPlatform> = new Map([
  ["windows", "windows"],
  ["macos", "macos"],
  ["linux", "linux"],
  ["android", "linux"],
]);

/** A process maps no more files; a log that is asked again and again while it grows may have any number. */
const MOST_LIBRARIES = 1 << 12;

/**
 * Returns the system of a log: the one that it states in V8's words, else judged by its libraries, whose paths on
 * macOS and Linux can look alike.
 */
export function platformOf(all: readonly Library[], system?: string): LogPlatform {
  const stated = SYSTEMS.get(system ?? "");
  if (stated !== undefined) return stated;
  const libraries = all.slice(0, MOST_LIBRARIES);
  const hasPath = (pattern: RegExp) => libraries.some(({ path }) => pattern.test(path));
  if (hasPath(WINDOWS_PATH)) return "windows";
  if (libraries.some(({ slide }) => slide !== 0)) return "macos";
  if (hasPath(LINUX_PATH)) return "linux";
  if (hasPath(MACOS_PATH)) return "macos";
  return hasPath(SHARED_OBJECT) ? "linux" : "unknown";
}

/** Returns the system of a log if a machine of system `host` cannot have its files; undefined if it can. */
export function foreignSystem(platform: LogPlatform, host: NodeJS.Platform): LogPlatform | undefined {
  const isForeign =
    host === "win32"
      ? platform !== "windows"
      : host === "darwin"
        ? platform === "windows" || platform === "linux"
        : platform === "windows" || platform === "macos";
  return isForeign ? platform : undefined;
}
