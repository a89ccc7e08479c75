import { lstatSync, readlinkSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRunning } from "./process-tree.js";
import { readRecordFile } from "./recording-file.js";

/** How many names are tried: each recording that goes on has one. */
const MOST_TRIES = 20;
/** The bits of a mode by which others may write, and the one by which they may not remove what is not theirs. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Makes a link to the folder of a recording, under a name that is the same for each recording in `place`, so that the
 * logs can be named by it. V8's cached code is only good for the flags that it was made with, and the name of the log
 * is one of them: under the folder's own name a program would find its cache of compiled code cold each time.
 * Undefined if there can be no such link.
 *
 * Source: V8, src/flags/flags.cc, `ComputeFlagListHash`; src/snapshot/code-serializer.cc, `SanityCheck`.
 */
export function linkTo(folder: string, place: string): string | undefined {
  const parent = resolve(place);
  try {
    const { mode } = statSync(parent);
    // Whoever may replace the link could send the logs elsewhere.
    if (process.platform !== "win32" && (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      return undefined;
    for (let number = 1; number <= MOST_TRIES; number++) {
      const path = join(parent, number === 1 ? ".ticks-recording" : `.ticks-recording-${number}`);
      if (isLeft(path)) unlinkSync(path);
      if (isMade(folder, path)) return path;
    }
  } catch {
    // The folder may be read only, or its disk may have no links.
  }
  return undefined;
}

function isMade(folder: string, path: string): boolean {
  try {
    symlinkSync(folder, path, "junction"); // The kind counts on Windows alone: this one needs no rights.
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns whether a link is one of our own that nothing writes through any more. */
function isLeft(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status?.isSymbolicLink()) return false;
  if (process.platform !== "win32" && status.uid !== process.getuid!()) return false;
  const folder = resolve(dirname(path), readlinkSync(path));
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return true;
  const facts = readRecordFile(folder);
  return facts?.outcome !== undefined && !facts.processes.some(({ pid }) => isRunning(pid));
}

/** Removes a link that {@link linkTo} made. */
export function removeLink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The program removed it.
  }
}
