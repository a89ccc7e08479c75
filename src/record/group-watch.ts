import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { tried } from "../base/errors.js";
import { findProgram, readerOptions } from "../io/child-program.js";

/** It ends with its input, and never leaves a core file. */
const PROBE = "ulimit -c 0; exec cat";
/** How long a signal to a group may take to all of it, in milliseconds; and where the system does not tell which ones wait. */
const SPREAD = 5;
const END_PATIENCE = 50;
/** How long a signal may come again for the same reason, as `timeout` sends one to its command and to the group, in milliseconds. */
const REPEAT = 100;

/**
 * Tells a signal to this process alone from one to its whole group, as Ctrl-C, `timeout` and systemd send them: that one has reached the
 * command, too. A process of the group that does nothing is the probe: it ends by what reaches all.
 */
export class GroupWatch {
  #probe: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  start(): void {
    const shell = process.platform === "win32" ? undefined : findProgram("sh");
    if (shell === undefined) return;
    const probe = spawn(shell, ["-c", PROBE], {
      ...readerOptions(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#probe = probe;
    const again = () => {
      if (!this.#isOver) this.#timer = setTimeout(() => this.start(), REPEAT).unref();
    };
    probe.on("error", () => {}); // There is none then.
    probe.on("exit", again);
    probe.stdin!.on("error", () => {});
    probe.unref();
    (probe.stdin as unknown as NodeJS.Timeout).unref();
  }

  /** Returns whether a signal that has just come was for the group; undefined if there was no probe. */
  async hasReachedAll(signal: NodeJS.Signals): Promise<boolean | undefined> {
    const probe = this.#probe;
    if (probe?.pid === undefined) return undefined;
    const end = performance.now() + (process.platform === "linux" ? SPREAD : END_PATIENCE);
    for (;;) {
      const { signalCode, exitCode } = probe;
      if (signalCode !== null || exitCode !== null) return signalCode === signal ? true : undefined;
      if (isHit(probe.pid, signal)) return true;
      if (performance.now() > end) return false;
      await new Promise((done) => setTimeout(done, 1));
    }
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#probe?.stdin?.destroy();
  }
}

/** Returns whether a process is to get a signal, or has ended, as far as the system tells. */
function isHit(pid: number, signal: NodeJS.Signals): boolean {
  const status = tried(() => readFileSync(`/proc/${pid}/status`, "latin1"));
  if (status === undefined) return false;
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  const waiting = Array.from(status.matchAll(/^(?:Sig|Shd)Pnd:\s*([0-9a-f]+)$/gm), ([, mask]) =>
    BigInt(`0x${mask}`),
  );
  return /^State:\s*[ZX]/m.test(status) || waiting.some((mask) => (mask & bit) !== 0n);
}
