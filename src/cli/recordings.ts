import { dirname } from "node:path";
import { isFile } from "../io/symbols-file.js";
import type { Profile } from "../profile/profile.js";
import { problemText, readRecordFile, sourceRootOf } from "../record/recording-file.js";
import { orNull } from "../reports/json.js";
import type { RecordingData } from "../reports/report.js";

/** Returns the recordings that the folders of the logs are, each once. */
export function recordingsOf({ info }: Profile): RecordingData[] {
  const folders = new Set(info.threads.flatMap(({ log }) => (isFile(log) ? [dirname(log)] : [])));
  return Array.from(folders).flatMap((folder) => {
    const facts = readRecordFile(folder);
    if (facts === undefined) return [];
    const { command, commit, labels, outcome } = facts;
    const processes = facts.processes.map(({ problem, pid, ppid, command, node }) => {
      return { pid, ppid, command, node, problem: problem === undefined ? null : problemText(problem) };
    });
    return [
      {
        folder,
        command,
        ...orNull({ commit }),
        labels,
        outcome: outcome ? orNull(outcome) : null,
        processes,
      },
    ];
  });
}

/**
 * Returns the command that `ticks record` ran to make logs; undefined for other logs, and if they have several. Only what this user
 * recorded here says what to type: a folder can come from anywhere.
 */
export function commandOfLogs(logs: Iterable<string>): readonly string[] | undefined {
  const folders = new Set(Array.from(logs, (log) => (isFile(log) ? dirname(log) : "")));
  const [command, ...others] = Array.from(folders, (folder) =>
    folder === "" || sourceRootOf(folder) === undefined ? undefined : readRecordFile(folder)?.command,
  );
  return others.every((other) => other?.join("\0") === command?.join("\0")) ? command : undefined;
}
