import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TicksError, tried } from "../base/errors.js";
import { writeWholeFile } from "../io/atomic-file.js";
import { findProgram } from "../io/child-program.js";
import { readRegularFile } from "../io/regular-file.js";
import { isRunning, signalAll } from "./process-tree.js";
import { type Profiling, processOf, type RecordedProcess, readRecordFile } from "./recording-file.js";

/** How many names are tried: each recording that goes on has one. */
const MOST_TRIES = 20;
/** The bits of a mode by which others may write, and the one by which they may not remove what is not theirs. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Makes a link to the folder of a recording, under a name that is the same for each recording in `place`, so that the
 * logs can be named by it. V8's cached code is only good for the flags that it was made with, and the name of the log
 * is one of them: under the folder's own name a program would find its cache of compiled code cold each time.
 * Undefined if there can be no such link.
 *
 * Source: V8, src/flags/flags.cc, `ComputeFlagListHash`; src/snapshot/code-serializer.cc, `SanityCheck`.
 */
export function linkTo(folder: string, place: string): string | undefined {
  const parent = resolve(place);
  try {
    const { mode } = statSync(parent);
    // Whoever may replace the link could send the logs elsewhere.
    if (process.platform !== "win32" && (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      return undefined;
    for (let number = 1; number <= MOST_TRIES; number++) {
      const path = join(parent, number === 1 ? ".ticks-recording" : `.ticks-recording-${number}`);
      if (isLeft(path)) unlinkSync(path);
      if (isMade(folder, path)) return path;
    }
  } catch {
    // The folder may be read only, or its disk may have no links.
  }
  return undefined;
}

function isMade(folder: string, path: string): boolean {
  try {
    symlinkSync(folder, path, "junction"); // The kind counts on Windows alone: this one needs no rights.
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns whether a link is one of our own that nothing writes through any more. */
function isLeft(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status?.isSymbolicLink()) return false;
  if (process.platform !== "win32" && status.uid !== process.getuid!()) return false;
  const folder = resolve(dirname(path), readlinkSync(path));
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return true;
  const facts = readRecordFile(folder);
  return facts?.outcome !== undefined && !facts.processes.some(({ pid }) => isRunning(pid));
}

/** Removes a link that {@link linkTo} made, unless the program did. */
function removeLink(path: string): void {
  tried(() => unlinkSync(path));
}

/** Stands for a secret. */
export const MASK = "***";

/** Words that make a name that of a secret, wherever they stand in it: `API_TOKEN`, `--client-secret`, `dbPassword`. */
const SECRET = new Set([
  ...[
    "token",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
  ],
  ...["apikey", "authorization", "bearer", "cookie", "jwt"],
]);
/** Words that do so only at the end: `--ssl-key`, but not `--key-size`. */
const SECRET_AT_END = new Set([
  "key",
  "auth",
  "pass",
  "pw",
  "pwd",
  "pat",
  "sid",
  "pin",
  "signature",
  "sig",
  "dsn",
]);
/** The end of names that are squashed into one word: `PGPASSWORD`, `accesstoken`. */
const SQUASHED = /(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey)$/;
/** What a name with such an end holds is about a secret, not one. */
const ABOUT = /^(?:file|path|dir|url|uri|name|type|length|size|ttl|count|id|limit|expiry|header|stdin)$/;
/** Variables of every shell. */
const NO_SECRETS = new Set(["PWD", "OLDPWD"]);

/** Tokens that are known by their form. */
const KNOWN = /^(?:gh[pousr]_|github_pat_|glpat-|npm_|sk-|xox[abprs]-|AKIA|eyJ)[\w.-]{16,}$/;
/** Words of a text. */
const WORD = /[\w.-]+/g;
/** A user in a URL, with a password or, for the web, a token; a long word can be cut within it. */
const IN_URL = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)([^\s/?#"'@:]*)(?::([^\s/?#"']*))?(@|…$)/gi;
/** A name before a value, in code, in JSON, in a query or a header, and such a value. */
const BEFORE_VALUE = /(?<![\w.-])([\w.-]+)["']?\s{0,3}[=:]\s{0,3}["']?/g;
const VALUE = /[^\s"',;&}]+/y;
/** A header whose value has blanks. */
const HEADER = /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,3}:\s{0,3}["']?)[^"'\n]+/gi;
/** An option with a value in the next word of a longer text. */
const OPTION = /(^|[\s"'])(--?[A-Za-z][\w.-]{0,100})(\s{1,3}["']?)([^\s"'-][^\s"']*)/g;

/** Returns the words of a command line without secrets: values of options, variables and headers of such names, and passwords of URLs. */
export function maskSecrets(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const before = words[i - 1] ?? "";
    if (isOption(before) && isSecret(before) && !/^--|^-\w$/.test(word)) return MASK;
    if (/^(?:-u|--user|--proxy-user)$/.test(before)) return word.replace(/:.+/s, `:${MASK}`);
    if (/^-u[^:\s]+:./.test(word)) return word.replace(/:.+/s, `:${MASK}`);
    const [, name] = /^(-{0,2}[A-Za-z_][\w.-]*)=/.exec(word) ?? [];
    if (name !== undefined && isSecret(name)) return `${name}=${MASK}`;
    return maskText(word);
  });
}

function isOption(word: string): boolean {
  return /^--?[A-Za-z][\w.-]*$/.test(word);
}

function maskText(text: string): string {
  const masked = text
    .replace(IN_URL, (whole, scheme: string, user: string, password: string | undefined, end: string) => {
      if (password !== undefined) return `${scheme}${user}:${MASK}${end}`;
      return end === "@" && /^https?:/i.test(scheme) ? `${scheme}${MASK}@` : whole;
    })
    .replace(HEADER, (_, name: string, between: string) => `${name}${between}${MASK}`)
    .replace(OPTION, (whole, start: string, name: string, between: string) =>
      isSecret(name) ? `${start}${name}${between}${MASK}` : whole,
    )
    .replace(WORD, (word) => (KNOWN.test(word) ? MASK : word));
  return maskValues(masked);
}

function maskValues(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: found, 1: name = "", index } of text.matchAll(BEFORE_VALUE)) {
    if (index < done || !isSecret(name)) continue;
    VALUE.lastIndex = index + found.length;
    if (!VALUE.test(text)) continue;
    parts.push(text.slice(done, index + found.length), MASK);
    done = VALUE.lastIndex;
  }
  return parts.join("") + text.slice(done);
}

/** Whether a variable or an option of this name holds a secret. */
function isSecret(name: string): boolean {
  if (NO_SECRETS.has(name)) return false;
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  if (ABOUT.test(last)) return false;
  return parts.some((part) => SECRET.has(part)) || SECRET_AT_END.has(last) || SQUASHED.test(last);
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What to record, beside ticks. */
interface RecordWish {
  /** In microseconds. */
  readonly interval: number;
  readonly deopts?: boolean | undefined;
  readonly ics?: boolean | undefined;
  /** Whether to log each function as it is parsed and compiled. */
  readonly startup?: boolean | undefined;
  /** Whether to leave out Sparkplug, whose code has no lines in the logs of Node 16 to 25. */
  readonly noSparkplug?: boolean | undefined;
}

/** Flags of V8. Each version refuses to start with one that it does not know. */
export interface RecordFlags {
  /** For any version from Node 10 on. */
  readonly all: readonly string[];
  /** From V8 9.4 on: Node 16. */
  readonly modern: readonly string[];
  /** Before. */
  readonly old: readonly string[];
}

/** Returns the flags for what is to be recorded. */
export function recordFlags({ interval, deopts, ics, startup, noSparkplug }: RecordWish): RecordFlags {
  const some = (flag: string, isWanted: boolean | undefined) => (isWanted ? [flag] : []);
  return {
    all: ["--prof", `--prof-sampling-interval=${interval}`, ...some("--log-function-events", startup)],
    modern: [
      ...some("--log-deopt", deopts),
      ...some("--log-ic", ics),
      ...some("--no-sparkplug", noSparkplug),
    ],
    // These versions log all deopts, call the flag for ICs otherwise, and have no Sparkplug.
    old: some("--trace-ic", ics),
  };
}

/** Where the files are that processes of the program load and run. */
const PRELOAD = fileURLToPath(new URL("../../dist/record/preload.cjs", import.meta.url));
const PROGRAMS = fileURLToPath(new URL("../../dist/record/bin", import.meta.url));

/** What the subfolder of a recording that processes look into as long as it goes on is called, before six random characters. */
const SESSION = ".recording-";
/** More bytes about processes than this are of somebody else. */
const MOST_BYTES = 2 ** 28;

/** The names of more workers of a process are not kept. */
const MOST_WORKERS = 1000;

/** A folder that processes are recorded into. */
export interface Session {
  /** Absolute, without links. */
  readonly folder: string;
  /** The folder that processes look into: of this user alone. */
  readonly scratch: string;
  /** The link to the folder by which the logs are named; undefined if there is none. */
  readonly link: string | undefined;
  /** The variables of the program. */
  readonly env: Environment;
  /** Returns a command with the flags, if it names a Node program by its path: nothing else would add them. */
  withFlags(words: readonly string[]): readonly string[];
}

interface SessionOptions {
  readonly flags: RecordFlags;
  /** What threads profile of themselves; undefined for logs alone. */
  readonly profiling: Profiling | undefined;
  /** Whether processes tell of the first port that they listen on. */
  readonly watchesPort: boolean;
  /** Whether the command may be stopped before it ends by itself. */
  readonly canStop: boolean;
  /** Where the link to the folder is made. */
  readonly linkPlace: string;
  readonly env: Environment;
}

/**
 * Makes a folder that only this user can look into: in that of the recording, or, if that is on a disk without modes of files, in one
 * for it alone among temporary files. Throws errors of the system, and a {@link TicksError} if there is no private place.
 */
function makeScratch(folder: string): string {
  const scratch = privateFolder(folder);
  if (scratch !== undefined) return scratch;
  const place = privateFolder(realpathSync(tmpdir()));
  if (place !== undefined) return mkdtempSync(join(place, SESSION));
  throw new TicksError(
    "NOT_WRITABLE",
    "no folder can be kept from other users, neither there nor for temporary files",
    "Name one on another disk: -o DIR",
  );
}

/** Makes a folder for this user alone; undefined if the disk does not keep modes of files. */
function privateFolder(place: string): string | undefined {
  const folder = mkdtempSync(join(place, SESSION));
  const { uid, mode } = lstatSync(folder);
  if (process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o077) === 0)) return folder;
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Prepares a folder, and returns the variables that make Node processes write their logs there. Throws errors of the system. */
export function openSession(folder: string, options: SessionOptions): Session {
  const { flags, profiling, watchesPort, canStop, linkPlace, env } = options;
  const absolute = realpathSync(resolve(folder));
  const scratch = makeScratch(absolute);
  const token = randomBytes(16).toString("hex");
  // V8 puts the isolate before the name and the PID after it. A new isolate may get the address of one that is gone, a
  // new process its PID: with the time no two logs have one name.
  const hasLogs = profiling?.hasLogs ?? profiling === undefined;
  const link = hasLogs ? linkTo(absolute, linkPlace) : undefined;
  const log = join((link ?? absolute).replaceAll("%", "%%"), "t%t-v8-%p.log");
  const nodeOption = `--require=${quotedOption(PRELOAD)}`;
  // Nothing but a flag needs the script that is `node` on the PATH.
  const hasScript = process.platform !== "win32" && hasLogs;
  const onPath = hasScript ? findProgram("node", env) : undefined;
  // The script that is `node` on the PATH reads no file: who could write one could run anything.
  const variables = {
    TICKS_RECORD: scratch,
    TICKS_RECORD_TOKEN: token,
    TICKS_RECORD_LOG: log,
    TICKS_RECORD_NODE: onPath ?? "",
    TICKS_RECORD_FLAGS: flags.all.join(" "),
    TICKS_RECORD_NODE_FLAGS: onPath === undefined ? "" : flagsOfVersion(onPath, flags).join(" "),
    TICKS_RECORD_OPTION: nodeOption,
  };
  const config = {
    flags: flags.all,
    newFlags: flags.modern,
    oldFlags: flags.old,
    log,
    nodeOption,
    profile: profiling && { ...profiling, folder: absolute },
    hasLogs,
    programs: hasScript ? PROGRAMS : undefined,
    watchesPort,
    variables,
    canStop,
  };
  const write = (name: string, text: string) =>
    writeWholeFile(join(scratch, name), text, { mode: 0o600, isDurable: false });
  write("processes.jsonl", "");
  write(`config-${token}.json`, JSON.stringify(config));
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return {
    folder: absolute,
    scratch,
    link,
    withFlags([name = "", ...args]) {
      if (profiling?.of === "time") return [name, ...denoFlags(name, args, [absolute, profiling.interval])];
      if (!hasLogs || !isNodePath(name)) return [name, ...args];
      return [name, ...flags.all, ...flagsOfVersion(name, flags), `--logfile=${log}`, ...args];
    },
    env: {
      ...env,
      ...variables,
      NODE_OPTIONS: [nodeOption, env.NODE_OPTIONS ?? ""].join(" ").trim(),
      ...(hasScript && env[pathName] !== undefined
        ? { [pathName]: `${PROGRAMS}${delimiter}${env[pathName]}` }
        : {}),
    },
  };
}

/**
 * Ends a recording: processes that start from now on are not recorded. The link stays for those that still run: V8
 * would write the logs of new workers to standard output.
 */
export function closeSession({ folder, scratch, link }: Session, isInUse: boolean): void {
  const made = dirname(scratch) === folder ? scratch : dirname(scratch);
  rmSync(made, { recursive: true, force: true });
  if (link !== undefined && !isInUse) removeLink(link);
}

/** How long processes may take to begin to save what a signal would lose, then to do it, and how often they are looked at, in milliseconds. */
const BEGIN_PATIENCE = 1000;
const SAVE_PATIENCE = 30_000;
const SAVE_PERIOD = 10;

/**
 * Tells processes which signal will come, so that they save what it would lose: their caches of compiled code and their profiles.
 * Waits for those that begin with it. A busy one does not, and has no more time than that.
 */
export async function announceSignal(
  { scratch }: Session,
  { pids, signal }: { readonly pids: readonly number[]; readonly signal: NodeJS.Signals },
): Promise<void> {
  const file = (name: string, pid: number) => join(scratch, `${name}-${pid}`);
  const asked = pids.filter((pid) => existsSync(file("listens", pid)) && isRunning(pid));
  for (const pid of asked) {
    // Whole at once: the process may read it at any moment.
    tried(() => writeWholeFile(file("stop", pid), signal, { mode: 0o600, isDurable: false }));
  }
  signalAll(asked, "SIGURG");
  const start = performance.now();
  const isAwaited = (pid: number) => {
    const passed = performance.now() - start;
    const isBusy =
      (passed < BEGIN_PATIENCE && existsSync(file("stop", pid))) ||
      (passed < SAVE_PATIENCE && existsSync(file("saves", pid)));
    return isBusy && isRunning(pid);
  };
  while (asked.some(isAwaited)) await new Promise((resolve) => setTimeout(resolve, SAVE_PERIOD));
  // One that is asked too late must not end its profile while it goes on.
  for (const pid of asked) tried(() => unlinkSync(file("stop", pid)));
}

/** Returns the Node processes that have started so far, in the order of their starts, without the secrets on their command lines. */
export function processesOf({ scratch }: Session): RecordedProcess[] {
  const processes: RecordedProcess[] = [];
  for (const line of textOf(join(scratch, "processes.jsonl")).split("\n")) {
    const fields = line === "" ? undefined : parsed(line);
    const process = processOf(fields);
    if (process === undefined) continue;
    const { pid, cpu, command } = process;
    const known = command.length === 0 ? processes.findLastIndex((one) => one.pid === pid) : -1;
    if (known < 0) {
      processes.push({ ...process, command: maskSecrets(command) });
      continue;
    }
    // A thread tells its CPU time at its end, the main thread also that of its process.
    const { threadCpu, worker, name } = fields as Readonly<Record<string, unknown>>;
    const one = processes[known]!;
    if (typeof worker === "number" && typeof name === "string") {
      if (one.workers.length < MOST_WORKERS)
        processes[known] = { ...one, workers: [...one.workers, { thread: worker, name }] };
      continue;
    }
    const times = typeof threadCpu === "number" ? [...one.threadCpu, threadCpu] : one.threadCpu;
    processes[known] = { ...one, cpu: cpu ?? one.cpu, threadCpu: times };
  }
  return processes.sort((a, b) => a.start - b.start || a.pid - b.pid);
}

/** Returns the first port that a process listens on; undefined if there is none yet. */
export function portOf({ scratch }: Session): number | undefined {
  const port = Number.parseInt(textOf(join(scratch, "port")), 10);
  return Number.isNaN(port) ? undefined : port;
}

function parsed(line: string): unknown {
  return tried(() => JSON.parse(line)); // Its process may have been killed as it wrote.
}

function textOf(file: string): string {
  // Nothing may be written yet, or the program removed it.
  return tried(() => readRegularFile(file, MOST_BYTES).toString("utf8")) ?? "";
}

/** Returns the flags that not every version of Node knows, for a Node program: none if there are none, without asking it. */
function flagsOfVersion(path: string, { modern, old }: RecordFlags): readonly string[] {
  if (modern.length + old.length === 0) return [];
  const { stdout } = spawnSync(path, ["-p", "process.versions.v8"], { encoding: "utf8", timeout: 10_000 });
  const [major = 0, minor = 0] = (stdout ?? "").trim().split(".").map(Number);
  if (major === 0) return [];
  return major > 9 || (major === 9 && minor >= 4) ? modern : old;
}

/** Matches file names of Node: `node`, `nodejs`, `node.exe`, `node-20`. */
const NODE_NAME = /^node(?:js)?(?:-?[\d.]+)?(?:\.exe)?$/i;

/** Returns whether a word is the path of a Node program: on Windows, which has no program of ours on the PATH, also a name. */
function isNodePath(word: string): boolean {
  if (!NODE_NAME.test(basename(word))) return false;
  if (basename(word) === word) return process.platform === "win32";
  const file = tried(() => realpathSync(word)); // If there is none, its start says so.
  return file !== undefined && NODE_NAME.test(basename(file)) && !file.startsWith(PROGRAMS);
}

/** Commands of Deno that can profile. */
const DENO_COMMANDS: readonly string[] = ["run", "eval"];

/** Returns the arguments of Deno with the flags for a CPU profile, since it has no NODE_OPTIONS; those of other programs as they are. */
function denoFlags(
  name: string,
  args: readonly string[],
  [folder, interval]: readonly [string, number],
): readonly string[] {
  const [command = "", ...others] = args;
  if (!/^deno(?:\.exe)?$/i.test(basename(name)) || !DENO_COMMANDS.includes(command)) return args;
  return [command, "--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${interval}`, ...others];
}

/** Quotes a path for NODE_OPTIONS, if it has to be: Node 10 knows no quotes. */
function quotedOption(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, "\\$&")}"` : path;
}
