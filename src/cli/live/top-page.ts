import { dirname } from "node:path";
import { isFile } from "../../io/symbols-file.js";
import type { ProfileInfo } from "../../profile/profile.js";
import { readRecordFile, sourceRootOf } from "../../record/recording-file.js";
import type { TopReport } from "../../reports/top.js";
import { topOf } from "../../views/top.js";
import { TURNS } from "../../views/turns.js";
import { type LoadedView, loadView } from "../load-profile.js";
import type { ViewFlags } from "../options.js";
import { terminalWidth } from "../terminal.js";

/** The rows of each list of the page, if no other number is given. */
export const TOP_ROWS = 10;

/** Reads logs for the page of `ticks top`, with `limit` rows of each list. */
export async function loadTop(
  args: readonly string[],
  flags: ViewFlags,
  limit = TOP_ROWS,
): Promise<{ readonly loaded: LoadedView; readonly report: TopReport }> {
  const loaded = await loadView(args, flags, {
    ...{ deopts: true, timeline: true, lines: "program", turns: TURNS },
  });
  const { profile, turns } = loaded;
  const logs = args.length > 0 ? args : profile.info.logs;
  const command = commandOf(profile.info);
  return { loaded, report: { profile, top: topOf(profile, limit), turns, limit, logs, command } };
}

/**
 * Returns the command that `ticks record` ran; undefined for other logs, and if they have several. Only what this user recorded here
 * says what to type: a folder can come from anywhere.
 */
export function commandOf({ threads }: ProfileInfo): readonly string[] | undefined {
  const folders = new Set(threads.map(({ log }) => (isFile(log) ? dirname(log) : "")));
  const [command, ...others] = Array.from(folders, (folder) =>
    folder === "" || sourceRootOf(folder) === undefined ? undefined : readRecordFile(folder)?.command,
  );
  return others.every((other) => other?.join("\0") === command?.join("\0")) ? command : undefined;
}

/** Returns the width of the page: that of the terminal, without limit in a file or a pipe, where names are searched for. */
export function pageWidth(): number {
  return process.stdout.isTTY ? terminalWidth() : Number.POSITIVE_INFINITY;
}
