import { type ChildProcess, spawn } from "node:child_process";
import { findProgram, viewerOptions } from "./child-program.js";

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
