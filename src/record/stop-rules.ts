import { spawn } from "node:child_process";
import { readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { tried } from "../base/errors.js";
import { signalAll, treeOf } from "./process-tree.js";
import { type Environment, portOf, type Session } from "./session.js";

/** What ends a command before it ends by itself. */
export interface StopRules {
  /** In milliseconds. */
  readonly duration?: number | undefined;
  /** In bytes of logs. */
  readonly maxSize?: number | undefined;
  /** A shell command to run when the program listens on a port; its end is the end of the program. */
  readonly onPort?: string | undefined;
}

interface StopEvents {
  /** Called once, with the option. */
  stop(option: string): void;
  /** Called with what the user should know. */
  warn(text: string): void;
}

/** How often sizes and ports are looked at, in milliseconds. */
const SIZE_PERIOD = 500;
const PORT_PERIOD = 50;
/** A disk with fewer bytes is full. */
const LEAST_FREE = 256 * 1024;

/** Applies the rules to a command that has just started. Returns a function that ends this. */
export function applyStopRules(
  { duration, maxSize, onPort }: StopRules,
  {
    session,
    env,
    events,
  }: { readonly session: Session; readonly env: Environment; readonly events: StopEvents },
): () => void {
  const undo: (() => void)[] = [];
  let isStopped = false;
  const stop = (option: string) => {
    if (!isStopped) events.stop(option);
    isStopped = true;
  };
  const every = (period: number, action: () => void) => {
    const timer = setInterval(action, period);
    undo.push(() => clearInterval(timer));
    return timer;
  };
  if (duration !== undefined) {
    const timer = setTimeout(() => stop("--duration"), duration);
    undo.push(() => clearTimeout(timer));
  }
  let wasFull = false;
  every(SIZE_PERIOD, () => {
    if (maxSize !== undefined && sizeOf(session.folder) >= maxSize) stop("--max-size");
    if (wasFull || !isDiskFull(session.folder)) return;
    wasFull = true;
    events.warn(DISK_FULL);
  });
  if (onPort !== undefined) {
    const timer = every(PORT_PERIOD, () => {
      const port = portOf(session);
      if (port === undefined) return;
      clearInterval(timer);
      undo.push(runLoad(onPort, { env: { ...env, PORT: String(port) }, events, stop }));
    });
  }
  return () => {
    for (const action of undo) action();
  };
}

/** Runs a shell command whose output goes to standard error. Returns a function that ends it. */
function runLoad(
  command: string,
  {
    env,
    events,
    stop,
  }: { readonly env: Environment; readonly events: StopEvents; readonly stop: (option: string) => void },
): () => void {
  const child = spawn(command, { shell: true, env: { ...env }, stdio: ["ignore", 2, 2] });
  let hasEnded = false;
  const ended = (problem: string | undefined) => {
    if (hasEnded) return;
    hasEnded = true;
    if (problem !== undefined) events.warn(`--on-port: ${problem}`);
    stop("--on-port");
  };
  child.on("error", ({ message }) => ended(message));
  child.on("exit", (status, signal) => ended(status === 0 ? undefined : `ended with ${signal ?? status}`));
  return () => {
    if (hasEnded || child.pid === undefined) return;
    hasEnded = true;
    signalAll(treeOf(child.pid), "SIGTERM");
  };
}

/** Returns the bytes of the files in a folder. */
export function sizeOf(folder: string): number {
  const sizeAt = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  // The program may have removed it.
  return tried(() => readdirSync(folder).reduce((sum, name) => sum + sizeAt(name), 0)) ?? 0;
}

export const DISK_FULL =
  "the disk is full: V8 loses what it cannot write, so the logs have gaps or an early end";

/** Returns whether the disk of a folder has no place left, as far as the system tells. */
export function isDiskFull(folder: string): boolean {
  const disk = tried(() => statfsSync(folder));
  return disk !== undefined && disk.blocks > 0 && disk.bavail * disk.bsize < LEAST_FREE;
}

/** A line is not kept longer than this while its end is missing. */
const MOST_TEXT = 64 * 1024;

/** Returns a function for chunks of output that calls `onFound` when a line matches one of the patterns, once. */
export function lineWatcher(patterns: readonly RegExp[], onFound: () => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let line = "";
  let isFound = false;
  return (chunk) => {
    if (isFound) return;
    const lines = (line + decoder.decode(chunk, { stream: true })).split("\n");
    isFound = lines.some((text) => patterns.some((pattern) => pattern.test(text.slice(-MOST_TEXT))));
    line = lines.at(-1)!.slice(-MOST_TEXT);
    if (isFound) onFound();
  };
}
