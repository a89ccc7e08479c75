import { percentOf } from "../../views/shares.js";
import { threadTotals } from "../../views/thread-totals.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonFunction, jsonHead } from "../layout/json-parts.js";
import type { Reporter } from "../process/reporter.js";
import type { ShownRecording } from "./recordings.js";

/** Yields the threads of a profile for programs, as `threads.schema.json` describes them. */
export const threadsJson: Reporter = {
  name: "json",
  title: "one JSON document",
  *report(profile, options) {
    const head = jsonHead({ command: "threads", schemaVersion: 1 }, profile);
    const threads = threadTotals(profile).map(({ hottest, ticks }, i) => ({
      ...head.threads[i]!,
      hottest:
        hottest === undefined
          ? null
          : {
              ...jsonFunction(hottest.function),
              self: hottest.self,
              selfPercent: percentOf(hottest.self, ticks),
            },
    }));
    const { recordings = [] } = options;
    const recorded = recordings.length === 0 ? {} : { recordings: recordings.map(jsonRecording) };
    yield* jsonLines({ ...head, threads, ...recorded }, options);
  },
};

function jsonRecording({ folder, command, commit, labels, outcome, processes }: ShownRecording) {
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
