import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { TicksError, tried } from "../base/errors.js";
import { compareTexts } from "../base/sorted.js";
import { openLog } from "./input.js";
import { isRegularFile } from "./regular-file.js";

interface FoundLog {
  readonly path: string;
  /** Uncompressed size. */
  readonly bytes: number;
  /** Undefined if the log cannot be read to its end. */
  readonly ticks: number | undefined;
}

/**
 * Matches the names of logs: `isolate-0x…-v8.log`, with a PID before or after `v8` in later versions and
 * clusters, `v8.log`, the names that `--logfile` makes of them, and any of these after a prefix such as a
 * machine's name. Those of Chrome end in `prof` or `.prof` too.
 */
const LOG_WORD = /(?:^|[-_.])(?:isolate|v8)(?:[-_.]|$)/i;
const LOG_END = /\.log(?:\.gz|\.zst|\.br)?$/i;
/** Match the names that people give the logs of Chrome: V8 puts the isolate before the name of `--logfile`. */
const CHROME_START = /^isolate-(?:0x)?[0-9a-f]+-/i;
const CHROME_END = /[-_.]prof(?:\.gz|\.zst|\.br)?$/i;
/** Matches the names of CPU profiles, which `node --cpu-prof` writes. */
const CPU_PROFILE_END = /\.cpuprofile(?:\.gz|\.zst|\.br)?$/i;
/** Matches the names of heap profiles, which `node --heap-prof` writes. */
const HEAP_PROFILE_END = /\.heapprofile(?:\.gz|\.zst|\.br)?$/i;
/** Matches the names of pprof profiles, which `ticks export` writes. */
const PPROF_END = /\.pb\.gz$/i;

/** Returns whether a path is that of a CPU profile, a heap profile or a pprof profile, by its name. */
export function isProfileName(path: string): boolean {
  return CPU_PROFILE_END.test(path) || isHeapProfileName(path) || PPROF_END.test(path);
}

export function isHeapProfileName(path: string): boolean {
  return HEAP_PROFILE_END.test(path);
}

const COMPRESSED = /\.(?:gz|zst|br)$/i;
const TICK = Buffer.from("\ntick,");

/**
 * Returns the paths of the logs in a folder, not in its subfolders, sorted by name; of a folder without logs its CPU profiles, and of
 * one without these its pprof profiles. Throws a {@link TicksError} if the folder cannot be read.
 */
export function allLogsIn(folder: string): string[] {
  const names = readNames(folder);
  return filesOf(folder, KINDS.map((isOne) => names.filter(isOne)).find((found) => found.length > 0) ?? []);
}

/** Returns the paths of the regular files among names of a folder, sorted. */
function filesOf(folder: string, names: readonly string[]): string[] {
  return names
    .toSorted()
    .map((name) => join(folder, name))
    .filter(isRegularFile);
}

const KINDS: readonly ((name: string) => boolean)[] = [
  isLogName,
  (name) => CPU_PROFILE_END.test(name),
  isHeapProfileName,
  (name) => PPROF_END.test(name),
];

/** Returns the paths of the heap profiles in a folder, sorted by name; if it has none, those of {@link allLogsIn}. */
export function memoryIn(folder: string): string[] {
  const found = allLogsIn(folder);
  const beside = profilesLeftOut(folder).filter(isHeapProfileName);
  return beside.length > 0 ? beside.map((name) => join(folder, name)) : found;
}

/** Returns the names, sorted, of the profiles of a folder that {@link allLogsIn} leaves out, since it has logs, or CPU profiles beside others. */
export function profilesLeftOut(folder: string): string[] {
  const names = readNames(folder).sort();
  const read = KINDS.findIndex((isOne) => names.some(isOne));
  return names.filter(
    (name) => KINDS.slice(read + 1).some((isOne) => isOne(name)) && isRegularFile(join(folder, name)),
  );
}

/** Returns whether a name is that of a trace: `Trace-20261128T134242.json.gz` of DevTools, `node_trace.1.log` of Node. */
function isTraceName(name: string): boolean {
  return (
    (/trace/i.test(name) && /\.json(?:\.gz)?$/i.test(name)) ||
    name === "events.json" || // webpack's ProfilingPlugin.
    /\.trace$/i.test(name) ||
    (/^node_trace\./i.test(name) && /\.log$/i.test(name))
  );
}

/** Returns the paths in a folder that are traces by their names, sorted: they are read only if they are named. */
export function tracesIn(folder: string): string[] {
  return filesOf(folder, readNames(folder).filter(isTraceName));
}

