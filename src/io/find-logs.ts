import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A log found in a folder. */
export interface FoundLog {
  readonly path: string;
  readonly bytes: number;
  readonly ticks: number;
}

/** What V8 calls its logs: `isolate-0x…-v8.log`, with a PID before or after `v8` in later versions and clusters. */
const LOG_NAME = /^isolate.*-v8(?:-\d+)?\.log$/;
const TICK = Buffer.from("\ntick,");

/** The paths of the logs in a folder, newest first. */
export function findLogs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => LOG_NAME.test(name))
    .map((name) => ({ path: join(folder, name), stats: statSync(join(folder, name)) }))
    .filter(({ stats }) => stats.isFile())
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** How large a log is, and how many ticks it has. */
export function describeLog(path: string): FoundLog {
  const bytes = readFileSync(path);
  let ticks = 0;
  for (let at = bytes.indexOf(TICK); at >= 0; at = bytes.indexOf(TICK, at + TICK.length)) ticks++;
  return { path, bytes: bytes.length, ticks };
}
