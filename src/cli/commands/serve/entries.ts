import { lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, join, relative } from "node:path";
import { tried } from "../../../base/errors.js";
import { compareTexts } from "../../../base/sorted.js";
import { allFilesIn, allLogsIn, isFolder, logFoldersIn } from "../../../io/find-logs.js";
import {
  commandText,
  isRecording,
  type RecordFacts,
  readRecordFile,
  runFoldersIn,
  sidesIn,
} from "../../../record/recording-file.js";
import { counted } from "../../../reports/words.js";

/** Something in the folder that has a page: a log, a profile, a folder of them, or a recording. */
export interface Entry {
  /** Its path from the folder that is served; `.` for that folder itself. Pages are asked by it. */
  readonly name: string;
  readonly path: string;
  /** What ran, or the name of the log. */
  readonly title: string;
  /** How many logs or runs it is of; empty for one log. */
  readonly size: string;
  readonly bytes: number;
  /** When it was recorded or last written, in milliseconds since 1970. */
  readonly time: number;
  /** The entry that `ticks record --against` compared it with. */
  readonly before?: Entry;
}

/** More entries than this are left out: the oldest. */
const MOST_ENTRIES = 1000;

/**
 * Returns what is in a folder and in the folders in it, newest first: recordings as one, with those of their runs; logs, profiles and
 * traces of the folder one by one, and those of a folder in it that are no part of its entry. Throws a {@link TicksError} if the folder cannot be read.
 */
export function entriesIn(folder: string): Entry[] {
  const isOne = isRecording(folder);
  const folders = isOne ? runFoldersIn(folder) : foldersIn(folder);
  const inside = isOne ? [] : subfoldersOf(folder);
  const compared = isOne ? [] : [folder, ...inside].flatMap((path) => sidesIn(path) ?? []);
  const files = isOne ? [] : [...allFilesIn(folder), ...inside.flatMap(filesBeside)];
  const entries = [
    ...(isOne || allLogsIn(folder).length > 1 ? [folderEntry(folder, folder)] : []),
    ...files.map((path) => logEntry(folder, path)),
    ...folders.filter((path) => !compared.includes(path)).map((path) => folderEntry(folder, path)),
    ...comparedEntries(folder, compared),
  ];
  return entries.sort((a, b) => b.time - a.time || compareTexts(a.name, b.name)).slice(0, MOST_ENTRIES);
}

/** Returns the folders that have logs, and recordings whose runs have them. */
function foldersIn(folder: string): string[] {
  const recordings = subfoldersOf(folder).filter(isRecording);
  return Array.from(new Set([...logFoldersIn(folder).map(({ path }) => path), ...recordings]));
}

/** Returns the files of a folder that are no part of its entry: traces, and profiles beside logs; none if it cannot be read. */
function filesBeside(folder: string): string[] {
  if (isRecording(folder)) return [];
  return (
    tried(() => {
      const logs = new Set(allLogsIn(folder));
      return allFilesIn(folder).filter((path) => !logs.has(path));
    }) ?? []
  );
}

/** Returns the entries of pairs of folders, before and after. */
function comparedEntries(folder: string, sides: readonly string[]): Entry[] {
  const entries = sides.map((path) => folderEntry(folder, path));
  return entries.map((entry, i) => (i % 2 === 0 ? entry : { ...entry, before: entries[i - 1]! }));
}

function subfoldersOf(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isOwnFolder);
}

/** Whether a path is a folder and no link to one. */
function isOwnFolder(path: string): boolean {
  return isFolder(path) && !lstatSync(path).isSymbolicLink();
}

function logEntry(folder: string, path: string): Entry {
  const stats = statsOf(path);
  const name = relative(folder, path);
  return { name, path, title: name, size: "", bytes: stats?.size ?? 0, time: stats?.mtimeMs ?? 0 };
}

function folderEntry(folder: string, path: string): Entry {
  const runs = runFoldersIn(path);
  const logs = (runs.length > 0 ? runs : [path]).flatMap(allLogsIn).map(statsOf);
  const facts = readRecordFile(path);
  const written = logs.reduce((last, log) => Math.max(last, log?.mtimeMs ?? 0), 0);
  return {
    name: relative(folder, path) || ".",
    path,
    title: facts === undefined ? basename(path) : titleOf(facts),
    size: runs.length > 0 ? counted(runs.length, "run") : counted(logs.length, "log"),
    bytes: logs.reduce((sum, log) => sum + (log?.size ?? 0), 0),
    time: facts?.start || written,
  };
}

function titleOf({ command, labels }: RecordFacts): string {
  const named = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [commandText(command), ...named].join(", ");
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
