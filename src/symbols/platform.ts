import type { LogPlatform } from "../profile/library-problem.js";
import type { Library } from "./symbol-source.js";

const WINDOWS_PATH = /^[A-Za-z]:[\\/]|^\\\\/;
/** What only the kernel of Linux maps, and the loaders of its C libraries. */
const LINUX_PATH = /^\[v(?:dso|syscall)\]$|^linux-(?:gate|vdso)\.so|\/ld-(?:linux|musl)[^/]*$/;
const MACOS_PATH = /^\/usr\/lib\/dyld$|^\/System\/|\.dylib$/;
const SHARED_OBJECT = /\.so(?:\.[\d.]+)?$/;

/** Whether a path of a log is one of Windows. */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_PATH.test(path);
}

/** The system that the libraries of a log are of. Paths of macOS and of Linux can look alike. */
export function platformOf(libraries: readonly Library[]): LogPlatform {
  const hasPath = (pattern: RegExp) => libraries.some(({ path }) => pattern.test(path));
  if (hasPath(WINDOWS_PATH)) return "windows";
  if (libraries.some(({ slide }) => slide !== 0)) return "macos";
  if (hasPath(LINUX_PATH)) return "linux";
  if (hasPath(MACOS_PATH)) return "macos";
  return hasPath(SHARED_OBJECT) ? "linux" : "unknown";
}

/**
 * The system that a log is from when a machine of system `host` cannot have its files; undefined when it may have
 * them.
 */
export function foreignSystem(platform: LogPlatform, host: NodeJS.Platform): LogPlatform | undefined {
  const isForeign =
    host === "win32"
      ? platform !== "windows"
      : host === "darwin"
        ? platform === "windows" || platform === "linux"
        : platform === "windows" || platform === "macos";
  return isForeign ? platform : undefined;
}
