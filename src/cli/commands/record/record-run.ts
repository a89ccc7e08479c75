import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { TicksError, tried } from "../../../base/errors.js";
import { printable } from "../../../facts/label.js";
import { type CommandEnd, type SignalKeeper, startCommand, stopCommand } from "../../../record/command.js";
import { cpuTimeOf, isRunning } from "../../../record/process-tree.js";
import {
  PROFILES,
  type Profiling,
  problemText,
  profiledPid,
  profilesIn,
  type RecordedProcess,
  type RecordFacts,
} from "../../../record/recording-file.js";
import {
  announceSignal,
  closeSession,
  openSession,
  processesOf,
  type RecordFlags,
  type Session,
} from "../../../record/session.js";
import {
  applyStopRules,
  DISK_FULL,
  isDiskFull,
  lineWatcher,
  type StopRules,
} from "../../../record/stop-rules.js";
import type { LiveEnd } from "../../live/live-run.js";
import { warn } from "../../terminal.js";
import { type RecordFolder, writeRecordFile } from "./record-folder.js";

/** What a run needs. */
export interface RunOptions {
  readonly words: readonly string[];
  readonly flags: RecordFlags;
  /** What threads profile of themselves; undefined for logs alone. */
  readonly profiling: Profiling | undefined;
  readonly facts: Omit<RecordFacts, "root" | "start" | "outcome" | "processes" | "runs">;
  readonly commit: Promise<string | undefined>;
  readonly rules: StopRules;
  /** The folder around the recording. */
  readonly place: string;
  /** Lines of output that end the run. */
  readonly until: readonly RegExp[] | undefined;
  readonly hasInput: boolean;
  /** Shows the logs of a folder while they grow, until the signal is aborted. Returns why it ended. */
  readonly watch: ((folder: string, until: AbortSignal) => Promise<LiveEnd>) | undefined;
  readonly signals: SignalKeeper;
  /** Whether the logs go at the end. */
  readonly isDiscarded: boolean;
}

/** The file in a recording with what the command wrote, if a page had the terminal. */
const OUTPUT = "output.txt";

/** Runs a command as it is. */
export async function runUnrecorded({ words, facts, hasInput, signals }: RunOptions): Promise<CommandEnd> {
  const command = await startCommand(words, { env: process.env, cwd: facts.cwd, hasInput });
  signals.passTo(command.pid);
  const end = await command.ended;
  signals.passTo(undefined);
  return end;
}

/** Runs a command once, with its logs in `folder`. */
export async function recordRun(place: RecordFolder, options: RunOptions): Promise<CommandEnd> {
  const folder = place.path;
  const { words, flags, profiling, rules, until, hasInput, watch, signals, isDiscarded } = options;
  const start = Date.now();
  const facts = { ...options.facts, start, runs: undefined };
  writeRecordFile(place, { ...facts, outcome: undefined, processes: [] });
  const session = openSession(folder, {
    flags,
    profiling,
    watchesPort: rules.onPort !== undefined,
    canStop:
      until !== undefined || watch !== undefined || Object.values(rules).some((rule) => rule !== undefined),
    linkPlace: options.place,
    env: process.env,
  });
  const others = () => runningOf(processesOf(session));
  const announce = (signal: NodeJS.Signals) => announceSignal(session, { pids: others(), signal });
  let stoppedBy: string | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (option: string) => {
    if (stoppedBy !== undefined) return;
    stoppedBy = option;
    stopped = stopCommand(command, others, announce);
  };
  const onOutput = until && lineWatcher(until, () => stop("--until"));
  // The page has the terminal for itself.
  const output = watch && openSync(join(folder, OUTPUT), "wx");
  const given = { env: session.env, cwd: facts.cwd, hasInput, onOutput, output };
  const command = await startCommand(session.withFlags(words), given)
    .catch((error: unknown) => {
      closeSession(session, false);
      throw error;
    })
    .finally(() => {
      if (output !== undefined) closeSync(output);
    });
  // What a signal loses of a log is too little to delay it.
  signals.passTo(command.pid, profiling && announce);
  const watching = new AbortController();
  const watched = watch?.(folder, watching.signal).then((reason) => {
    if (reason === "quit") stop("q");
  });
  const cpu = watchCpu(session);
  const undo = applyStopRules(rules, { session, env: process.env, events: { stop, warn } });
  const end = await command.ended;
  signals.passTo(undefined);
  undo();
  cpu.stop();
  watching.abort();
  await watched;
  const seconds = (Date.now() - start) / 1000;
  await (stopped ?? processesEnded(session));
  const started = processesOf(session).map((one) => ({ ...one, cpu: one.cpu ?? cpu.times.get(one.pid) }));
  const running = runningOf(started);
  closeSession(session, running.length > 0);
  const processes = profiling ? withLosses(started, { folder, running, profiling }) : started;
  const outcome = { ...end, stoppedBy, seconds };
  const commit = await options.commit;
  try {
    writeRecordFile(place, { ...facts, commit, outcome, processes });
  } catch (error) {
    // On a full disk; the end of the command is what counts.
    if (!(error instanceof TicksError)) throw error;
    warn(error.message);
  }
  if (watch !== undefined && !isDiscarded)
    warn(`the output of the command is in ${printable(join(folder, OUTPUT))}`);
  warnOfRun(processes, {
    end,
    stoppedBy,
    folder,
    isProfiled: profiling !== undefined && profiling.hasLogs !== true,
  });
  // An end that was asked for is no failure.
  return stoppedBy === undefined ? end : { status: 0, signal: undefined };
}

