import { lstatSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join, posix, win32 } from "node:path";
import { isRegularFile, readRegularFile } from "../io/regular-file.js";

/** The name of the file that makes a folder of logs a recording. */
export const RECORD_FILE = "record.json";
/** A larger file is of somebody else. */
export const MOST_RECORD_BYTES = 16 * 2 ** 20;

/** Returns what is to be said of a process with a problem. */
export function problemText(problem: string): string {
  return problem.startsWith("without ") ? `recorded ${problem}` : `not recorded: ${problem}`;
}

/** The folder whose sources and source maps may be read for the logs of a recording. */
export interface RecordedRoot {
  readonly path: string;
  /** Tells the folder of the recording from its copies. */
  readonly mark: string;
}

/** The machine of a recording. */
export interface Machine {
  readonly name: string;
  /** As in process.platform. */
  readonly platform: string;
  readonly release: string;
  /** `x64`. */
  readonly arch: string;
  readonly cpu: string;
  readonly cpus: number;
  /** In bytes. */
  readonly memory: number;
}

/**
 * What ticks record keeps of a run.
 * @id record.schema.json
 * @title record.json in a folder of ticks record, schema version 1
 */
export interface RecordFileData {
  readonly command: "record";
  /** Of ticks. */
  readonly version: string;
  /** Increases when a key changes its meaning or is removed. */
  readonly schemaVersion: 1;
  readonly recorded: RecordedData;
}

export interface RecordedData {
  /** The command as it was typed. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The folder whose sources and source maps ticks reads for these logs, in this very folder only; null for none. */
  readonly root: RecordedRoot | null;
  /** When the command was started, in milliseconds since 1970. */
  readonly start: number;
  /** Microseconds between two ticks, as asked for; of a recording of allocations alone 0. */
  readonly interval: number;
  /** The mean of bytes between two samples of allocations, as asked for; null of a recording without them. */
  readonly samplingInterval?: number | null;
  /** The flags of V8, for Node 16 and later. */
  readonly flags: readonly string[];
  readonly machine: Machine;
  /** The commit of the working tree; null outside of one. */
  readonly commit: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** How the command ended; null while it runs, and if the recording was killed. */
  readonly outcome: RecordedOutcomeData | null;
  /** The Node processes that started, in the order of their starts. */
  readonly processes: readonly RecordedProcessData[];
  /** How many runs there are, in folders run-1 and so on; null for a single run. */
  readonly runs: number | null;
}

export interface RecordedOutcomeData {
  /** Its exit status; null if a signal ended it. */
  readonly status: number | null;
  readonly signal: string | null;
  /** The option that ended it, such as --duration. */
  readonly stoppedBy: string | null;
  readonly seconds: number;
}

export interface RecordedProcessData {
  readonly pid: number;
  /** The process that started it. */
  readonly ppid: number;
  /** Its words; long ones are cut. */
  readonly command: readonly string[];
  readonly cwd: string | null;
  /** Such as v20.1.0. */
  readonly node: string;
  readonly v8: string;
  /** In milliseconds since 1970. */
  readonly start: number;
  /** Why it has no log, or `without` flags that its log lacks; null if it should have a whole one. */
  readonly problem: string | null;
  /**
   * The CPU time of all its threads in milliseconds, of a process that a signal ended as of half a second before; null if it
   * is not known.
   */
  readonly cpu?: number | null;
  /** The CPU time of each of its threads that ran JavaScript, in milliseconds, if it came to its end; on Linux. */
  readonly threadCpu?: readonly number[];
  /** Its workers that the program gave names. */
  readonly workers?: readonly NamedWorkerData[];
}

export interface NamedWorkerData {
  /** Its threadId. */
  readonly thread: number;
  readonly name: string;
}

/** The same with all keys, and undefined in place of null. */
type Defined<T> = T extends null
  ? undefined
  : T extends readonly (infer Item)[]
    ? readonly Defined<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]-?: Defined<T[Key]> }
      : T;

/** What `ticks record` keeps of a run. */
export type RecordFacts = Defined<RecordedData>;
/** A Node process of a recording, as it was when it started. */
export type RecordedProcess = Defined<RecordedProcessData>;

/** What each thread profiles of itself. */
export interface Profiling {
  readonly of: "time" | "memory";
  /** In microseconds, or bytes. */
  readonly interval: number;
  /** Whether V8 writes logs, too; default: it writes none. */
  readonly hasLogs?: boolean;
}

