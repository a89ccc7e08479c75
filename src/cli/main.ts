import module from "node:module";
import { TicksError } from "../base/errors.js";
import { VERSION } from "../base/version.js";
import { defaultCacheFolder } from "../io/cache-file.js";
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
  const { runProgram } = await import("./program.js");
  await runProgram(line, VERSION);
}

/** Has Node keep the compiled code of the program in the user's cache folder, in Node 22 and later. */
function keepCompiledCode(argv: readonly string[]): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const folder = argv.includes("--no-cache") ? undefined : defaultCacheFolder("code");
  if (folder !== undefined) enableCompileCache?.(folder);
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
