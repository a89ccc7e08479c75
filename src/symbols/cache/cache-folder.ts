import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** What is asked of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  home(): string;
}

/**
 * The folder in which this user's programs keep what they can make again, and in it that of what is learned from
 * binaries; undefined where the machine has no such folder. It need not be there yet.
 *
 * Source: XDG Base Directory Specification, "Environment variables": a relative path is none.
 */
export function defaultCacheFolder(
  machine: Machine = { platform: process.platform, env: process.env, home: homedir },
): string | undefined {
  const base = baseFolder(machine);
  return base !== undefined && isAbsolute(base) ? join(base, "ticks", "symbols-1") : undefined;
}

function baseFolder({ platform, env, home }: Machine): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  const stated = env.XDG_CACHE_HOME;
  if (platform !== "darwin" && stated !== undefined && isAbsolute(stated)) return stated;
  try {
    return platform === "darwin" ? join(home(), "Library", "Caches") : join(home(), ".cache");
  } catch {
    return undefined; // A user whom the system does not know has no home.
  }
}