/**
 * Notes which processes of a recording of profiles ended without one, as far as nothing else is known of them: by a signal from elsewhere,
 * by a crash, or too busy when `ticks` asked for it.
 */
function withLosses(
  processes: readonly RecordedProcess[],
  {
    folder,
    running,
    profiling: { of, hasLogs = false },
  }: { readonly folder: string; readonly running: readonly number[]; readonly profiling: Profiling },
): RecordedProcess[] {
  const problem = hasLogs
    ? `without its ${PROFILES[of]}: it ended before it could write it, as by a signal`
    : `it ended before it could write its ${PROFILES[of]}, as by a signal`;
  const profiles = tried(() => profilesIn(folder)) ?? []; // The program may have removed it.
  const written = new Set(profiles.map(profiledPid));
  return processes.map((one) => {
    const isLost = one.problem === undefined && !running.includes(one.pid) && !written.has(one.pid);
    return isLost ? { ...one, problem } : one;
  });
}

/** How often the CPU times of processes are looked at, in milliseconds. */
const CPU_PERIOD = 500;

/** Looks at the CPU times of the processes again and again: one that a signal ends cannot tell its own. */
function watchCpu(session: Session): { readonly times: ReadonlyMap<number, number>; stop(): void } {
  const times = new Map<number, number>();
  const timer = setInterval(() => {
    for (const { pid, cpu } of processesOf(session)) {
      const time = cpu === undefined ? cpuTimeOf(pid) : undefined;
      // A process that has ended stays with 0 in some systems.
      if (time !== undefined && time > 0) times.set(pid, time);
    }
  }, CPU_PERIOD);
  return { times, stop: () => clearInterval(timer) };
}

/** How long processes that outlive the command are waited for, and how often looked at, in milliseconds. */
const PATIENCE = 1000;
const PERIOD = 20;

/** Waits a moment for processes that outlive the command, as those do that end by the same Ctrl-C. */
async function processesEnded(session: Session): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end && runningOf(processesOf(session)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, PERIOD));
  }
}

function runningOf(processes: readonly RecordedProcess[]): number[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  return Array.from(pids).filter((pid) => pid !== process.pid && isRunning(pid));
}

/** More processes than this are counted, not listed. */
const LISTED_LIMIT = 20;
/** Columns of a command that is named. */
const SHOWN_LENGTH = 100;

/** Warns of what is not in the logs. */
function warnOfRun(
  processes: readonly RecordedProcess[],
  {
    end,
    stoppedBy,
    folder,
    isProfiled,
  }: {
    readonly end: CommandEnd;
    readonly stoppedBy: string | undefined;
    readonly folder: string;
    readonly isProfiled: boolean;
  },
): void {
  if (stoppedBy !== undefined) warn(`stopped the command, as ${stoppedBy} asks`);
  else if (end.signal !== undefined) warn(`the command was ended by ${end.signal}`);
  else if (end.status !== 0) warn(`the command ended with exit status ${end.status}`);
  const problems = processes.flatMap(({ pid, command, problem }) => {
    const shown = command.join(" ").slice(0, SHOWN_LENGTH);
    return problem === undefined ? [] : [`pid ${pid} ${problemText(problem)} (${shown})`];
  });
  for (const text of problems.slice(0, LISTED_LIMIT)) warn(text);
  const more = problems.length - LISTED_LIMIT;
  if (more > 0) warn(`${more} more processes were not recorded, or not whole: see record.json`);
  const running = runningOf(processes.filter(({ problem }) => problem === undefined));
  if (running.length > 0) {
    const what = isProfiled ? "without a profile" : "and still writing logs";
    warn(`still running, ${what}: pid ${running.slice(0, LISTED_LIMIT).join(", ")}`);
  }
  if (isDiskFull(folder)) warn(DISK_FULL);
}
