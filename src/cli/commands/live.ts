import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { badOption, TicksError } from "../../base/errors.js";
import { printable } from "../../base/shown-text.js";
import { INPUT_NAMES, openInput } from "../../inputs/inputs.js";
import { allLogsIn, isFolder, isProfileName, newestFirst } from "../../io/find-logs.js";
import { openLog, STDIN } from "../../io/input.js";
import { runsOf } from "../../io/log-origin.js";
import { joinLines, writeChunks } from "../../io/output.js";
import { isRegularFile } from "../../io/regular-file.js";
import { joinTitles } from "../../profile/titles.js";
import { commandText, readRecordFile } from "../../record/recording-file.js";
import { REPORTS } from "../../reports/reports.js";
import { shellCommand } from "../../reports/words.js";
import type { LiveEnd } from "../live/live-run.js";
import type { FollowedLogs } from "../live/log-follower.js";
import type { WatchFlags } from "../live/watch-logs.js";
import { warnProblems } from "../load-profile.js";
import type { ViewFlags } from "../options.js";
import { askReport } from "../show-report.js";
import { jsonLayout, styleOf, textWidth } from "../terminal.js";
import { refuseMissing } from "../usage/missing-log.js";

type LiveFlags = WatchFlags &
  Pick<ViewFlags, "sourceMaps" | "sourceRoot"> & {
    /** In milliseconds. */
    duration?: number;
  };

/** Runs `ticks live`. Returns the exit status. */
export async function runLive(args: readonly string[], flags: LiveFlags): Promise<number> {
  const followed = args.length > 0 ? await namedLogs(args) : newestRun();
  const named = args.length > 0 ? args : followed.logs.length > 0 ? followed.logs : ["."];
  const title = joinTitles(Array.from(new Set(named.map(titleOf))));
  const { watchLogs } = await import("../live/watch-logs.js"); // Help must not load what reads logs.
  const { end, logs } = await watchLogs({
    ...followed,
    title,
    flags,
    duration: flags.duration,
  });
  if (end === "closed") return 0;
  if (isSignal(end)) process.kill(process.pid, end);
  if (logs.length === 0) {
    const hint = "Start the program with node --prof in this folder; or: ticks record --live -- node app.js";
    throw new TicksError("NO_LOG", "no log was written here while ticks live ran", hint);
  }
  const report = await REPORTS.top.load();
  const top = await askReport(report, args.length > 0 ? args : logs, {
    flags: { ...flags, inferred: true, limit: REPORTS.top.rows! },
    options: {},
  });
  const { reportLines } = await import("../../reports/report.js");
  const style = await styleOf(flags.color);
  const lines = reportLines(report, top.data!, {
    ...{ format: flags.format, style, width: textWidth(true) },
    ...jsonLayout({ ...flags, pretty: false }),
  });
  // Documents are one line each: a long one is cut after commas.
  const chunks = flags.format === "json" ? [`${Array.from(lines).join("")}\n`] : pageOf(lines);
  await writeChunks(process.stdout, chunks);
  warnProblems(top.loaded);
  return 0;
}

function isSignal(end: LiveEnd): end is NodeJS.Signals {
  return end.startsWith("SIG");
}

/** Returns what a log or a folder is of: the command that was recorded into it, or its name. */
function titleOf(path: string): string {
  const folder = isFolder(path) ? path : dirname(path);
  const facts = readRecordFile(folder);
  if (facts === undefined) return isFolder(path) ? path : basename(path);
  return commandText(facts.command);
}

/** Yields the page, in a pipe with an empty line before it. */
function* pageOf(lines: Iterable<string>): Iterable<string> {
  if (process.stdout.isTTY !== true) yield "\n";
  yield* joinLines(lines);
}

/** Returns the logs and folders that a command line names. */
async function namedLogs(args: readonly string[]): Promise<FollowedLogs> {
  const logs = args.filter((arg) => !isFolder(arg));
  for (const log of logs) {
    if (log === STDIN) throw badOption("ticks live follows files, not standard input", "Try: ticks top -");
    refuseMissing(log);
    if (!existsSync(log))
      throw new TicksError(
        "NOT_FOUND",
        `${log}: no such file`,
        "Start the program first, or name its folder.",
      );
  }
  const folders = args.filter(isFolder);
  for (const path of [...logs, ...folders.flatMap(allLogsIn).filter(isProfileName)])
    await refuseProfile(path);
  return { logs, folders };
}

/** Throws a {@link TicksError} for a profile: it is written at its end, all at once. */
async function refuseProfile(path: string): Promise<void> {
  if (!isRegularFile(path)) return;
  const { input, chunks } = await openInput(openLog(path));
  for await (const _ of chunks) break;
  if (input === undefined) return;
  throw new TicksError(
    "NOT_A_LOG",
    `${printable(path)} is ${INPUT_NAMES[input.kind]}: it does not grow, so there is nothing to follow`,
    `See it with: ${shellCommand("ticks top", [printable(path)])}`,
  );
}

/** Returns the newest run in the current folder, and what comes there. */
function newestRun(): FollowedLogs {
  const there = allLogsIn(".");
  const [run] = runsOf(newestFirst(there.filter((path) => !isProfileName(path))));
  return { logs: run?.logs ?? [], folders: ["."], ignored: new Set(there) };
}
