import { basename } from "node:path";
import { originOfLog } from "./log-origin.js";

/** The logs of one run of a program: those of its main thread and of its workers. */
export interface LogRun {
  /** Undefined if the name of its log does not tell. */
  readonly pid: number | undefined;
  /** In the order in which they were given. */
  readonly logs: readonly string[];
}

/**
 * The parts of a name that differ between the isolates of a process: their address and, in logs of `ticks record`, their start; and whether it is
 * compressed.
 */
const OF_ISOLATE = /(isolate-)(?:0x)?[0-9a-f]+|t\d{13}-(?=v8-)|\.(?:gz|zst|br)$/gi;

/**
 * Groups logs of one folder by run, in the order of the first log of each. Logs are of one run if their names
 * differ only in the isolate and have a PID; any other log is a run by itself.
 */
export function runsOf(paths: readonly string[]): LogRun[] {
  const runs = new Map<string, { pid: number | undefined; logs: string[] }>();
  for (const path of paths) {
    const { pid } = originOfLog(path);
    const key = pid === undefined ? `/${path}` : basename(path).replace(OF_ISOLATE, "$1");
    const run = runs.get(key);
    if (run === undefined) runs.set(key, { pid, logs: [path] });
    else run.logs.push(path);
  }
  return Array.from(runs.values());
}
