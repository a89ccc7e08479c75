import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { printable } from "../base/shown-text.js";
import { allLogsIn, expandPatterns, isFolder, newestFirst } from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import { isRecording, RECORD_FILE, runFoldersIn, sidesIn } from "../record/recording-file.js";
import type { CommandRow } from "../reports/command-row.js";
import type { CommandLine } from "./arguments.js";
import { commandNamed } from "./commands.js";
import { logArguments } from "./log-paths.js";
import { SIDES } from "./options.js";
import { warn } from "./terminal.js";

/** The commands that compare two sides. */
const COMPARING: readonly string[] = ["diff", "flame"];

/** Returns the line of `ticks diff` for one without a command that means a recording of `--against`. */
export function comparingLine(line: CommandLine): CommandLine {
  const { isNamed, words } = line;
  if (isNamed || words.length > 1) return line;
  const folder = words[0] ?? newestRecording()?.folder;
  return folder === undefined || sidesIn(folder) === undefined
    ? line
    : { ...line, row: commandNamed("diff")! };
}

/**
 * Returns the words of a command as it wants them: patterns that the shell passed on replaced by logs, what to look for after the
 * logs, and the newest recording if no log is named; both sides of a recording of `--against`, where two are compared.
 */
export function givenWords(words: readonly string[], row: CommandRow): readonly string[] {
  if (!/LOG|BEFORE/.test(row.args)) return words;
  const given = expandPatterns(words);
  if (COMPARING.includes(row.name)) return withSides(given, row);
  const hasQuery = row.query !== undefined;
  if (!row.readsLog) return given;
  const ordered = hasQuery ? queryLast(given) : given;
  const logs = hasQuery ? logArguments(ordered).logs : ordered;
  if (logs.length > 0 && !(hasQuery && isSource(ordered))) return ordered;
  const recording = newestRecording();
  return recording === undefined ? ordered : [announced(recording), ...ordered];
}

/** Returns the words of a command that compares with both sides of the only recording that they name, or of the newest one here. */
function withSides(words: readonly string[], row: CommandRow): readonly string[] {
  if (words.length > 1) return words;
  const newest = words.length === 0 ? newestRecording() : undefined;
  const folder = words[0] ?? newest?.folder;
  const sides = folder === undefined ? undefined : sidesIn(folder);
  if (newest !== undefined && (sides !== undefined || row.readsLog)) announced(newest);
  if (sides === undefined) return row.readsLog && folder !== undefined ? [folder] : words;
  return [sides[0], SIDES, sides[1]];
}

/** Says which recording is read. Returns its folder. */
function announced({ folder, others }: NewestRecording): string {
  const which = others > 0 ? `, the newest of ${others + 1} recordings here` : "";
  warn(`processing ${printable(folder)}${which}`);
  return folder;
}

/** Returns logs first where the user wrote them last. */
function queryLast(words: readonly string[]): readonly string[] {
  const [first, ...others] = words;
  if (first === undefined || others.length === 0 || isLog(first) || !others.every(isLog)) return words;
  return [...others, first];
}

const LOG_NAME = /\.log(?:\.gz|\.zst|\.br)?$/i;

/** Returns whether a word names logs that are there. */
function isLog(word: string): boolean {
  if (word === STDIN) return true;
  if (isFolder(word)) return isRecording(word) || allLogsIn(word).length > 0;
  return LOG_NAME.test(word) && existsSync(word);
}

/** Returns whether the only word is that of a script, and thus no log. */
function isSource(words: readonly string[]): boolean {
  return words.length === 1 && /\.[cm]?[jt]sx?$/.test(words[0]!);
}

interface NewestRecording {
  readonly folder: string;
  readonly others: number;
}

/** Returns whether a recording has logs or profiles, of whichever run: a command that failed at once leaves none. */
function hasLogs(folder: string): boolean {
  return [folder, ...runFoldersIn(folder)].some((one) => allLogsIn(one).length > 0);
}

/** Returns the newest recording in the current folder; undefined if there is none, or a newer log. */
function newestRecording(): NewestRecording | undefined {
  if (isRecording(".")) return undefined;
  const folders = readdirSync(".", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const fileOf = new Map<string, string>();
  for (const { name } of folders) {
    const of = isRecording(name) && hasLogs(name) ? name : sidesIn(name)?.[1];
    if (of !== undefined) fileOf.set(join(of, RECORD_FILE), name);
  }
  const [newest] = newestFirst([...fileOf.keys(), ...allLogsIn(".")]);
  const folder = newest === undefined ? undefined : fileOf.get(newest);
  if (folder === undefined) return undefined;
  const isSide = sidesIn(".")?.includes(folder) ?? false;
  return isSide ? { folder: ".", others: fileOf.size - 2 } : { folder, others: fileOf.size - 1 };
}
