import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { COMMAND_ENV, type Run } from "./cli.ts";

const SERVER = fileURLToPath(new URL("./command-server.mjs", import.meta.url));

let server: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `ticks` of cli.ts does, but one after the other in one process, which takes a seventh of the time for the
 * logs of fixtures/. For what commands print, where there are many: it runs what is in build/, not what is shipped, and leaves
 * out the start and the end of the program.
 */
export function warmTicks(args: readonly string[], { cwd = process.cwd() } = {}): Promise<Run> {
  const run = last.then(() => runInServer(args, cwd));
  last = run.catch(() => {});
  return run;
}

function runInServer(args: readonly string[], cwd: string): Promise<Run> {
  server ??= fork(SERVER, { env: COMMAND_ENV, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const running = server;
  return new Promise((resolve, reject) => {
    const end = () => {
      running.off("message", take);
      running.off("exit", fail);
    };
    const take = (message: Run) => {
      end();
      resolve(message);
    };
    const fail = (status: number | null) => {
      end();
      server = undefined;
      reject(new Error(`ticks ${args.join(" ")}: the process ended with status ${status}`));
    };
    running.on("message", take);
    running.on("exit", fail);
    running.send({ args, cwd });
  });
}
