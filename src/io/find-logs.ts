import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "./input.js";

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
    .map((name) => ({
      path: join(folder, name),
      stats: statSync(join(folder, name), { throwIfNoEntry: false }),
    }))
    .flatMap(({ path, stats }) => (stats?.isFile() ? [{ path, changed: stats.mtimeMs }] : []))
    .sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** How large a log is, and how many ticks it has. */
export async function describeLog(path: string): Promise<FoundLog> {
  let bytes = 0;
  let ticks = 0;
  // The end of the chunk before, for a tick row that begins in it.
  let before: Uint8Array = Buffer.from("\n");
  for await (const chunk of openLog(path)) {
    const text = Buffer.concat([before, chunk]);
    for (let at = text.indexOf(TICK); at >= 0; at = text.indexOf(TICK, at + TICK.length)) ticks++;
    before = text.subarray(Math.max(0, text.length - TICK.length + 1));
    bytes += chunk.length;
  }
  return { path, bytes, ticks };
}
