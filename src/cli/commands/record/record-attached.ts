import { join } from "node:path";
import { badOption, TicksError } from "../../../base/errors.js";
import { parsedLabels } from "../../../exports/export-options.js";
import { printable } from "../../../facts/label.js";
import { writeWholeFile } from "../../../io/atomic-file.js";
import { type Attached, attachToEndpoint, attachToProcess } from "../../../record/attach.js";
import { endpointText } from "../../../record/inspector.js";
import { commitOf, thisMachine } from "../../../record/machine.js";
import { type NodeProcess, nodeProcess } from "../../../record/node-process.js";
import { isRunning } from "../../../record/process-tree.js";
import { type Profiled, profileThreads } from "../../../record/profile-threads.js";
import { type Profiling, profileName, type RecordFacts } from "../../../record/recording-file.js";
import { maskSecrets } from "../../../record/session.js";
import { counted } from "../../../reports/words.js";
import { warn } from "../../terminal.js";
import { makeRecordFolder, type RecordFolder, removeRecording, writeRecordFile } from "./record-folder.js";
import { intervalFacts, profilingOf, type RecordFlags, reportRecording } from "./record-runs.js";

/** In milliseconds, if nobody says otherwise. */
const DURATION = 10_000;
/** How long samples take to come before a user who ended the recording is told, in milliseconds. */
const NOTE_AFTER = 1000;
/** More samples of a thread would be a message that no inspector can send. */
const MOST_SAMPLES = 5_000_000;

/** Profiles a program that runs already, and reports what was recorded. Throws a {@link TicksError}. */
export async function recordAttached(words: readonly string[], flags: RecordFlags): Promise<void> {
  const { pid, port } = flags;
  const option = pid === undefined ? "--port" : "--pid";
  refuseOptions(words, flags, option);
  const labels = parsedLabels(flags.label);
  const duration = flags.duration ?? DURATION;
  const profiling = profilingOf({ ...flags, cpuProf: true })!;
  if (profiling.of === "time" && (duration * 1000) / profiling.interval > MOST_SAMPLES) {
    const hint = "Choose a longer --interval or a shorter --duration.";
    throw badOption(`more than ${MOST_SAMPLES} samples of each thread`, hint);
  }
  const node = pid === undefined ? undefined : nodeProcess(pid);
  const hasRoot = node?.cwd !== undefined;
  const folder = makeRecordFolder(flags.output, new Date());
  const [stop, giveUp] = [new AbortController(), new AbortController()];
  let note: NodeJS.Timeout | undefined;
  const undo = onSignals(() => {
    if (stop.signal.aborted) giveUp.abort();
    else stop.abort();
    note ??= setTimeout(
      () => warn("waiting for the program's samples (Ctrl-C again gives them up)"),
      NOTE_AFTER,
    );
  });
  try {
    const attached =
      node === undefined
        ? await attachToEndpoint(port!, stop.signal)
        : await attachToProcess(node, warn, stop.signal);
    let profiled: Profiled | undefined;
    let facts: AttachedFacts;
    try {
      facts = await factsOf(attached, node, { labels, profiling });
      writeRecordFile(folder, { ...facts, outcome: undefined }, { hasRoot });
      warn(`profiling ${shownName(attached, node)} for ${duration / 1000} s (Ctrl-C ends it sooner)`);
      profiled = await profileThreads(attached, {
        profiling,
        duration,
        stop: stop.signal,
        giveUp: giveUp.signal,
      });
    } finally {
      clearTimeout(note);
      const [isEnd, hurry] = [
        profiled !== undefined && hasEnded(profiled),
        (profiled ? giveUp : stop).signal,
      ];
      if (!(await attached.letGo({ hasEnded: isEnd, hurry }))) {
        const where = endpointText(attached.endpoint);
        warn(`the inspector at ${where} still listens: it closes as soon as the main thread is free`);
      }
    }
    const stoppedBy = STOPPED_BY[profiled.endedBy];
    const outcome = { status: undefined, signal: undefined, stoppedBy, seconds: profiled.seconds };
    const ended = await endText(profiled, node);
    const pid = node?.pid ?? attached.facts.pid;
    writeProfiles(folder, profiled, { of: profiling.of, pid, ended });
    const { workers } = profiled;
    const processes = facts.processes.map((one) => ({ ...one, workers }));
    writeRecordFile(folder, { ...facts, processes, outcome }, { hasRoot });
    warnOfEnd(profiled, ended);
  } catch (error) {
    removeRecording(folder);
    throw error;
  } finally {
    undo();
  }
  const { open, discard = false } = flags;
  const recorded = {
    command: [],
    folders: [folder.path],
    open,
    startup: false,
    isDiscarded: discard,
    profiling,
    isSeries: false,
  };
  await reportRecording(folder.path, recorded);
  if (discard && removeRecording(folder)) warn("removed the profiles, as --discard asks");
}

const STOPPED_BY = {
  duration: "--duration",
  stop: "Ctrl-C",
  program: undefined,
  connection: undefined,
} as const;

