import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../io/child-program.js";
import { processOf, type RecordedProcess } from "./recording-file.js";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What to record, beside ticks. */
export interface RecordWish {
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

/** The subfolder of a recording that processes look into as long as it goes on. */
const SESSION = ".recording";

/** A folder that processes are recorded into. */
export interface Session {
  /** Absolute. */
  readonly folder: string;
  /** The variables of the program. */
  readonly env: Environment;
  /** Returns a command with the flags, if it names a Node program by its path: nothing else would add them. */
  withFlags(words: readonly string[]): readonly string[];
}

export interface SessionOptions {
  readonly flags: RecordFlags;
  /** Whether processes tell of the first port that they listen on. */
  readonly watchesPort: boolean;
  readonly env: Environment;
}

/** Prepares a folder, and returns the variables that make Node processes write their logs there. Throws errors of the system. */
export function openSession(folder: string, { flags, watchesPort, env }: SessionOptions): Session {
  const absolute = resolve(folder);
  const session = join(absolute, SESSION);
  // V8 puts the isolate before the name and the PID after it. A new isolate may get the address of one that is gone, a
  // new process its PID: with the time no two logs have one name.
  const log = join(absolute.replaceAll("%", "%%"), "t%t-v8-%p.log");
  const nodeOption = `--require=${quotedOption(PRELOAD)}`;
  const isWindows = process.platform === "win32";
  mkdirSync(session);
  const config = {
    flags: flags.all,
    newFlags: flags.modern,
    oldFlags: flags.old,
    log,
    nodeOption,
    programs: isWindows ? undefined : PROGRAMS,
    watchesPort,
  };
  writeFileSync(join(session, "processes.jsonl"), "");
  const onPath = isWindows ? undefined : findProgram("node", env);
  const shim = {
    log,
    node: onPath ?? "",
    flags: flags.all.join(" "),
    node_flags: onPath === undefined ? "" : flagsOfVersion(onPath, flags).join(" "),
    node_option: nodeOption,
  };
  const lines = Object.entries(shim).map(([name, value]) => `ticks_${name}=${quoted(value)}\n`);
  writeFileSync(join(session, "shim"), lines.join(""));
  writeFileSync(join(session, "config.json"), JSON.stringify(config));
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return {
    folder: absolute,
    withFlags([name = "", ...args]) {
      if (!isNodePath(name)) return [name, ...args];
      return [name, ...flags.all, ...flagsOfVersion(name, flags), `--logfile=${log}`, ...args];
    },
    env: {
      ...env,
      TICKS_RECORD: session,
      NODE_OPTIONS: [nodeOption, env.NODE_OPTIONS ?? ""].join(" ").trim(),
      ...(isWindows || env[pathName] === undefined
        ? {}
        : { [pathName]: `${PROGRAMS}${delimiter}${env[pathName]}` }),
    },
  };
}

/** Ends a recording: processes that start from now on are not recorded. */
export function closeSession({ folder }: Session): void {
  rmSync(join(folder, SESSION), { recursive: true, force: true });
}

/** Returns the Node processes that have started so far, in the order of their starts. */
export function processesOf({ folder }: Session): RecordedProcess[] {
  const processes: RecordedProcess[] = [];
  for (const line of textOf(join(folder, SESSION, "processes.jsonl")).split("\n")) {
    const process = line === "" ? undefined : processOf(parsed(line));
    if (process !== undefined) processes.push(process);
  }
  return processes.sort((a, b) => a.start - b.start || a.pid - b.pid);
}

/** Returns the first port that a process listens on; undefined if there is none yet. */
export function portOf({ folder }: Session): number | undefined {
  const port = Number.parseInt(textOf(join(folder, SESSION, "port")), 10);
  return Number.isNaN(port) ? undefined : port;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // Its process was killed as it wrote.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // Nothing was written yet, or the program removed it.
  }
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
  try {
    const file = realpathSync(word);
    return NODE_NAME.test(basename(file)) && !file.startsWith(PROGRAMS);
  } catch {
    return false; // There is none: its start says so.
  }
}

/** Quotes a path for NODE_OPTIONS, if it has to be: Node 10 knows no quotes. */
function quotedOption(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, "\\$&")}"` : path;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
