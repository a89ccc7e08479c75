import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

export const TICKS = fileURLToPath(new URL("../../bin/ticks.js", import.meta.url));

const { NO_COLOR: _, FORCE_COLOR: __, ...INHERITED } = process.env;
/** The environment of commands: nothing about colours, and a folder for caches, which systems name differently. */
export const COMMAND_ENV: NodeJS.ProcessEnv = {
  ...INHERITED,
  XDG_CACHE_HOME: inject("cacheHome"),
  LOCALAPPDATA: inject("cacheHome"),
};

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
    const child = spawn(process.execPath, [TICKS, ...args], {
      cwd: options.cwd,
      env: { ...COMMAND_ENV, ...options.env },
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
