import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { badOption, recordHint, TicksError } from "../base/errors.js";
import { sized } from "../base/text.js";
import { printable } from "../facts/label.js";
import {
  allLogsIn,
  describeLog,
  isFolder,
  isHeapProfileName,
  isProfileName,
  logFoldersIn,
  logsIn,
  memoryIn,
  newestFirst,
  profilesLeftOut,
  tracesIn,
} from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import { type LogRun, runsOf } from "../io/log-origin.js";
import { joinTitles } from "../profile/titles.js";
import { isRecording, runFoldersIn, sidesIn } from "../record/recording-file.js";
import { plainly } from "../render/spoken.js";
import { READ_MEMORY, shellCommand } from "../reports/words.js";
import { warn } from "./terminal.js";

/** A log to read. */
export interface GivenLog {
  /** A path, or `-`. */
  readonly path: string;
  /** The folder that the user named, as typed; undefined if the user named the log itself. */
  readonly folder: string | undefined;
  /** Whether a log of a folder was named itself too, so that it is an error if it cannot be read. */
  readonly isNamed?: boolean;
}

/**
 * Returns the logs that a command line names, in its order, those of a folder by name; or those of the current folder, if
 * they are of one run. Throws a {@link TicksError} for a folder without logs.
 */
export async function givenLogs(args: readonly string[]): Promise<readonly GivenLog[]> {
  return args.length > 0 ? args.flatMap((arg) => logsOf(arg, logsIn)) : logsHere();
}

/**
 * As {@link givenLogs}, but returns a log and its copies once, with a warning. `list` finds the logs of a folder;
 * default: all logs. `hasMemory`: whether {@link memoryBeside} is read, too.
 */
export async function countedLogs(
  args: readonly string[],
  list: (folder: string) => string[] = allLogsIn,
  hasMemory = false,
): Promise<readonly GivenLog[]> {
  return args.length > 0
    ? withoutCopies(args.flatMap((arg) => logsOf(arg, list, hasMemory)))
    : logsHere(list);
}

/** Returns the heap profiles that stand beside logs, or CPU profiles, in the folders that a command line names, or in the recording here. */
export function memoryBeside(args: readonly string[]): GivenLog[] {
  const folders = args.length > 0 ? args.filter(isFolder) : isRecording(".") ? ["."] : [];
  return folders.flatMap((folder) =>
    [folder, ...runFoldersIn(folder)].flatMap((one) =>
      profilesLeftOut(one)
        .filter(isHeapProfileName)
        .map((name) => ({ path: join(one, name), folder })),
    ),
  );
}

/** Returns the paths of {@link countedLogs}. */
export async function logsOrDefault(
  args: readonly string[],
  flags: SampleType = {},
): Promise<readonly string[]> {
  return (await countedLogs(args, listFor(flags))).map(({ path }) => path);
}

/** An option of commands that read logs. */
interface SampleType {
  readonly sampleType?: string | undefined;
}

/** What `--sample-type` calls bytes: in a folder that has logs too, they are those of its heap profiles. */
const BYTES = /^(?:alloc_|inuse_)?space$/;

/** Returns what finds the logs of a folder that options ask for. */
export function listFor({ sampleType = "" }: SampleType): (folder: string) => string[] {
  return BYTES.test(sampleType) ? memoryIn : allLogsIn;
}

/** How to read the profiles of a folder that are left out. */
function howToRead(folder: string, left: readonly string[]): string {
  if (!left.some(isHeapProfileName)) return "name files to read them";
  return `who allocates: ${shellCommand("ticks", [folder], READ_MEMORY)}`;
}

function logsOf(arg: string, list: (folder: string) => string[], hasMemory = false): GivenLog[] {
  if (!isFolder(arg)) return [{ path: arg, folder: undefined }];
  const logs = list(arg);
  if (logs.length > 0) {
    const left = (list === memoryIn ? [] : profilesLeftOut(arg)).filter(
      (name) => !hasMemory || !isHeapProfileName(name),
    );
    if (left.length > 0)
      warnOnce(
        `${printable(arg)}: ${left.length} ${left.length === 1 ? "profile is" : "profiles are"} left out beside ${printable(basename(logs[0]!))}: ${howToRead(arg, left)}`,
      );
    return logs.map((path) => ({ path, folder: arg }));
  }
  const runs = runFoldersIn(arg).flatMap(list);
  if (runs.length > 0) return runs.map((path) => ({ path, folder: arg }));
  throw (
    bothSides(arg) ??
    elsewhere(`no logs in ${printable(arg)}`, arg) ??
    onlyTraces(arg) ??
    new TicksError(
      "NO_LOG",
      `${printable(arg)}: no isolate*.log or v8*.log in this folder`,
      "Record logs with: ticks record -- node app.js. To read a log with another name, name the file.",
    )
  );
}

