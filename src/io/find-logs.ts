import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { TicksError } from "../errors.js";
import { openLog } from "./input.js";

/** A log found in a folder. */
export interface FoundLog {
  readonly path: string;
  /** Uncompressed. */
  readonly bytes: number;
  /** Undefined where it cannot be read to its end. */
  readonly ticks: number | undefined;
}

/**
 * What logs are called: `isolate-0x…-v8.log`, with a PID before or after `v8` in later versions and clusters, `v8.log`,
 * what `--logfile` makes of them, and all of these with something before the word, as of the machine they are from.
 */
const LOG_WORD = /(?:^|[-_.])(?:isolate|v8)(?:[-_.]|$)/i;
const LOG_END = /\.log(?:\.gz|\.zst)?$/i;
const COMPRESSED = /\.(?:gz|zst)$/i;
const TICK = Buffer.from("\ntick,");

/**
 * The paths of the logs in a folder, not in those inside it, by name. Of a log and its compressed copy only the log.
 * Throws a {@link TicksError} where the folder may not be read.
 */
export function logsIn(folder: string): string[] {
  const names = readNames(folder).filter(isLogName);
  const all = new Set(names);
  const isCopy = (name: string) => COMPRESSED.test(name) && all.has(name.replace(COMPRESSED, ""));
  return names
    .filter((name) => !isCopy(name))
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statsOf(path)?.isFile());
}

/** The paths of the logs in a folder, newest first. */
export function findLogs(folder: string): string[] {
  return logsIn(folder)
    .map((path) => ({ path, changed: statsOf(path)?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** Whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

/** How large a log is, and how many ticks it has. */
export async function describeLog(path: string): Promise<FoundLog> {
  let bytes = 0;
  let ticks = 0;
  // The end of the chunk before, for a tick row that begins in it.
  let before: Uint8Array = Buffer.from("\n");
  try {
    for await (const chunk of openLog(path)) {
      const text = Buffer.concat([before, chunk]);
      for (let at = text.indexOf(TICK); at >= 0; at = text.indexOf(TICK, at + TICK.length)) ticks++;
      before = text.subarray(Math.max(0, text.length - TICK.length + 1));
      bytes += chunk.length;
    }
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    return { path, bytes, ticks: undefined };
  }
  return { path, bytes, ticks };
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A link to itself, a path through a file: reading it tells why.
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_READABLE", `${folder}: the folder cannot be read (${code})`);
  }
}

function isLogName(name: string): boolean {
  const end = LOG_END.exec(name)?.index;
  return end !== undefined && LOG_WORD.test(name.slice(0, end));
}