function hasEnded({ endedBy }: Profiled): boolean {
  return endedBy === "program" || endedBy === "connection";
}

/** A program that is killed is there a little longer than its connections, in milliseconds. */
const END_PATIENCE = 500;

/** Returns why there are no more samples; undefined if the program has sent them all. */
async function endText(
  { endedBy, givenUp }: Profiled,
  node: NodeProcess | undefined,
): Promise<string | undefined> {
  if (endedBy === "program") return "the program ended";
  if (endedBy !== "connection") return givenUp;
  if (node === undefined) return "the connection ended: the program ended, or its inspector was closed";
  for (const start = Date.now(); Date.now() - start < END_PATIENCE; ) {
    if (!isRunning(node.pid)) return "the program ended";
    await new Promise((done) => setTimeout(done, END_PATIENCE / 10));
  }
  return "the inspector was closed, and the program runs on";
}

/** What cannot be had of a program that runs already, and why. */
function refuseOptions(words: readonly string[], flags: RecordFlags, option: string): void {
  const fromStart = "V8 logs it only from the start of a program on";
  const reasons: readonly (readonly [string, unknown, string])[] = [
    [option === "--pid" ? "--port" : "--pid", option === "--pid" && flags.port, "each names a program"],
    ["--cpu-prof", flags.cpuProf, "it starts a command; this is a CPU profile anyway"],
    ["--prof", flags.prof, fromStart],
    ["--deopts", flags.deopts, fromStart],
    ["--ics", flags.ics, fromStart],
    ["--startup", flags.startup, "its start is over"],
    ["--no-sparkplug", !flags.sparkplug, "flags of V8 are for the start of a program"],
    ["--until", flags.until, "its output goes elsewhere"],
    ["--on-port", flags.onPort, "it listens already: run the load yourself"],
    ["--max-size", flags.maxSize, "a profile is written at its end"],
    ["--runs", flags.runs, "ticks does not start the program"],
    ["--warmup", flags.warmup, "ticks does not start the program"],
    ["--live", flags.live, "a profile is written at its end"],
  ];
  for (const [name, isGiven, reason] of reasons) {
    if (isGiven) throw badOption(`${name} does not go with ${option}: ${reason}`);
  }
  if (words.length > 0) {
    const hint = `Leave out: ${printable(words.join(" "))}`;
    throw badOption(`${option} profiles a program that runs, and starts no command`, hint);
  }
}

const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === "win32" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP"];

/** Calls a function at each signal that would end this process. Returns what undoes it. */
function onSignals(action: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, action);
  return () => {
    for (const signal of SIGNALS) process.off(signal, action);
  };
}

function shownName({ facts, endpoint, title }: Attached, node: NodeProcess | undefined): string {
  const version = facts.node === "" ? "" : `Node ${facts.node}`;
  if (node !== undefined) return `pid ${node.pid} (${version})`;
  return `${title} (${version === "" ? "" : `${version}, `}${endpointText(endpoint)})`;
}

type AttachedFacts = Omit<RecordFacts, "root" | "outcome">;

async function factsOf(
  { facts }: Attached,
  node: NodeProcess | undefined,
  { labels, profiling }: { readonly labels: Readonly<Record<string, string>>; readonly profiling: Profiling },
): Promise<AttachedFacts> {
  const command = maskSecrets(facts.command);
  const pid = node?.pid ?? facts.pid;
  return {
    command,
    cwd: node?.cwd ?? facts.cwd ?? "",
    start: Date.now(),
    ...intervalFacts(profiling),
    flags: [],
    machine: thisMachine(),
    // What a program says of itself must not be looked at.
    commit: node?.cwd === undefined ? undefined : await commitOf(node.cwd),
    labels,
    processes: [{ ...facts, pid, command, problem: undefined, cpu: undefined, threadCpu: [], workers: [] }],
    runs: undefined,
  };
}

/** Writes each profile under the name that Node would give it. Throws a {@link TicksError} if there is none. */
function writeProfiles(
  folder: RecordFolder,
  { profiles }: Profiled,
  {
    of,
    pid,
    ended = "the program did not hand them over",
  }: { readonly of: Profiling["of"]; readonly pid: number; readonly ended: string | undefined },
): void {
  if (profiles.length === 0) throw new TicksError("NO_TICKS", `no samples: ${ended}`);
  const now = new Date();
  for (const [at, { thread, profile }] of profiles.entries()) {
    const path = join(folder.path, profileName(of, now, { pid, thread, sequence: at + 1 }));
    try {
      writeWholeFile(path, JSON.stringify(profile), { mode: 0o600, isDurable: false });
    } catch (error) {
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      throw new TicksError("NOT_WRITABLE", `${printable(path)} cannot be written (${code})`);
    }
  }
}

function warnOfEnd({ lost }: Profiled, ended: string | undefined): void {
  if (ended !== undefined) warn(ended);
  if (lost > 0)
    warn(`the samples of ${counted(lost, "thread")} are lost: it ended sooner, or did not answer`);
}