/** Returns the error for a recording of `--against` where one profile is wanted; undefined for another folder. */
function bothSides(folder: string): TicksError | undefined {
  const sides = sidesIn(folder);
  if (sides === undefined) return undefined;
  return new TicksError(
    "NO_LOG",
    `${printable(folder)} has the runs before and after a change`,
    (command) =>
      `To compare them: ${shellCommand("ticks diff", [folder])}. One side, such as: ${shellCommand(command, [sides[1]])}`,
  );
}

/** Returns the error for a folder without logs that has traces; undefined if it has none. */
function onlyTraces(folder: string): TicksError | undefined {
  const [first, ...others] = tracesIn(folder);
  if (first === undefined) return undefined;
  const also = others.length > 0 ? ` and ${others.length} more` : "";
  return new TicksError(
    "NO_LOG",
    `${printable(folder)}: no logs and no CPU profiles in this folder; ${printable(basename(first))}${also} may be a Chrome trace`,
    `Name it: ${shellCommand("ticks", ["top", first])}`,
  );
}

/** More folders than this are counted, not listed. */
const FOLDERS_LIMIT = 10;

/** Returns the error for a folder without logs that has folders with logs; undefined if it has none. */
function elsewhere(message: string, folder: string): TicksError | undefined {
  const folders = logFoldersIn(folder);
  const [first] = folders;
  if (first === undefined) return undefined;
  const listed = folders.slice(0, FOLDERS_LIMIT).map(({ path, logs }) => `${printable(path)} (${logs})`);
  const more = folders.length - listed.length;
  const list = `${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return new TicksError(
    "NO_LOG",
    `${message}; found in: ${list}`,
    (command) => `Name one or several of them, such as: ${shellCommand(command, [first.path])}`,
  );
}

/** More copies than this are counted, not listed. */
const COPIES_LIMIT = 5;
/** What has been said: a command may ask for its logs twice. */
const said = new Set<string>();

function warnOnce(text: string): void {
  if (!said.has(text)) warn(text);
  said.add(text);
}

/** Returns each log once, and warns of those that are given again. */
async function withoutCopies(given: readonly GivenLog[]): Promise<readonly GivenLog[]> {
  if (given.length === 1) return given;
  const { findCopies } = await import("../io/log-copies.js"); // Most runs read one log.
  const copies = await findCopies(given.map(({ path }) => path));
  for (const { copy, original, isSameFile } of copies.slice(0, COPIES_LIMIT)) {
    const [path, first] = [given[copy]!.path, given[original]!.path];
    if (path === first) warnOnce(`${printable(path)} is given twice: it counts once`);
    else if (isSameFile)
      warnOnce(`${printable(path)} is the same file as ${printable(first)}: it counts once`);
    else warnOnce(`${printable(path)} has the same log as ${printable(first)}: it counts once`);
  }
  const more = copies.length - COPIES_LIMIT;
  if (more > 0) warnOnce(`${more} more logs are given again: each counts once`);
  const left = new Set(copies.map(({ copy }) => copy));
  const named = new Set(
    copies.filter(({ copy }) => given[copy]!.folder === undefined).map(({ original }) => original),
  );
  return given
    .map((log, number) => (named.has(number) ? { ...log, isNamed: true } : log))
    .filter((_, number) => !left.has(number));
}

/** Returns the words that name logs, or the folder that has these logs and no others. */
export function wholeFolder(words: readonly string[]): readonly string[] {
  const [first = STDIN] = words;
  const folder = dirname(first);
  if (words.length < 2 || !words.every((word) => word !== STDIN && dirname(word) === folder)) return words;
  const all = new Set(allLogsIn(folder).map((path) => basename(path)));
  const named = new Set(words.map((word) => basename(word)));
  return all.size === named.size && Array.from(named).every((name) => all.has(name)) ? [folder] : words;
}

/** Returns the name of a log in reports. */
export function nameOfLog(path: string): string {
  return path === STDIN ? "stdin" : path;
}

/** Returns a function that names logs in titles: by their names without folders, if no two have one name. */
export function shortLogNames(given: readonly GivenLog[]): (path: string) => string {
  const names = new Set(given.map(({ path }) => basename(path)));
  return names.size < given.length ? nameOfLog : (path) => basename(nameOfLog(path));
}

/**
 * Returns a title for several logs: their names, and for a folder its name and how many of its logs are used. `nameOf` says what a
 * log is called; default: its path.
 */
export function titleOf(
  given: readonly GivenLog[],
  isUsed: (log: GivenLog) => boolean,
  nameOf = nameOfLog,
): string {
  const titles: string[] = [];
  for (let at = 0; at < given.length; ) {
    const { folder } = given[at]!;
    const end = folder === undefined ? at + 1 : endOfFolder(given, at);
    const all = given.slice(at, end);
    const used = all.filter(isUsed);
    at = end;
    if (used.length === 0) continue;
    const count = used.length === all.length ? `${all.length}` : `${used.length} of ${all.length}`;
    const what = areProfiles(all) ? "profiles" : "logs";
    titles.push(all.length === 1 ? nameOf(all[0]!.path) : `${folder} (${count} ${what})`);
  }
  return joinTitles(titles);
}

function endOfFolder(given: readonly GivenLog[], start: number): number {
  const { folder } = given[start]!;
  const end = given.findIndex((log, i) => i > start && log.folder !== folder);
  return end < 0 ? given.length : end;
}

/** Returns the logs of the current folder, if they are of one run; throws a list if there are several runs. */
async function logsHere(list: (folder: string) => string[] = allLogsIn): Promise<readonly GivenLog[]> {
  const found = list(".");
  if (found.length === 0) {
    throw (
      elsewhere("no log given, and no logs here", ".") ??
      onlyTraces(".") ??
      new TicksError("NO_LOG", "no log given, and no isolate*.log or v8*.log here", recordHint)
    );
  }
  const logs = await withoutCopies(found.map((path) => ({ path, folder: "." })));
  const [first, ...others] = logs;
  if (others.length === 0) {
    warnOnce(`processing ${printable(first!.path)}`);
    return [{ path: first!.path, folder: undefined }];
  }
  if (isRecording(".")) {
    warnOnce(`processing ${logs.length} logs of one recording`);
    return logs;
  }
  const runs = runsOf(newestFirst(logs.map(({ path }) => path)));
  if (runs.length > 1) throw await severalRuns(runs);
  const what = areProfiles(logs) ? "profiles" : "logs";
  warnOnce(`processing ${logs.length} ${what} of PID ${runs[0]!.pid} as one run`);
  return logs;
}

function areProfiles(files: readonly { readonly path: string }[]): boolean {
  return files.every(({ path }) => isProfileName(path));
}

/** Returns the error for several logs where an option takes one. */
export function onlyOneLog(option: string): TicksError {
  return badOption(`${option} takes one log`, "Run it once for each log.");
}

/** More logs than this are counted, not listed: each is read to count its ticks. */
const LISTED_LIMIT = 20;
/** A run with more logs than this is named by its PID. */
const NAMED_LIMIT = 3;

/** Returns the error for several runs in the current folder: their logs by run, and the command for the first run. */
async function severalRuns(runs: readonly LogRun[]): Promise<TicksError> {
  const logs = runs.flatMap((run) =>
    run.logs.map((path, i) => ({ path, pid: i === 0 ? run.pid : undefined })),
  );
  const hasTicks = !areProfiles(logs);
  const rows: string[][] = [];
  for (const log of logs.slice(0, LISTED_LIMIT)) {
    const { path, bytes, ticks } = await describeLog(log.path);
    const pid = log.pid === undefined ? "" : `PID ${log.pid}`;
    rows.push([pid, printable(path), plainly(sized(bytes), {}), ...(hasTicks ? [String(ticks ?? "?")] : [])]);
  }
  const columns = [
    { title: hasTicks ? "run" : "process" },
    { title: hasTicks ? "log" : "profile" },
    { title: "size", align: "right" },
    ...(hasTicks ? ([{ title: "ticks", align: "right" }] as const) : []),
  ] as const;
  const { table } = await import("../render/table.js");
  const list = table(columns, rows);
  const more = logs.length - rows.length;
  if (more > 0) list.push(`and ${more} more`);
  return new TicksError(
    "SEVERAL_LOGS",
    `several ${hasTicks ? "runs have logs" : "processes have profiles"} here, newest first:\n${list.map((line) => `  ${line}`).join("\n")}`,
    (command) => `The newest: ${commandOf(command, runs)}; all together: ${command} .`,
  );
}

/** Returns the command that processes the first run. */
function commandOf(command: string, [first, ...others]: readonly LogRun[]): string {
  const { pid, logs } = first!;
  const isPidUnique = pid !== undefined && others.every((run) => run.pid !== pid);
  return logs.length > NAMED_LIMIT && isPidUnique
    ? `${command} . --thread ${pid}`
    : shellCommand(command, logs);
}

/** The arguments of a command that takes logs and then a query. */
interface LogArguments {
  readonly logs: readonly string[];
  /** Undefined if there are only logs. */
  readonly query: string | undefined;
}

/**
 * Splits arguments into logs and a query. The last word is the query, unless it is the only one and names a
 * file.
 */
export function logArguments(words: readonly string[]): LogArguments {
  const last = words.at(-1);
  if (last === undefined) return { logs: [], query: undefined };
  if (words.length === 1 && (last === STDIN || existsSync(last))) return { logs: words, query: undefined };
  return { logs: words.slice(0, -1), query: last };
}
