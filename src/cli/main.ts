import { statSync } from "node:fs";
import module from "node:module";
import { TicksError } from "../base/errors.js";
import { VERSION } from "../base/version.js";
import { defaultCacheFolder } from "../io/cache-file.js";
import { LARGE_LOG_BYTES } from "../io/log-chunks.js";
import type { CommandLine } from "./arguments.js";
import { exit, finishOutput } from "./exit.js";
import { errorText } from "./usage/error-text.js";

/** The exit status of an error. */
const ERROR = 2;
/** The only words that say what to print without any other file. */
const VERSIONS: readonly string[] = ["-v", "-V", "--version", "version"];

async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && VERSIONS.includes(argv[0]!)) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  keepCompiledCode(argv);
  const { readCommandLine } = await import("./arguments.js");
  const line = readCommandLine(argv);
  if (namesOneLargeLog(line)) await startThread();
  const { runProgram } = await import("./program.js");
  await runProgram(line, VERSION);
}

/** Has Node keep the compiled code of the program in the user's cache folder, in Node 22 and later. */
function keepCompiledCode(argv: readonly string[]): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const folder = argv.includes("--no-cache") ? undefined : defaultCacheFolder("code");
  if (folder !== undefined) enableCompileCache?.(folder);
}

/** With more words than this, a command line names several logs. */
const MOST_WORDS = 8;

/** Returns whether a command will read one log, and the log is large. */
function namesOneLargeLog({ row, isNamed, words, asks }: CommandLine): boolean {
  if (!row.readsLog || asks !== undefined || words.length > MOST_WORDS) return false;
  const sizes = words.flatMap((name) => logSize(name) ?? []);
  const [first = ""] = words;
  return sizes.length === 1 && sizes[0]! >= LARGE_LOG_BYTES && (isNamed || logSize(first) !== undefined);
}

/** Returns the size of a file that is not compressed, in bytes; undefined if there is none. */
function logSize(name: string): number | undefined {
  if (/\.(?:gz|zst|br)$/.test(name)) return undefined;
  try {
    const stats = statSync(name, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : undefined;
  } catch {
    return undefined; // It is no name of a file, or may not be looked at: the command will say so.
  }
}

/** Starts the second thread: it takes as long to start as all else until the log is open. */
async function startThread(): Promise<void> {
  const { startThreadAhead } = await import("../log/parser-thread.js"); // Small logs do not need it.
  startThreadAhead();
}

/** An error of standard output that no writer has thrown. */
let outputError: NodeJS.ErrnoException | undefined;

// A reader that closes the pipe early (`| head`) ends the command; that is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = ERROR;
    if (stream === process.stdout) outputError ??= error;
  });
}

async function run(): Promise<void> {
  let failure: unknown;
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    failure = error;
  }
  await finishOutput().catch((error) => {
    outputError ??= error;
  });
  if (outputError !== undefined) {
    const reason = outputError.message.replace(`, ${outputError.syscall}`, "");
    failure ??= new TicksError("NOT_WRITABLE", `the output cannot be written: ${reason}`);
  }
  if (failure !== undefined) {
    process.exitCode = ERROR;
    process.stderr.write(errorText(failure));
  }
  await exit();
}

void run();
