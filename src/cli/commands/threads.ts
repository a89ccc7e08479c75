import { dirname } from "node:path";
import type { Command } from "commander";
import { isFile } from "../../io/symbols-file.js";
import type { Profile } from "../../profile/profile.js";
import { problemText, readRecordFile } from "../../record/recording-file.js";
import { REPORTS } from "../../reports/reports.js";
import type { ShownRecording } from "../../reports/threads.js";
import { loadView, warnProblems } from "../load-profile.js";
import {
  addFormatOptions,
  addViewOptions,
  type FormatFlags,
  type GroupFlags,
  groupOption,
  type ViewFlags,
} from "../options.js";
import { printReport } from "../print-report.js";
import { warnIdle, warnUntimed } from "../warnings.js";

interface ThreadsFlags extends ViewFlags, FormatFlags, GroupFlags {}

const FOOTER = `
A thread is an isolate with its own log: the main thread of a process, or a
worker. A folder means all logs in it, but not in its subfolders. In every
command, --thread selects threads by #, name, PID or isolate, or all main
threads or workers.`;

/** Adds the options and the action of `ticks threads`. */
export function configure(command: Command): void {
  command.addHelpText("after", FOOTER);
  command.addOption(groupOption());
  addFormatOptions(command, ["text", "json", "md"]);
  // What happened when: waiting is a part of it.
  addViewOptions(command, { countsIdle: true });
  command.action(async (logs: string[], flags: ThreadsFlags) => {
    process.exitCode = await runThreads(logs, flags);
  });
}

/** Runs `ticks threads`. Returns the exit status. */
async function runThreads(args: readonly string[], flags: ThreadsFlags): Promise<number> {
  const loaded = await loadView(args, flags, { lines: false });
  const { profile } = loaded;
  await printReport(REPORTS.threads, { profile, by: flags.by, recordings: recordingsOf(profile) }, flags);
  warnProblems(loaded);
  warnIdle(profile);
  warnUntimed(profile);
  return 0;
}

/** Returns the recordings that the folders of the logs are, each once. */
function recordingsOf({ info }: Profile): ShownRecording[] {
  const folders = new Set(info.threads.flatMap(({ log }) => (isFile(log) ? [dirname(log)] : [])));
  return Array.from(folders).flatMap((folder) => {
    const facts = readRecordFile(folder);
    if (facts === undefined) return [];
    const problems = facts.processes.map(({ problem }) => problem && problemText(problem));
    const processes = facts.processes.map((one, i) => ({ ...one, problem: problems[i] }));
    return [{ ...facts, folder, processes }];
  });
}
