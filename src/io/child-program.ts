import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, parse, resolve } from "node:path";
import { TicksError } from "../base/errors.js";

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Where to look for programs without a PATH. Source: glibc, `confstr(_CS_PATH)`. */
const DEFAULT_PATH = "/bin:/usr/bin";
/** Variables that a program may need to read a file: library paths, temporary folders, Xcode. */
const NEEDED =
  /^(?:HOME|USERPROFILE|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|(?:DY)?LD_LIBRARY_PATH|DEVELOPER_DIR|SDKROOT)$/i;

/**
 * Returns the absolute path of a program. A name with a slash is relative to the current folder; any other is
 * looked up in the absolute folders of the PATH, because the current folder may contain a stranger's log.
 * Returns undefined if there is no such program to run.
 */
export function findProgram(program: string, env: Environment = process.env): string | undefined {
  if (program === "") return undefined;
  const folders = basename(program) === program ? searchFolders(env) : [resolve()];
  for (const folder of folders) {
    for (const extension of extensions(env)) {
      const path = resolve(folder, program + extension);
      if (isProgram(path)) return path;
    }
  }
  return undefined;
}

/**
 * Returns spawn options for a program that only reads its input: with a minimal environment, with messages in
 * English, and outside the current folder, where some programs look for their settings.
 */
export function readerOptions(env: Environment = process.env): SpawnOptions {
  const needed = Object.entries(env).filter(([name]) => NEEDED.test(name));
  return { ...quietOptions(), env: { ...Object.fromEntries(needed), PATH: searchPath(env), LC_ALL: "C" } };
}

/**
 * Returns the options of {@link readerOptions} for a program that shows something to the user, with the
 * user's whole environment.
 */
export function viewerOptions(env: Environment = process.env): SpawnOptions {
  const others = Object.entries(env).filter(([name]) => name.toUpperCase() !== "PATH");
  return { ...quietOptions(), env: { ...Object.fromEntries(others), PATH: searchPath(env) } };
}

/** How much a program may use. */
export interface ProgramLimits {
  readonly milliseconds: number;
  /** Bytes of output. */
  readonly bytes: number;
}

/**
 * Kills a program that runs too long or prints too much, and calls `onStop` once. The caller still reads its
 * output.
 */
export function stopPast(
  child: ChildProcess,
  { milliseconds, bytes }: ProgramLimits,
  onStop: () => void,
): void {
  let size = 0;
  const stop = () => {
    if (child.killed) return;
    child.kill("SIGKILL");
    // Its child processes may still hold the other end.
    child.stdout?.destroy();
    onStop();
  };
  // Not spawn's own timeout, which would keep this process waiting after a failed start.
  const timer = setTimeout(stop, milliseconds);
  child.on("error", () => clearTimeout(timer));
  child.on("close", () => clearTimeout(timer));
  child.stdout?.on("data", (chunk: Uint8Array) => {
    size += chunk.length;
    if (size > bytes) stop();
  });
}

function quietOptions(): SpawnOptions {
  return { cwd: parse(process.execPath).root, shell: false, windowsHide: true };
}

function searchPath(env: Environment): string {
  return searchFolders(env).join(delimiter);
}

function searchFolders(env: Environment): string[] {
  // Variable names on Windows ignore case.
  const stated = env.PATH ?? Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
  return (stated ?? DEFAULT_PATH).split(delimiter).filter(isAbsolute);
}

/**
 * Returns the suffixes that the name of a program may have. Windows has others, such as `.CMD`, which need a
 * shell.
 */
function extensions({ PATHEXT = ".COM;.EXE" }: Environment): readonly string[] {
  if (process.platform !== "win32") return [""];
  const runnable = PATHEXT.split(";").filter((extension) => /^\.(?:com|exe)$/i.test(extension));
  return [...runnable, ""];
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // This user may not run it.
  }
}

/**
 * Opens a page, an absolute path or an address, with the system's default program. It does not pass through a shell. Throws a {@link
 * TicksError} if that fails.
 */
