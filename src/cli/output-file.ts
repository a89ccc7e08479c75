import { type BigIntStats, fstatSync, realpathSync, statSync } from "node:fs";
import { TicksError } from "../errors.js";
import { STDIN } from "../io/input.js";
import { outputTarget } from "../io/output-target.js";
import { printable } from "../views/label.js";

/** A file that a command is to write. */
export interface OutputFile {
  readonly path: string;
  /** Whether the user typed the path. */
  readonly isTyped: boolean;
}

/** The files that a run reads. */
export interface InputFiles {
  readonly logs: readonly string[];
  /** Files of symbols. */
  readonly symbols: readonly string[];
}

const STDIN_DESCRIPTOR = 0;

/**
 * Throws a {@link TicksError} where it can be seen before the work that the output cannot be written: it is one of the
 * files that are read, it is a folder, or a name that the user did not type is taken by a link.
 */
export function checkOutput({ path, isTyped }: OutputFile, { logs, symbols }: InputFiles): void {
  refuseLog(path, logs);
  const name = printable(path);
  if (symbols.some((file) => isSameFile(file, path))) {
    throw new TicksError("BAD_OPTION", `--output ${name} is a file of symbols that is read`);
  }
  try {
    outputTarget(path, { name, isTyped });
  } catch (error) {
    // What else is wrong is told by writing.
    if (error instanceof TicksError) throw error;
  }
}

/** Throws a {@link TicksError} where an output file is one of the logs that it is made of. */
function refuseLog(output: string, logs: readonly string[]): void {
  if (logs.some((log) => isSameFile(log, output))) {
    throw new TicksError("BAD_OPTION", `--output ${printable(output)} is the log itself`);
  }
}

/** Whether two paths are of one file, by whatever names; what is not a regular file can be read and written at once. */
function isSameFile(input: string, output: string): boolean {
  try {
    const written = statSync(output, { bigint: true });
    const read = statusOf(input);
    if (!written.isFile() || !read.isFile()) return false;
    // Not all file systems number their files.
    if (written.ino === 0n) return input !== STDIN && realpathSync(input) === realpathSync(output);
    return read.dev === written.dev && read.ino === written.ino;
  } catch {
    return false; // One of them is not there: reading or writing it tells.
  }
}

function statusOf(input: string): BigIntStats {
  return input === STDIN ? fstatSync(STDIN_DESCRIPTOR, { bigint: true }) : statSync(input, { bigint: true });
}
