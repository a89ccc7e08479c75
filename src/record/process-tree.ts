import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tried } from "../base/errors.js";

/** Returns a process and all that descend from it, as far as their parents still run. */
export function treeOf(root: number): number[] {
  const parents = process.platform === "linux" ? parentsInProc() : parentsByPs();
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const tree = [root];
  for (const pid of tree) for (const child of children.get(pid) ?? []) tree.push(child);
  return tree;
}

/** Returns whether a process runs. One that has ended stays until its parent asks how, which that of an orphan may never do. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || stateOf(pid) !== "Z";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to processes that may be gone. */
export function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) tried(() => process.kill(pid, signal));
}

/** What the times in `/proc` are in, for all programs on Linux, in milliseconds. */
const CLOCK_TICK = 10;

/** Returns the CPU time that all threads of a process have taken so far, in milliseconds; undefined if the system does not tell. */
export function cpuTimeOf(pid: number): number | undefined {
  const [user, system] = statusOf(pid)?.slice(11, 13).map(Number) ?? [];
  return user === undefined || system === undefined ? undefined : (user + system) * CLOCK_TICK;
}

function stateOf(pid: number): string | undefined {
  return statusOf(pid)?.[0];
}

/** Returns the fields of `/proc/PID/stat` from the third on, the state; undefined if there are none. */
function statusOf(pid: number | string): string[] | undefined {
  const status = tried(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name of the program, in parentheses, may hold anything.
  return status?.slice(status.lastIndexOf(")") + 2).split(" ");
}

function parentsInProc(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statusOf(name)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  return parents;
}

function parentsByPs(): Map<number, number> {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8", timeout: 5000 });
  const rows = (stdout ?? "").split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(
    rows.flatMap(([pid, parent]) => (pid && parent !== undefined ? [[pid, parent] as const] : [])),
  );
}
