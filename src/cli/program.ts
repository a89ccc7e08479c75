import { existsSync } from "node:fs";
import { CommanderError } from "commander";
import { badOption, TicksError } from "../base/errors.js";
import type { CommandRow } from "../reports/command-row.js";
import { REPORTS } from "../reports/reports.js";
import { type CommandLine, keptOptions } from "./arguments.js";
import { commandNames, DEFAULT_COMMAND } from "./commands.js";
import { BEFORE_COMMAND } from "./options.js";
import { optionsOf, type ReadOptions } from "./read-options.js";

/** Runs a command. Returns the exit status, unless the command sets it itself. */
type Run = (words: readonly string[], flags: never, line: CommandLine) => Promise<unknown>;

/** Loads what runs each command that does more than show a report: the file of its name. */
const RUNS: Readonly<Record<string, () => Promise<Run>>> = {
  record: async () => (await import("./commands/record.js")).runRecord,
  live: async () => (await import("./commands/live.js")).runLive,
  guide: async () => (await import("./commands/guide.js")).runGuide,
  diff: async () => (await import("./commands/diff.js")).runDiff,
  check: async () => (await import("./commands/check.js")).runCheck,
  serve: async () => (await import("./commands/serve.js")).runServe,
  flame: async () => (await import("./commands/flame.js")).runFlame,
  export: async () => (await import("./commands/export.js")).runExport,
  symbols: async () => (await import("./commands/symbols.js")).runSymbols,
  redact: async () => (await import("./commands/redact.js")).runRedact,
  process: async () => (await import("./commands/process.js")).runProcess,
  completion: async () => (await import("./commands/completion.js")).runCompletion,
  complete: async () => (await import("./commands/completion.js")).runComplete,
};

async function loadReport(name: string): Promise<Run> {
  const { showReport } = await import("./show-report.js");
  const row = REPORTS[name as keyof typeof REPORTS];
  return (words, flags, line) => showReport(row, words, flags, { kept: keptOptions(line) });
}

/**
 * Runs the command that a command line names, and sets the exit status of the process; or answers what it asks for. Throws what the
 * command throws, and a {@link TicksError} if the command line is wrong. Loads only the file of the command that runs.
 */
export async function runProgram(line: CommandLine, version: string): Promise<void> {
  if (line.asks !== undefined) {
    const { helpOn } = await import("./help.js");
    process.stdout.write(line.asks.what === "version" ? `${version}\n` : await helpOn(line.asks));
    return;
  }
  const { isNamed, args, words } = line;
  if (!line.row.isWrapper && args.includes("-ni")) throw badOption("unknown option -ni: use --no-idle");
  const [first] = words;
  if (!isNamed && first !== undefined && args.find((arg) => !BEFORE_COMMAND.has(arg)) === first)
    await refuseUnknownCommand(first);
  const { comparingLine, givenWords } = await import("./given-words.js");
  const { row } = comparingLine(line);
  let options: ReadOptions;
  try {
    options = optionsOf({ row, args });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { usageError } = await import("./usage/usage-errors.js"); // Only needed for an error.
    throw usageError(error, row);
  }
  try {
    const run = await (RUNS[row.name]?.() ?? loadReport(row.name));
    const status = await run(givenWords(options.words, row), options.flags as never, line);
    if (typeof status === "number") process.exitCode = status;
  } catch (error) {
    throw isNamed ? withCommand(error, row) : withCommandFirst(error, words);
  }
}

/** Throws a {@link TicksError} if a word that is no command and no file is similar to a command. */
async function refuseUnknownCommand(word: string): Promise<void> {
  if (existsSync(word)) return;
  const { unknownCommand } = await import("./usage/usage-errors.js"); // Only needed for an error.
  const error = unknownCommand(word, { names: commandNames() });
  if (error !== undefined) throw error;
}

/** Returns an error that names logs to read with the command that was typed in its hint. */
function withCommand(error: unknown, { name }: CommandRow): unknown {
  return error instanceof TicksError && name !== DEFAULT_COMMAND.name
    ? error.withCommand(`ticks ${name}`)
    : error;
}

/** Returns an error for a log that does not exist with a hint, if the log is a command that comes too late. */
function withCommandFirst(error: unknown, words: readonly string[]): unknown {
  if (!(error instanceof TicksError) || error.code !== "NOT_FOUND") return error;
  const name = commandNames().find((one) => error.message.startsWith(`${one}: `));
  if (name === undefined || !words.includes(name)) return error;
  return new TicksError(error.code, error.message, `A command comes first: ticks ${name} …`);
}
