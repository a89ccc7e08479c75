import type { Ticks } from "../../profile/units.js";
import type { ShownRecording, ThreadReport } from "../../reports/threads.js";
import { percentOf } from "../../views/shares.js";
import { threadTotals } from "../../views/thread-totals.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type FunctionData,
  type JsonHead,
  jsonFunction,
  jsonHead,
  type Percent,
  type ThreadData,
} from "../layout/json-parts.js";

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id threads.schema.json
 * @title ticks threads --format json, schema version 1
 */
export interface ThreadsData extends JsonHead<"threads"> {
  /** One per isolate, by process, main threads first. Their ticks sum to ticks. */
  readonly threads: readonly ThreadAndHottest[];
  /** What the record.json beside the logs says; only for logs of ticks record. */
  readonly recordings?: readonly RecordingData[];
}

export interface ThreadAndHottest extends ThreadData {
  /** The function with most of the thread's ticks. null if it has none. */
  readonly hottest: HottestFunction | null;
}

export interface HottestFunction extends FunctionData {
  readonly self: Ticks;
  /** Of the thread's ticks. */
  readonly selfPercent: Percent;
}

export interface RecordingData {
  readonly folder: string;
  /** The command as it was typed. */
  readonly command: readonly string[];
  /** The commit of the working tree; null outside of one. */
  readonly commit: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** How the command ended; null while it runs, and if the recording was killed. */
  readonly outcome: OutcomeData | null;
  readonly processes: readonly ProcessOfRecording[];
}

export interface OutcomeData {
  /** Its exit status; null if a signal ended it. */
  readonly status: number | null;
  readonly signal: string | null;
  /** The option that ended it, such as --duration. */
  readonly stoppedBy: string | null;
  readonly seconds: number;
}

export interface ProcessOfRecording {
  readonly pid: number;
  /** The process that started it. */
  readonly ppid: number;
  /** Its words; long ones are cut. */
  readonly command: readonly string[];
  /** Such as v20.1.0. */
  readonly node: string;
  /** What is missing: such as `not recorded:` and why; null if nothing is. */
  readonly problem: string | null;
}

/** Yields the threads of a profile for programs. */
export function threadsJson(report: ThreadReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(threadsData(report), layout);
}

export function threadsData({ profile, recordings = [] }: ThreadReport): ThreadsData {
  const head = jsonHead("threads", profile);
  return {
    ...head,
    threads: threadTotals(profile).map(({ hottest, ticks }, i) => ({
      ...head.threads[i]!,
      hottest:
        hottest === undefined
          ? null
          : {
              ...jsonFunction(hottest.function),
              self: hottest.self,
              selfPercent: percentOf(hottest.self, ticks),
            },
    })),
    ...(recordings.length > 0 && { recordings: recordings.map(recordingOf) }),
  };
}

function recordingOf({ folder, command, commit, labels, outcome, processes }: ShownRecording): RecordingData {
  return {
    folder,
    command,
    commit: commit ?? null,
    labels,
    outcome:
      outcome === undefined
        ? null
        : {
            status: outcome.status ?? null,
            signal: outcome.signal ?? null,
            stoppedBy: outcome.stoppedBy ?? null,
            seconds: outcome.seconds,
          },
    processes: processes.map(({ pid, ppid, command: words, node, problem }) => ({
      pid,
      ppid,
      command: words,
      node,
      problem: problem ?? null,
    })),
  };
}
