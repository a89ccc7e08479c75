import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { TicksError } from "../errors.js";
import { openLog } from "./input.js";

/** A log found in a folder. */
export interface FoundLog {
  readonly path: string;
  /** Uncompressed size. */
  readonly bytes: number;
  /** Undefined if the log cannot be read to its end. */
  readonly ticks: number | undefined;
}

/**
 * Matches the names of logs: `isolate-0x…-v8.log`, with a PID before or after `v8` in later versions and
 * clusters, `v8.log`, the names that `--logfile` makes of them, and any of these after a prefix such as a
 * machine's name.
 */
const LOG_WORD = /(?:^|[-_.])(?:isolate|v8)(?:[-_.]|$)/i;
const LOG_END = /\.log(?:\.gz|\.zst)?$/i;
const COMPRESSED = /\.(?:gz|zst)$/i;
const TICK = Buffer.from("\ntick,");

/**
 * Returns the paths of the logs in a folder, not in its subfolders, sorted by name. Skips the compressed copy
 * of a log. Throws a {@link TicksError} if the folder cannot be read.
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

/** Returns the paths of the logs in a folder, newest first. */
export function findLogs(folder: string): string[] {
  return logsIn(folder)
    .map((path) => ({ path, changed: statsOf(path)?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** Returns whether a path is a folder. */
export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

/** Reads the size of a log and counts its ticks. */
export async function describeLog(path: string): Promise<FoundLog> {
  let bytes = 0;
  let ticks = 0;
  // The end of the previous chunk, in which a tick row may begin.
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
    return undefined; // For example a link to itself, or a path through a file; reading it reports why.
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_READABLE", `${folder}: cannot read the folder (${code})`);
  }
}

function isLogName(name: string): boolean {
  const end = LOG_END.exec(name)?.index;
  return end !== undefined && LOG_WORD.test(name.slice(0, end));
}
