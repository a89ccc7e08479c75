import type { ChildProcess, SpawnOptions } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, parse, resolve } from "node:path";

/** What a user has set for programs, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs are looked for when nothing says where. Source: glibc, `confstr(_CS_PATH)`. */
const DEFAULT_PATH = "/bin:/usr/bin";
/** What else programs that only read a file may need: their libraries, a place for what they put aside, Xcode. */
const NEEDED =
  /^(?:HOME|USERPROFILE|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|(?:DY)?LD_LIBRARY_PATH|DEVELOPER_DIR|SDKROOT)$/i;

/**
 * The absolute path of a program: one with a slash as it is named, from the current folder; any other from the PATH, of which
 * only absolute folders count, since the current folder may be that of a stranger's log. Undefined where there is none
 * that can be run.
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
 * How to start a program that reads what it is given: with no more of the environment than it needs, its messages not in the
 * user's language, and not in the current folder, where some programs look for their settings.
 */
export function readerOptions(env: Environment = process.env): SpawnOptions {
  const needed = Object.entries(env).filter(([name]) => NEEDED.test(name));
  return { ...quietOptions(), env: { ...Object.fromEntries(needed), PATH: searchPath(env), LC_ALL: "C" } };
}

/** As {@link readerOptions}, for a program that shows something to the user, with all of the user's environment. */
export function viewerOptions(env: Environment = process.env): SpawnOptions {
  const others = Object.entries(env).filter(([name]) => name.toUpperCase() !== "PATH");
  return { ...quietOptions(), env: { ...Object.fromEntries(others), PATH: searchPath(env) } };
}

/** How much a program may take. */
export interface ProgramLimits {
  readonly milliseconds: number;
  /** Of output. */
  readonly bytes: number;
}

/** Stops a program that takes too long or prints too much, and calls `onStop` once. What it prints is read on by the caller. */
export function stopPast(
  child: ChildProcess,
  { milliseconds, bytes }: ProgramLimits,
  onStop: () => void,
): void {
  let size = 0;
  const stop = () => {
    if (child.killed) return;
    child.kill("SIGKILL");
    // Programs that it started may still hold the other end.
    child.stdout?.destroy();
    onStop();
  };
  // Not the timeout of spawn: after a start that failed, that would keep this process waiting.
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
  // Windows has names without case.
  const stated = env.PATH ?? Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
  return (stated ?? DEFAULT_PATH).split(delimiter).filter(isAbsolute);
}

/** What may follow the name of a program. What else Windows has, such as `.CMD`, only a shell can run. */
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
    return false; // Not to be run by this user.
  }
}
