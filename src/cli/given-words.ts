import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { allLogsIn, expandPatterns, isFolder, newestFirst } from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import type { CommandRow } from "../options/command-row.js";
import { isRecording, RECORD_FILE } from "../record/recording-file.js";
import { printable } from "../views/shown-text.js";
import { logArguments } from "./log-paths.js";
import { warn } from "./terminal.js";

/**
 * Returns the words of a command as it wants them: patterns that the shell passed on replaced by logs, what to look for after the
 * logs, and the newest recording if no log is named.
 */
export function givenWords(words: readonly string[], row: CommandRow): readonly string[] {
  if (!/LOG|BEFORE/.test(row.args)) return words;
  const given = expandPatterns(words);
  const hasQuery = row.query !== undefined;
  if (!row.readsLog) return given;
  const ordered = hasQuery ? queryLast(given) : given;
  const logs = hasQuery ? logArguments(ordered).logs : ordered;
  if (logs.length > 0 && !(hasQuery && isSource(ordered))) return ordered;
  const recording = newestRecording();
  if (recording === undefined) return ordered;
  const { folder, others } = recording;
  const which = others > 0 ? `, the newest of ${others + 1} recordings here` : "";
  warn(`processing ${printable(folder)}${which}`);
  return [folder, ...ordered];
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

/** Returns the newest recording in the current folder; undefined if there is none, or a newer log. */
function newestRecording(): { readonly folder: string; readonly others: number } | undefined {
  if (isRecording(".")) return undefined;
  const folders = readdirSync(".", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.filter(({ name }) => isRecording(name)).map(({ name }) => join(name, RECORD_FILE));
  const [newest] = newestFirst([...files, ...allLogsIn(".")]);
  if (newest === undefined || !files.includes(newest)) return undefined;
  return { folder: dirname(newest), others: files.length - 1 };
}