/** Returns the paths of all files in a folder that can be read by their names: logs, profiles and traces, sorted. */
export function allFilesIn(folder: string): string[] {
  const isReadable = (name: string) => isTraceName(name) || KINDS.some((isOne) => isOne(name));
  return filesOf(folder, readNames(folder).filter(isReadable));
}

/** Returns what {@link allLogsIn} does, without the compressed log beside one of the same name. */
export function logsIn(folder: string): string[] {
  const paths = allLogsIn(folder);
  const all = new Set(paths);
  return paths.filter((path) => !COMPRESSED.test(path) || !all.has(path.replace(COMPRESSED, "")));
}

/** Whether an argument is a pattern, with * or ?, and not the name of a file. */
function isPattern(arg: string): boolean {
  return /[*?]/.test(arg) && statsOf(arg) === undefined;
}

/**
 * Replaces each pattern, with * for any characters and ? for one, by the logs that match it, sorted by name:
 * the shells of Windows pass patterns on as they are. One that matches none stays.
 */
export function expandPatterns(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const found = isPattern(arg) ? logsMatching(arg) : [];
    return found.length > 0 ? found : [arg];
  });
}

const SEPARATOR = process.platform === "win32" ? /[/\\]/ : /\//;

/** Returns the logs whose paths match a pattern. */
function logsMatching(pattern: string): string[] {
  const parts = pattern.split(SEPARATOR);
  const last = parts.pop()!;
  let folders = [""];
  for (const part of parts) {
    folders = folders.flatMap((folder) => {
      if (!/[*?]/.test(part)) return [`${folder}${part}/`];
      return namesIn(folder, part)
        .map((name) => `${folder}${name}/`)
        .filter(isFolder);
    });
  }
  return folders.flatMap((folder) =>
    namesIn(folder, last)
      .filter((name) => LOG_END.test(name) || isLogName(name) || isProfileName(name))
      .map((name) => `${folder}${name}`)
      .filter((path) => statsOf(path)?.isFile()),
  );
}

/** Returns the names in a folder that match a pattern, sorted; none if it cannot be read. */
function namesIn(folder: string, pattern: string): string[] {
  const fold = (name: string) => (process.platform === "win32" ? name.toLowerCase() : name);
  const mayBeHidden = pattern.startsWith(".");
  const all = tried(() => readdirSync(folder === "" ? "." : folder)) ?? [];
  return all
    .filter((name) => mayBeHidden || !name.startsWith("."))
    .filter((name) => matches(fold(name), fold(pattern)))
    .sort();
}

/** Returns whether a name matches a pattern. The last * takes as much more as it must, which is enough. */
function matches(name: string, pattern: string): boolean {
  let [at, next, star, mark] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[next] === "*") [star, mark] = [next++, at];
    else if (pattern[next] === "?" || pattern[next] === name[at]) [at, next] = [at + 1, next + 1];
    else if (star >= 0) [at, next] = [++mark, star + 1];
    else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}

/** Sorts logs, newest first. */
export function newestFirst(paths: readonly string[]): string[] {
  return paths
    .map((path) => ({ path, changed: statsOf(path)?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changed - a.changed || compareTexts(a.path, b.path))
    .map(({ path }) => path);
}

interface LogFolder {
  readonly path: string;
  readonly logs: number;
}

/** More subfolders than this are not looked into. */
const SUBFOLDERS_LIMIT = 1000;

/**
 * Returns the folders in a folder that have logs, sorted by name: at most of the first 1,000. Links to folders
 * are not followed, and folders that cannot be read are skipped.
 */
export function logFoldersIn(folder: string): LogFolder[] {
  const folders = readNames(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
  return folders.slice(0, SUBFOLDERS_LIMIT).flatMap((path) => {
    try {
      const logs = logsIn(path).length;
      return logs === 0 ? [] : [{ path, logs }];
    } catch (error) {
      if (error instanceof TicksError) return [];
      throw error;
    }
  });
}

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
    for await (const chunk of openLog(path, { isFound: true })) {
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
  // It may be a link to itself, or a path through a file: reading it reports why.
  return tried(() => statSync(path, { throwIfNoEntry: false }));
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
  if (CHROME_START.test(name) && CHROME_END.test(name)) return true;
  const end = LOG_END.exec(name)?.index;
  return end !== undefined && LOG_WORD.test(name.slice(0, end));
}
