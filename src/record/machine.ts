import { execFile } from "node:child_process";
import { arch, cpus, hostname, platform, release, totalmem } from "node:os";
import { findProgram, readerOptions } from "../io/child-program.js";
import type { Machine } from "./recording-file.js";

/** Returns what there is to know of this machine. */
export function thisMachine(): Machine {
  const processors = cpus();
  return {
    name: hostname(),
    platform: platform(),
    release: release(),
    arch: arch(),
    cpu: processors[0]?.model.trim() ?? "",
    cpus: processors.length,
    memory: totalmem(),
  };
}

/** Git is not waited for longer, in milliseconds. */
const PATIENCE = 5000;

/** Returns the commit that a folder's working tree is at; undefined outside of one, or without git. */
export function commitOf(folder: string): Promise<string | undefined> {
  const git = findProgram("git");
  if (git === undefined) return Promise.resolve(undefined);
  const args = ["-C", folder, "rev-parse", "HEAD"];
  const { cwd, env } = readerOptions();
  return new Promise((done) => {
    execFile(git, args, { cwd, env, timeout: PATIENCE, encoding: "utf8" }, (error, text) => {
      const commit = error === null ? text.trim() : "";
      done(/^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined);
    });
  });
}
