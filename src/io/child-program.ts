import type { ChildProcess, SpawnOptions } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, parse, resolve } from "node:path";

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
