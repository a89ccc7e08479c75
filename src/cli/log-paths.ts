import { existsSync } from "node:fs";
import { TicksError } from "../errors.js";
import { describeLog, findLogs, isFolder, logsIn } from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import { joinTitles } from "../profile/merge.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** A log of the command line. */
export interface GivenLog {
  /** A path, or `-`. */
  readonly path: string;
  /** The folder that was named for it, as it was named; undefined for a log that was named itself. */
  readonly folder: string | undefined;
}

/**
 * The logs that a command line names, in its order, those of a folder by name; or the one log of the current folder.
 * Throws a {@link TicksError} for a folder without logs.
 */
export async function givenLogs(args: readonly string[]): Promise<readonly GivenLog[]> {
  if (args.length > 0) return args.flatMap(logsOf);
  return [{ path: await theOnlyLog(), folder: undefined }];
}

/** As {@link givenLogs}, their paths alone. */
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
    "Record logs with: node --prof app.js (folders inside are not looked into; logs of other names can be named themselves)",
  );
}

/** What reports call a log. */
export function nameOfLog(path: string): string {
  return path === STDIN ? "stdin" : path;
}

/** What logs are called together: each by its name, those of a folder by the folder's. Those left out are counted. */
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

/** The one log of the current folder; throws a list where there are several. */
async function theOnlyLog(): Promise<string> {
  const [log, ...others] = findLogs(".");
  if (log === undefined) {
    throw new TicksError(
      "NO_LOG",
      "no log given, and no isolate*.log or v8*.log here",
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
  const { table } = await import("../reporters/layout/table.js"); // Who names a log does without.
  const list = table(
    [{ title: "log" }, { title: "size", align: "right" }, { title: "ticks", align: "right" }],
    rows,
  );
  throw new TicksError(
    "SEVERAL_LOGS",
    `several logs are here, newest first:\n${list.map((line) => `  ${line}`).join("\n")}`,
    "Name one or several, or all of them: ticks .",
  );
}

/** The words of a command line that takes logs and then one thing to look for in them. */
export interface LogArguments {
  readonly logs: readonly string[];
  /** Undefined where there are but logs. */
  readonly wanted: string | undefined;
}

/** The last word is what is wanted, unless it is alone and names a log that is there. */
export function logArguments(words: readonly string[]): LogArguments {
  const last = words.at(-1);
  if (last === undefined) return { logs: [], wanted: undefined };
  if (words.length === 1 && (last === STDIN || existsSync(last))) return { logs: words, wanted: undefined };
  return { logs: words.slice(0, -1), wanted: last };
}
