import * as module from "node:module";
import { TicksError, type TicksErrorCode } from "../errors.js";
import { VERSION } from "../version.js";
import { printable, printableLines } from "../views/shown-text.js";
import { exit, finishOutput } from "./exit.js";
import { compileLess } from "./heap-limits.js";

/** The exit status of an error. */
const ERROR = 2;

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    // Scripts ask for it at every start, so it loads no command.
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  keepCompiledCode();
  compileLess(LESS);
  const { runProgram } = await import("./program.js");
  if (!(await runProgram(args, VERSION))) process.exitCode = ERROR;
}

/**
 * Makes Node keep the compiled code of the program for the next run, in its own folder
 * (`NODE_COMPILE_CACHE`).
 */
function keepCompiledCode(): void {
  // In Node since 22.8, and not in the types of Node 20.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
}

/** How much less V8 is to compile: see {@link compileLess}. */
const LESS = 4;

/** Errors whose messages can have several lines, with names that are already printable. */
const LISTS: readonly unknown[] = ["SEVERAL_LOGS", "BAD_OPTION"] satisfies TicksErrorCode[];

/** Returns the text to print for an error, with printable names. */
function errorText(error: unknown): string {
  if (!(error instanceof TicksError)) {
    const stack = error instanceof Error ? error.stack : error;
    return `ticks: this is a bug in ticks:\n${printableLines(String(stack))}\n`;
  }
  const { code, message, hint } = error;
  const show = LISTS.includes(code) ? printableLines : printable;
  return `ticks: ${show(message)}\n${hint === undefined ? "" : `${printable(hint)}\n`}`;
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