/** What pages call the profiles. */
export const PROFILES: Readonly<Record<Profiling["of"], string>> = {
  time: "CPU profile",
  memory: "heap profile",
};

/** Returns the name that Node gives a profile, in local time. Source: Node, src/util.cc, `DiagnosticFilename`. */
export function profileName(
  of: Profiling["of"],
  now: Date,
  { pid, thread, sequence }: { readonly pid: number; readonly thread: number; readonly sequence: number },
): string {
  const padded = (number: number, length: number) => String(number).padStart(length, "0");
  const date = `${now.getFullYear()}${padded(now.getMonth() + 1, 2)}${padded(now.getDate(), 2)}`;
  const time = `${padded(now.getHours(), 2)}${padded(now.getMinutes(), 2)}${padded(now.getSeconds(), 2)}`;
  const middle = `${date}.${time}.${pid}.${thread}.${padded(sequence, 3)}`;
  return of === "time" ? `CPU.${middle}.cpuprofile` : `Heap.${middle}.heapprofile`;
}

/** Matches the names that Node and Deno give CPU profiles, and Node heap profiles. */
export const PROFILE_NAME = /^(?:CPU\.[\w.-]+\.cpu|Heap\.[\w.-]+\.heap)profile$/;

/** Returns the paths of the profiles in a folder, sorted by name. */
export function profilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => PROFILE_NAME.test(name))
    .sort()
    .map((name) => join(folder, name))
    .filter(isRegularFile);
}

/** Returns the process whose main thread a profile is of, by its name; undefined for other threads and names. */
export function profiledPid(path: string): number | undefined {
  const pid = /\.(\d+)\.0\.\d+\.(?:cpu|heap)profile$/.exec(path)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Returns whether a folder is one that `ticks record` made. */
export function isRecording(folder: string): boolean {
  return isRegularFile(join(folder, RECORD_FILE));
}

/** Matches the name of the folder of one of several runs. */
const RUN_FOLDER = /^run-(\d{1,6})$/;

/** Returns the folder of run `number` of a recording, from 1. */
export function runFolder(folder: string, number: number): string {
  return join(folder, `run-${number}`);
}

/** Returns the folders of the runs of a recording in their order; none for a single run, and for other folders. */
export function runFoldersIn(folder: string): string[] {
  if (!isRecording(folder)) return [];
  return readdirSync(folder)
    .filter((name) => RUN_FOLDER.test(name))
    .sort((a, b) => Number(RUN_FOLDER.exec(a)![1]) - Number(RUN_FOLDER.exec(b)![1]))
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() && isRecording(path));
}

/** The folders of two commands that `--against` compares, in the folder of the recording. */
export const SIDE_FOLDERS = ["before", "after"] as const;

/** Returns the folders of the runs before and after in a recording of `--against`; undefined for other folders. */
export function sidesIn(folder: string): readonly [before: string, after: string] | undefined {
  const [before, after] = SIDE_FOLDERS.map((side) => join(folder, side));
  return [before!, after!].every((side) => runFoldersIn(side).length > 0) ? [before!, after!] : undefined;
}

/**
 * Reads what a folder says of its recording; undefined for another folder, and for a file that is damaged. Values of the wrong
 * type are left out.
 */
export function readRecordFile(folder: string): RecordFacts | undefined {
  try {
    const path = join(folder, RECORD_FILE);
    if (!lstatSync(path).isFile()) return undefined;
    return factsOf(JSON.parse(readRegularFile(path, MOST_RECORD_BYTES).toString("utf8")));
  } catch {
    return undefined; // There is none, or what is there is no JSON.
  }
}

/**
 * Returns the folder whose sources may be read for the logs in a folder: where the user recorded them. Undefined if this is not the very
 * folder that the recorder made here for this user, or if others may have written into it: what an archive or somebody else brings
 * must not say what is read.
 */
export function sourceRootOf(folder: string): string | undefined {
  try {
    const { path, mark } = readRecordFile(folder)?.root ?? {};
    if (path === undefined || mark === undefined || mark !== markOf(folder)) return undefined;
    const isOwned =
      isOwn(folder, 0o022) && isOwn(join(folder, RECORD_FILE), 0o077) && isOwn(path, 0) && isAbsolute(path);
    return isOwned && statSync(path).isDirectory() ? path : undefined;
  } catch {
    return undefined; // It is gone.
  }
}

/**
 * Returns what tells a folder from all others, also from its copies: its number and the nanosecond when it was made. Undefined where the
 * disk does not keep that.
 */
