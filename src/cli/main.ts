import * as module from "node:module";
import { TicksError, type TicksErrorCode } from "../errors.js";
import { VERSION } from "../version.js";
import { printable, printableLines } from "../views/shown-text.js";
import { endOutput, leave } from "./exit.js";

const TROUBLE = 2;

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    // Scripts ask this at every start: no command is loaded for it.
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  keepCompiledCode();
  const { runProgram } = await import("./program.js");
  if (!(await runProgram(args, VERSION))) process.exitCode = TROUBLE;
}

/** Has Node keep what V8 compiles of the program for the next run, in a folder of its own (`NODE_COMPILE_CACHE`). */
function keepCompiledCode(): void {
  // Node has it since 22.8; the types of Node 20 do not.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
}

/** Errors that list what there is, a line each, with names that are fit to print already. */
const LISTS: readonly unknown[] = ["SEVERAL_LOGS", "BAD_OPTION"] satisfies TicksErrorCode[];

/** What is said of an error. Paths of all kinds are in it. */
function errorText(error: unknown): string {
  if (!(error instanceof TicksError)) {
    const stack = error instanceof Error ? error.stack : error;
    return `ticks: this is a bug in ticks:\n${printableLines(String(stack))}\n`;
  }
  const { code, message, hint } = error;
  const show = LISTS.includes(code) ? printableLines : printable;
  return `ticks: ${show(message)}\n${hint === undefined ? "" : `${printable(hint)}\n`}`;
}

/** What kept standard output from being written, besides what is told by what writes to it. */
let lost: NodeJS.ErrnoException | undefined;

// A reader that has had enough (`| head`) ends the command, and that is success.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = TROUBLE;
    if (stream === process.stdout) lost ??= error;
  });
}

let fault: unknown;
try {
  await main(process.argv.slice(2));
} catch (error) {
  fault = error;
}
await endOutput().catch((error) => {
  lost ??= error;
});
if (lost !== undefined) {
  const reason = lost.message.replace(`, ${lost.syscall}`, "");
  fault ??= new TicksError("NOT_WRITABLE", `the output cannot be written: ${reason}`);
}
if (fault !== undefined) {
  process.exitCode = TROUBLE;
  process.stderr.write(errorText(fault));
}
await leave();
