import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

export const TICKS = fileURLToPath(new URL("../../bin/ticks.js", import.meta.url));

/** Where the commands of one test file keep what they learn, instead of in the home of who runs the tests. */
const CACHE_HOME = mkdtempSync(join(tmpdir(), "ticks-cache-"));
afterAll(() => rmSync(CACHE_HOME, { recursive: true, force: true }));
/** What names the folder of caches, on each system. */
const CACHE = { XDG_CACHE_HOME: CACHE_HOME, LOCALAPPDATA: CACHE_HOME };

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: Uint8Array;
}

/** Runs the command as a user would, in a process of its own. */
export function ticks(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
    const child = spawn(process.execPath, [TICKS, ...args], {
      cwd: options.cwd,
      env: { ...inherited, ...CACHE, ...options.env },
      stdio: "pipe",
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.stdin.on("error", () => {}); // A command that reads no input closes it.
    child.stdin.end(options.input ?? "");
    child.on("error", reject);
    child.on("close", (status) => resolve({ ...output, status }));
  });
}
