import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** What is needed to know of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  home(): string;
}

/** What is cached, and the name of its folder. */
const FOLDERS = { symbols: "symbols-1", code: "code-1" } as const;

/**
 * Returns a folder for what is learned from binaries, or for the compiled code of the program, inside the user's cache folder;
 * undefined if the machine has none. It need not exist yet.
 *
 * Source: XDG Base Directory Specification, "Environment variables": relative paths are ignored.
 */
export function defaultCacheFolder(
  content: keyof typeof FOLDERS,
  machine: Machine = { platform: process.platform, env: process.env, home: homedir },
): string | undefined {
  const base = baseFolder(machine);
  return base !== undefined && isAbsolute(base) ? join(base, "ticks", FOLDERS[content]) : undefined;
}

function baseFolder({ platform, env, home }: Machine): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  const stated = env.XDG_CACHE_HOME;
  if (platform !== "darwin" && stated !== undefined && isAbsolute(stated)) return stated;
  try {
    return platform === "darwin" ? join(home(), "Library", "Caches") : join(home(), ".cache");
  } catch {
    return undefined; // A user unknown to the system has no home.
  }
}
