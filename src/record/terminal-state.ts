import { spawnSync } from "node:child_process";
import { isatty } from "node:tty";
import { findProgram } from "../io/child-program.js";

/** The settings of the terminal, to restore after a program that was killed. */
interface TerminalState {
  /** Undoes what a program changed: no echo, no lines, a hidden cursor. */
  restore(): void;
}

/** `stty` in the background would wait for the foreground; it gets this many milliseconds. */
const PATIENCE = 1000;
/** Ends colours and shows the cursor. */
const RESET = "\x1b[0m\x1b[?25h";

/** Returns the settings of the terminal of standard input; they do nothing if there is none. */
export function saveTerminal(): TerminalState {
  const stty = isatty(0) ? findProgram("stty") : undefined;
  if (stty === undefined) return { restore() {} };
  const run = (args: readonly string[]) =>
    spawnSync(stty, args, {
      stdio: ["inherit", "pipe", "ignore"],
      encoding: "utf8",
      timeout: PATIENCE,
      killSignal: "SIGKILL",
    });
  const before = run(["-g"]).stdout;
  return {
    restore() {
      if (isatty(2)) process.stderr.write(RESET);
      if (before && run(["-g"]).stdout !== before) run([before.trim()]);
    },
  };
}
