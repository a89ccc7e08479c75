import { dirname, resolve } from "node:path";
import { TicksError } from "../../../errors.js";
import { withLabel } from "../../../exporters/export-options.js";
import { logsIn } from "../../../io/find-logs.js";
import type { CommandEnd } from "../../../record/command.js";
import { SignalKeeper } from "../../../record/command.js";
import { commitOf, thisMachine } from "../../../record/machine.js";
import { maskSecrets } from "../../../record/masked-command.js";
import { type RecordFacts, runFolder } from "../../../record/recording-file.js";
import { recordFlags } from "../../../record/session.js";
import type { StopRules } from "../../../record/stop-rules.js";
import { saveTerminal } from "../../../record/terminal-state.js";
import { counted } from "../../../reports/words.js";
import { printable } from "../../../views/label.js";
import { warn } from "../../terminal.js";
import { makeRecordFolder, type RecordFolder, removeRecording, writeRecordFile } from "./record-folder.js";
import { REPORT_FLAGS, reportRecording } from "./record-report.js";
import { type RunOptions, recordRun, runUnrecorded } from "./record-run.js";

/** The options of `ticks record`. */
export interface RecordFlags {
  output?: string;
  interval: number;
  deopts?: boolean;
  ics?: boolean;
  startup?: boolean;
  sparkplug: boolean;
  /** Each `KEY=VALUE`. */
  label?: string[];
  /** In milliseconds. */
  duration?: number;
  until?: readonly RegExp[];
  onPort?: string;
  /** In bytes. */
  maxSize?: number;
  runs?: number;
  warmup: number;
  live?: boolean;
  open?: boolean;
  discard?: boolean;
}

/** Returns what shows the page of `ticks live` on a terminal. Throws a {@link TicksError} if there is none. */
async function livePage(words: readonly string[]): Promise<NonNullable<RunOptions["watch"]>> {
  if (process.stdout.isTTY !== true || process.stdin.isTTY !== true) {
    const hint = "Leave it out, and run ticks live on the folder in another terminal.";
    throw new TicksError("BAD_OPTION", "--live needs a terminal", hint);
  }
  const { watchLogs } = await import("../../live/watch-logs.js"); // Most recordings are not watched.
  const title = printable(words.join(" "));
  return async (folder, until) => {
    const flags = { ...REPORT_FLAGS, format: "text" } as const;
    return (await watchLogs({ logs: [], folders: [folder], title, flags, until })).end;
  };
}

/** Runs a command as often as asked for, and reports what was recorded. Returns how it ended the last time. */
export async function recordRuns(words: readonly string[], flags: RecordFlags): Promise<CommandEnd> {
  const watch = flags.live ? await livePage(words) : undefined;
  const signals = new SignalKeeper();
  const start = new Date();
  const folder = makeRecordFolder(flags.output, start);
  const wanted = recordFlags({ ...flags, noSparkplug: !flags.sparkplug });
  const facts: Omit<RecordFacts, "root" | "start" | "outcome" | "processes" | "runs"> = {
    command: maskSecrets(words),
    cwd: process.cwd(),
    interval: flags.interval,
    flags: [...wanted.all, ...wanted.modern],
    machine: thisMachine(),
    commit: undefined,
    labels: flags.label?.reduce<Record<string, string>>((all, text) => withLabel(text, all), {}) ?? {},
  };
  const commit = commitOf(process.cwd());
  const terminal = saveTerminal();
  const { runs = 1, warmup } = flags;
  const isSeries = flags.runs !== undefined;
  const isAlone = !(isSeries && runs + warmup > 1) || process.stdin.isTTY === true;
  const hasInput = isAlone && watch === undefined;
  const rules: StopRules = { duration: flags.duration, maxSize: flags.maxSize, onPort: flags.onPort };
  const options = {
    words,
    flags: wanted,
    facts,
    commit,
    rules,
    place: dirname(resolve(folder.path)),
    until: flags.until,
    hasInput,
    watch,
    signals,
    isDiscarded: flags.discard ?? false,
  };
  warn(`recording to ${printable(folder.path)}`);
  const folders: RecordFolder[] = [];
  const remove = () => removeAll(isSeries ? [...folders, folder] : [folder]);
  let end: CommandEnd = { status: 0, signal: undefined };
  const isGood = () => end.status === 0 && !signals.wereSent;
  try {
    for (let run = 1; run <= warmup && isGood(); run++) {
      warn(`warm-up ${run} of ${warmup}`);
      end = await runUnrecorded(options);
    }
    for (let run = 1; run <= runs && isGood(); run++) {
      if (isSeries) warn(`run ${run} of ${runs}`);
      const one = isSeries ? makeRecordFolder(runFolder(folder.path, run), start) : folder;
      folders.push(one);
      end = await recordRun(one, options);
    }
  } catch (error) {
    // A command that cannot be run leaves nothing behind.
    if (!folders.some(({ path }) => logsIn(path).length > 0)) remove();
    signals.stop();
    throw error;
  }
  terminal.restore();
  if (signals.ending !== undefined) end = { status: undefined, signal: signals.ending };
  if (folders.length === 0) {
    warn("nothing was recorded");
    remove();
    signals.stop();
    return end;
  }
  if (isSeries) {
    const seconds = (Date.now() - start.getTime()) / 1000;
    const outcome = { ...end, stoppedBy: undefined, seconds };
    const series = {
      start: start.getTime(),
      commit: await commit,
      outcome,
      processes: [],
      runs: folders.length,
    };
    writeRecordFile(folder, { ...facts, ...series });
    const reason = signals.wereSent ? "by a signal" : "the command failed";
    if (folders.length < runs) warn(`stopped after ${counted(folders.length, "run")}: ${reason}`);
  }
  signals.stop();
  const paths = folders.map(({ path }) => path);
  const { open, startup, discard = false } = flags;
  await reportRecording(folder.path, { command: words, folders: paths, open, startup, isDiscarded: discard });
  if (discard) {
    const isGone = remove();
    const where = printable(folder.path);
    warn(
      isGone
        ? "removed the logs, as --discard asks"
        : `removed the logs; ${where} has other files, which stay`,
    );
  }
  return end;
}

/** Removes what a recording wrote into its folders, the inner ones first. Returns whether nothing new is left. */
function removeAll(folders: readonly RecordFolder[]): boolean {
  return folders.map(removeRecording).every((isGone) => isGone);
}
