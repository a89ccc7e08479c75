import { existsSync } from "node:fs";
import { TicksError } from "../errors.js";
import { describeLog, findLogs, isFolder, logsIn } from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import { joinTitles } from "../profile/merge.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** A log to read. */
export interface GivenLog {
  /** A path, or `-`. */
  readonly path: string;
  /** The folder that the user named, as typed; undefined if the user named the log itself. */
  readonly folder: string | undefined;
}

/**
 * Returns the logs that a command line names, in its order, those of a folder by name. Without arguments,
 * returns the only log in the current folder. Throws a {@link TicksError} for a folder without logs.
 */
export async function givenLogs(args: readonly string[]): Promise<readonly GivenLog[]> {
  if (args.length > 0) return args.flatMap(logsOf);
  return [{ path: await theOnlyLog(), folder: undefined }];
}

/** Returns the paths of {@link givenLogs}. */
export async function logsOrDefault(args: readonly string[]): Promise<readonly string[]> {
  return (await givenLogs(args)).map(({ path }) => path);
}

function logsOf(arg: string): GivenLog[] {
  if (!isFolder(arg)) return [{ path: arg, folder: undefined }];
  const logs = logsIn(arg);
  if (logs.length > 0) return logs.map((path) => ({ path, folder: arg }));
  throw new TicksError(
    "NO_LOG",
    `${printable(arg)}: no isolate*.log or v8*.log in this folder`,
    "Record logs with: node --prof app.js. Subfolders are not searched. To read a log with another name, name the file.",
  );
}

/** Returns the name of a log in reports. */
export function nameOfLog(path: string): string {
  return path === STDIN ? "stdin" : path;
}

/**
 * Returns a title for several logs: their names, and for a folder its name and how many of its logs are used.
 */
export function titleOf(given: readonly GivenLog[], isUsed: (log: GivenLog) => boolean): string {
  const titles: string[] = [];
  for (let at = 0; at < given.length; ) {
    const { folder } = given[at]!;
    const end = folder === undefined ? at + 1 : endOfFolder(given, at);
    const all = given.slice(at, end);
    const used = all.filter(isUsed);
    at = end;
    if (used.length === 0) continue;
    const count = used.length === all.length ? `${all.length}` : `${used.length} of ${all.length}`;
    titles.push(all.length === 1 ? nameOfLog(all[0]!.path) : `${folder} (${count} logs)`);
  }
  return joinTitles(titles);
}

function endOfFolder(given: readonly GivenLog[], start: number): number {
  const { folder } = given[start]!;
  const end = given.findIndex((log, i) => i > start && log.folder !== folder);
  return end < 0 ? given.length : end;
}

/**
 * Returns the only log in the current folder. Throws a {@link TicksError} that lists them if there are
 * several.
 */
async function theOnlyLog(): Promise<string> {
  const [log, ...others] = findLogs(".");
  if (log === undefined) {
    throw new TicksError(
      "NO_LOG",
      "no log given, and no isolate*.log or v8*.log in this folder",
      "Record one with: node --prof app.js",
    );
  }
  if (others.length === 0) {
    warn(`processing ${printable(log)}`);
    return log;
  }
  const rows: string[][] = [];
  for (const found of [log, ...others]) {
    const { path, bytes, ticks } = await describeLog(found);
    rows.push([printable(path), `${(bytes / 1e6).toFixed(1)} MB`, String(ticks ?? "?")]);
  }
  const { table } = await import("../reporters/layout/table.js"); // Only needed when no log was named.
  const list = table(
    [{ title: "log" }, { title: "size", align: "right" }, { title: "ticks", align: "right" }],
    rows,
  );
  throw new TicksError(
    "SEVERAL_LOGS",
    `no log given, and several logs in this folder, newest first:\n${list.map((line) => `  ${line}`).join("\n")}`,
    "Name the logs to read, or read all of them: ticks .",
  );
}

/** The arguments of a command that takes logs and then a query. */
export interface LogArguments {
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
