import { Command, CommanderError } from "commander";
import { TicksError } from "../errors.js";
import { printableLines } from "../views/shown-text.js";
import { addDeoptsCommand } from "./deopts-command.js";
import { addDoctorCommand } from "./doctor-command.js";
import { addExportCommand } from "./export-command.js";
import { addFlameCommand } from "./flame-command.js";
import { addFunctionCommand } from "./function-command.js";
import { addLinesCommand } from "./lines-command.js";
import { normalizeArguments } from "./options.js";
import { addProcessCommand } from "./process-command.js";
import { addRedactCommand } from "./redact-command.js";
import { addSymbolsCommand } from "./symbols-command.js";
import { addThreadsCommand } from "./threads-command.js";
import { addTimelineCommand } from "./timeline-command.js";
import { addTopCommand } from "./top-command.js";
import { addTreeCommand } from "./tree-command.js";

const FOOTER = `
Record a log with: node --prof app.js
Then: ticks process isolate-0x…-v8.log > processed.txt

Exit status: 0 done; 1 a check failed (--strict, doctor, a name that is not
there); 2 error: bad usage or unreadable input.`;

/** Adds each command, by its name, in the order of the help. */
const COMMANDS: ReadonlyMap<string, (program: Command) => void> = new Map([
  ["process", (program) => addProcessCommand(program, FOOTER)],
  ["top", addTopCommand],
  ["tree", addTreeCommand],
  ["function", addFunctionCommand],
  ["lines", addLinesCommand],
  ["deopts", addDeoptsCommand],
  ["timeline", addTimelineCommand],
  ["threads", addThreadsCommand],
  ["flame", addFlameCommand],
  ["export", addExportCommand],
  ["doctor", addDoctorCommand],
  ["symbols", addSymbolsCommand],
  ["redact", addRedactCommand],
]);

/**
 * Runs the command of a command line, which sets the exit status of the process. False when commander has said what is
 * wrong with it; throws what the command throws.
 */
export async function runProgram(args: readonly string[], version: string): Promise<boolean> {
  const program = new Command("ticks")
    .description("Show where a node --prof run spent its CPU time.")
    .version(version)
    .addHelpText("after", FOOTER)
    .usage("[command] [options] [LOG...]")
    .exitOverride()
    .configureOutput({
      writeErr: (text) => process.stderr.write(printableLines(text.replace(/^error: /, "ticks: "))),
    });
  // Only the command that is named: adding all takes some milliseconds.
  const named = COMMANDS.get(args[0] ?? "");
  for (const add of named === undefined ? COMMANDS.values() : [named]) add(program);
  const normalized = normalizeArguments(args);
  if (normalized.includes("-ni")) throw new TicksError("BAD_OPTION", "-ni is spelled --no-idle here");
  try {
    await program.parseAsync(normalized, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0;
    throw error;
  }
  return true;
}
