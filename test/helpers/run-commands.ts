import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a command did. */
export interface CommandResult {
  readonly log: string;
  /** Of its line in `COMMAND_LINES`. */
  readonly number: number;
  /** Undefined where it was killed, or the process ended. */
  readonly status: number | undefined;
  /** Of the processor. */
  readonly milliseconds: number;
  readonly megabytes: number;
  /** The stack of what was thrown that is no fault of the user. */
  readonly bug: string | undefined;
  /** What is wrong with its output. */
  readonly fault: string | undefined;
  readonly stderr: string;
  /** Empty where it is long. */
  readonly stdout: string;
  /** Of the whole of its standard output. */
  readonly hash: string;
}

export type CommandOfLog = readonly [log: string, number: number];

/** A command that takes longer, on a busy machine too, is killed; in milliseconds. */
const PATIENCE = 60_000;
const RUNNER = fileURLToPath(new URL("./command-runner.mjs", import.meta.url));

/**
 * Runs commands on logs in a process of its own, one after the other. Where one hangs or ends the process, another goes on
 * with the next log: what is left of this one is not run, since it would mostly end alike, and counts as failed.
 */
export async function runCommands(
  commands: readonly CommandOfLog[],
  { nodeOptions = [], cwd }: { nodeOptions?: readonly string[]; cwd: string },
): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  while (results.length < commands.length) {
    await runSome(commands.slice(results.length), results, { nodeOptions, cwd });
    const last = results.at(-1)!;
    while (last.status === undefined && commands[results.length]?.[0] === last.log) {
      const number = commands[results.length]![1];
      results.push({ ...last, number, bug: "not run, since a command before it did not end" });
    }
  }
  return results;
}

function runSome(
  commands: readonly CommandOfLog[],
  results: CommandResult[],
  { nodeOptions, cwd }: { nodeOptions: readonly string[]; cwd: string },
): Promise<void> {
  const child = fork(RUNNER, {
    cwd,
    execArgv: ["--expose-gc", "--max-old-space-size=450", ...nodeOptions],
    env: { ...process.env, XDG_CACHE_HOME: cwd, LOCALAPPDATA: cwd, FORCE_COLOR: "", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // A list of them can be longer than an argument may be.
  child.send(commands);
  let said = "";
  child.stderr?.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(-2000);
  });
  let isTimeUp = false;
  const killLater = () =>
    setTimeout(() => {
      isTimeUp = true;
      child.kill("SIGKILL");
    }, PATIENCE);
  let timer = killLater();
  let running: CommandOfLog | undefined;
  return new Promise((resolve) => {
    child.on("message", (message: { type: "begin" | "end" } & CommandResult) => {
      clearTimeout(timer);
      timer = killLater();
      running = message.type === "begin" ? [message.log, message.number] : undefined;
      if (message.type === "end") results.push(message);
    });
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      const [log, number] = running ?? (results.length === 0 ? commands[0]! : []);
      if (log !== undefined && number !== undefined) {
        const bug = isTimeUp ? `killed after ${PATIENCE / 1000} s` : `ended by ${status ?? signal}: ${said}`;
        const nothing = { fault: undefined, stderr: "", stdout: "", hash: "" };
        results.push({
          log,
          number,
          status: undefined,
          milliseconds: PATIENCE,
          megabytes: 0,
          bug,
          ...nothing,
        });
      }
      resolve();
    });
  });
}
