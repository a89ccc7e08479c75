import { dirname } from "node:path";
import { isFile } from "../../io/symbols-file.js";
import type { Profile } from "../../profile/profile.js";
import { problemText, readRecordFile } from "../../record/recording-file.js";
import { REPORTS } from "../../reports/reports.js";
import type { ShownRecording } from "../../reports/threads.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { FormatFlags, GroupFlags, ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warnIdle, warnUntimed } from "../warnings.js";

interface ThreadsFlags extends ViewFlags, FormatFlags, GroupFlags {}

/** Runs `ticks threads`. Returns the exit status. */
export async function runThreads(args: readonly string[], flags: ThreadsFlags): Promise<number> {
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
