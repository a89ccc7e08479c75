import { type BigIntStats, fstatSync, realpathSync, statSync } from "node:fs";
import { badOption, TicksError } from "../base/errors.js";
import { printable } from "../facts/label.js";
import { STDIN } from "../io/input.js";
import { outputTarget } from "../io/output.js";

/** A file to write. */
export interface OutputFile {
  readonly path: string;
  /** Whether the user typed the path. */
  readonly isTyped: boolean;
}

/** The files that a run reads. */
export interface InputFiles {
  readonly logs: readonly string[];
  /** Symbol files. */
  readonly symbols: readonly string[];
}

const STDIN_DESCRIPTOR = 0;

/**
 * Checks an output file before the work starts. Throws a {@link TicksError} if the file is also an input, if
 * it is a folder, or if it is a link that the user did not name.
 */
export function checkOutput({ path, isTyped }: OutputFile, { logs, symbols }: InputFiles): void {
  refuseLog(path, logs);
  const name = printable(path);
  if (symbols.some((file) => isSameFile(file, path))) {
    throw badOption(`--output ${name} would overwrite a symbols file that is read`);
  }
  try {
    outputTarget(path, { name, isTyped });
  } catch (error) {
    // Writing the file reports every other error.
    if (error instanceof TicksError) throw error;
  }
}

/** Throws a {@link TicksError} if the output file is one of the logs. */
function refuseLog(output: string, logs: readonly string[]): void {
  if (logs.some((log) => isSameFile(log, output))) {
    throw badOption(`--output ${printable(output)} would overwrite the log`);
  }
}

/** Whether two paths lead to the same regular file. Other files can be read and written at the same time. */
function isSameFile(input: string, output: string): boolean {
  try {
    const written = statSync(output, { bigint: true });
    const read = statusOf(input);
    if (!written.isFile() || !read.isFile()) return false;
    // Some file systems have no inode numbers.
    if (written.ino === 0n) return input !== STDIN && realpathSync(input) === realpathSync(output);
    return read.dev === written.dev && read.ino === written.ino;
  } catch {
    return false; // One of them does not exist: reading or writing it reports that.
  }
}

function statusOf(input: string): BigIntStats {
  return input === STDIN ? fstatSync(STDIN_DESCRIPTOR, { bigint: true }) : statSync(input, { bigint: true });
}