export function markOf(folder: string): string | undefined {
  const { ino, birthtimeNs } = lstatSync(folder, { bigint: true });
  return birthtimeNs > 0n ? `${ino} ${birthtimeNs}` : undefined;
}

/** Returns whether a file is this user's, and others lack these permissions. Windows has no such modes. */
function isOwn(path: string, forbidden: number): boolean {
  const { uid, mode } = lstatSync(path);
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & forbidden) === 0);
}

/** Characters of a command that titles show. */
const SHOWN_COMMAND = 60;

/** Returns the process of a recording with a PID; undefined if there is none. The last one of several counts. */
export function processWith({ processes }: RecordFacts, pid: number): RecordedProcess | undefined {
  return processes.findLast((one) => one.pid === pid);
}

/** Returns the program that a process of a recording ran. */
export function programOf({ command }: RecordFacts, process: RecordedProcess, folder: string) {
  return {
    command: commandText(process.command, process.cwd),
    recorded: commandText(command),
    folder,
    node: /^v(\d[\w.-]{0,40})$/.exec(process.node)?.[1],
  };
}

/** Returns a command as people type it: the program without its folder, files as from the working directory. */
export function commandText([name = "", ...words]: readonly string[], cwd?: string): string {
  const program = win32.basename(posix.basename(name), ".exe");
  const isInside = (word: string) =>
    cwd !== undefined && (word.startsWith(`${cwd}/`) || word.startsWith(`${cwd}\\`));
  const shown = words.map((word) => (isInside(word) ? word.slice(cwd!.length + 1) : word));
  const text = [program, ...shown].join(" ").replace(/\s+/g, " ");
  return text.length > SHOWN_COMMAND ? `${text.slice(0, SHOWN_COMMAND - 1)}…` : text;
}

type Json = Readonly<Record<string, unknown>>;

function factsOf(value: unknown): RecordFacts | undefined {
  const record = objectOf(objectOf(value)?.recorded);
  if (record === undefined || record.command === undefined) return undefined;
  const machine = objectOf(record.machine) ?? {};
  const outcome = objectOf(record.outcome);
  return {
    command: textsOf(record.command),
    cwd: textOf(record.cwd) ?? "",
    root: rootOf(record.root),
    start: numberOf(record.start) ?? 0,
    interval: numberOf(record.interval) ?? 0,
    samplingInterval: numberOf(record.samplingInterval),
    flags: textsOf(record.flags),
    machine: {
      name: textOf(machine.name) ?? "",
      platform: textOf(machine.platform) ?? "",
      release: textOf(machine.release) ?? "",
      arch: textOf(machine.arch) ?? "",
      cpu: textOf(machine.cpu) ?? "",
      cpus: numberOf(machine.cpus) ?? 0,
      memory: numberOf(machine.memory) ?? 0,
    },
    commit: textOf(record.commit),
    labels: labelsOf(record.labels),
    outcome: outcome && {
      status: numberOf(outcome.status),
      signal: textOf(outcome.signal),
      stoppedBy: textOf(outcome.stoppedBy),
      seconds: numberOf(outcome.seconds) ?? 0,
    },
    processes: listOf(record.processes).flatMap((one) => processOf(one) ?? []),
    runs: numberOf(record.runs),
  };
}

function rootOf(value: unknown): RecordedRoot | undefined {
  const root = objectOf(value);
  const [path, mark] = [textOf(root?.path), textOf(root?.mark)];
  return path === undefined || mark === undefined ? undefined : { path, mark };
}

/** Returns the process that a value describes; undefined if it describes none. */
export function processOf(value: unknown): RecordedProcess | undefined {
  const process = objectOf(value);
  const pid = numberOf(process?.pid);
  if (process === undefined || pid === undefined) return undefined;
  return {
    pid,
    ppid: numberOf(process.ppid) ?? 0,
    command: textsOf(process.command),
    cwd: textOf(process.cwd),
    node: textOf(process.node) ?? "",
    v8: textOf(process.v8) ?? "",
    start: numberOf(process.start) ?? 0,
    problem: textOf(process.problem),
    cpu: numberOf(process.cpu),
    threadCpu: listOf(process.threadCpu).filter((one) => typeof one === "number"),
    workers: listOf(process.workers).flatMap((one) => workerOf(one) ?? []),
  };
}

function workerOf(value: unknown): NamedWorkerData | undefined {
  const worker = objectOf(value);
  const [thread, name] = [numberOf(worker?.thread), textOf(worker?.name)];
  return thread === undefined || name === undefined ? undefined : { thread, name };
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function labelsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(value) ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