export async function openInBrowser(page: string): Promise<void> {
  const [name, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  try {
    const program = findProgram(name!);
    if (program === undefined) throw new Error(`${name} is not on the PATH`);
    await start(program, [...args, page]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TicksError("NOT_FOUND", `--open: could not open ${page}: ${reason}`, "Open it in a browser.");
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Starts a program that outlives this process. */
function start(program: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...viewerOptions(), detached: true, stdio: "ignore" });
    child.on("error", fail);
    child.on("spawn", () => {
      child.unref();
      done();
    });
  });
}

/** A program that shows text page by page, and how to start it. */
interface Pager {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Characters that only a shell understands. Source: git, run-command.c, `prepare_shell_cmd`, without the blanks. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'\n*?[#~=%]/;

/**
 * Returns the pager that the user's environment asks for: `TICKS_PAGER`, else `PAGER`, else `less`. Returns
 * undefined if that is empty or `cat`, if there is no such program, or if the terminal (`TERM`) can do nothing: it may be of a
 * program that waits for the end. Sets `LESS` to `FRX` and `LV` to `-c` if
 * they are not set: colours work, and text that fits the screen is only printed. Source: git, pager.c.
 */
export function choosePager(env: NodeJS.ProcessEnv = process.env): Pager | undefined {
  const command = (env.TICKS_PAGER ?? env.PAGER ?? "less").trim();
  if (command === "" || command === "cat" || isDumb(env)) return undefined;
  const needsShell = process.platform !== "win32" && SHELL_SYNTAX.test(command);
  const [name, ...args] = needsShell ? ["sh", "-c", command] : command.split(/\s+/);
  const program = findProgram(name!, env);
  if (program === undefined) return undefined;
  return { program, args, env: { LESS: "FRX", LV: "-c", ...viewerOptions(env).env } };
}

/** Whether the terminal can do no more than print. Windows names none. Source: git, editor.c, `is_terminal_dumb`. */
function isDumb({ TERM = process.platform === "win32" ? "?" : "" }: NodeJS.ProcessEnv): boolean {
  return TERM === "" || TERM === "dumb";
}

/** The exit statuses of a shell that cannot run the command. */
const NOT_RUN: readonly unknown[] = [126, 127];
/** A pager that takes more characters than this was started. */
const KEPT_LENGTH = 1 << 20;

/**
 * Shows chunks of text in a pager and waits until the user has closed it. If that is early, the remaining
 * chunks are not produced. Returns the chunks to write elsewhere if the pager cannot be started; else
 * undefined.
 *
 * An interrupt is for the pager. If it stops the writing, the process ends by the signal after the pager, as
 * git does.
 */
export async function showInPager(
  { program, args, env }: Pager,
  chunks: Iterable<string>,
): Promise<Iterable<string> | undefined> {
  const child = spawn(program, args, { env, stdio: ["pipe", "inherit", "inherit"] });
  const ended = endOf(child);
  child.stdin.on("error", () => {}); // The callbacks of the writes get it.
  const source = chunks[Symbol.iterator]();
  let kept: string[] | undefined = [];
  let length = 0;
  let isWriting = true;
  let isInterrupted = false;
  const onInterrupt = () => {
    isInterrupted ||= isWriting;
    if (isInterrupted) child.stdin.destroy();
  };
  process.on("SIGINT", onInterrupt);
  try {
    for (let next = source.next(); !next.done; next = source.next()) {
      length += next.value.length;
      if (length > KEPT_LENGTH) kept = undefined;
      kept?.push(next.value);
      if (!(await isTaken(child, next.value)) || isInterrupted) break;
    }
  } finally {
    isWriting = false;
    child.stdin.end();
    if (!NOT_RUN.includes(await ended)) kept = undefined;
    process.off("SIGINT", onInterrupt);
  }
  if (isInterrupted) process.kill(process.pid, "SIGINT");
  return kept && joined(kept, source);
}

/** Resolves to the exit status of a process: that of a missing command if it cannot be started. */
function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on("error", () => resolve(127));
    child.on("exit", resolve);
  });
}

/** Writes a chunk; resolves to whether the pager is still reading. */
function isTaken({ stdin }: ChildProcess, chunk: string): Promise<boolean> {
  return new Promise((resolve) => {
    stdin!.write(chunk, (error) => resolve(error == null));
  });
}

function* joined(first: Iterable<string>, rest: Iterator<string>): Iterable<string> {
  yield* first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
