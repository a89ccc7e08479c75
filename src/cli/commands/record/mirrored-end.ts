import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { findProgram } from "../../../io/child-program.js";
import type { CommandEnd } from "../../../record/command.js";
import { finishOutput } from "../../exit.js";

/** Signals after which the system may write a core file: the program's, which this process must not replace. */
const WITH_CORE: readonly NodeJS.Signals[] = [
  ...(["SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS"] as const),
  ...(["SIGXCPU", "SIGXFSZ"] as const),
];

/** Waiting for the own end, in milliseconds. */
const PATIENCE = 1000;

/** Sets the exit status of a command, or ends this process by the signal that ended the command. */
export async function mirrorEnd({ status, signal }: CommandEnd): Promise<void> {
  if (signal === undefined) {
    process.exitCode = status;
    return;
  }
  const number = constants.signals[signal];
  // What a shell says of a process that a signal ended.
  process.exitCode = 128 + number;
  if (process.platform === "win32") return;
  await finishOutput();
  await new Promise((resolve) => process.stderr.write("", resolve));
  if (WITH_CORE.includes(signal)) preventCore();
  // The first removal of a handler gives a signal its usual effect again; Node ignores some. One of a file that was just written may still
  // be there: it could go before it gets the signal, which then would do nothing.
  if (signal !== "SIGKILL" && signal !== "SIGSTOP") {
    process.on(signal, () => {});
    process.removeAllListeners(signal);
  }
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, PATIENCE));
}

function preventCore(): void {
  const prlimit = findProgram("prlimit");
  if (prlimit !== undefined) {
    spawnSync(prlimit, ["--pid", String(process.pid), "--core=0"], { stdio: "ignore", timeout: PATIENCE });
  }
}
